"""The chapter on the collection: positives of its queries, and the lengths of their texts."""

import numpy as np
from numpy.typing import NDArray

from annotate.models import Part
from metrics.charts.analyses import correctness as correctness_charts
from metrics.charts.analyses import lengths as length_charts
from metrics.charts.analyses import positives as positives_charts
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.correctness import RunHits, outcomes_by_length
from metrics.core.analyses.lengths import (
    LengthPositives,
    length_examples,
    positives_by_length,
)
from metrics.core.analyses.positives import SourcePositives, positives_per_query
from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.core.labels.label_sources import LabelSource, People
from metrics.core.statistics.resampling import seed_of
from metrics.services.analysis.analyses import (
    Analysis,
    AnalysisRequest,
    Chapter,
    Choice,
    NotDefined,
    Oracle,
)
from metrics.services.analysis.inputs import (
    direction_inputs,
    exact_values,
    nouns_of,
    positives_by_query,
    runs_of,
    source_grades,
    texts_of_sources,
)
from metrics.services.leaderboard.choice_values import DirectionInputs, restricted

CHAPTER = Chapter(
    "collection",
    "The collection",
    "How many positives its queries have, and what the length of a text has to do with it.",
)
OF_LABELS = frozenset({Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES})
OF_RUNS = OF_LABELS | {Choice.RUNS, Choice.MEASURE}
NO_TEXT = (
    "None of these source items has a text of its own: choose the other direction, or load texts."
)


def positives(request: AnalysisRequest) -> AnalysisResult:
    """Positives a query by the chosen label source, and by each of its parts alone."""
    inputs = direction_inputs(request)
    source = LabelSource.parse(inputs.spec.label_source)
    parts = [LabelSource.of(People.NONE, [name]) for name in source.sets]
    if source.has_people:
        parts.append(LabelSource.of(People.ONLY))
    sources = [
        SourcePositives(part.label, positives_by_query(inputs, source_grades(inputs, part)))
        for part in parts
        if part != source
    ]
    chosen_source = SourcePositives(source.label, positives_by_query(inputs, inputs.labels.whole))
    distributions = positives_per_query([chosen_source, *sources], groups=inputs.groups)
    return positives_charts.positives_result(distributions, nouns_of(inputs))


def lengths(request: AnalysisRequest) -> AnalysisResult:
    """Positives a query by the number of words of its text."""
    inputs = direction_inputs(request)
    n_words, n_positive = texts_of_sources(inputs).n_words, _positives(inputs)
    has_text = n_words > 0
    if not has_text.any():
        raise NotDefined(NO_TEXT)
    if not n_positive[has_text].any():
        raise NotDefined("No query with a text has a positive yet.")
    within = restricted(inputs, has_text)
    result = positives_by_length(
        LengthPositives(n_words[has_text], n_positive[has_text], within.groups)
    )
    n_without_text = int(np.count_nonzero(~has_text))
    return length_charts.length_result(result, nouns_of(within), n_without_text=n_without_text)


def examples(request: AnalysisRequest) -> AnalysisResult:
    """Some of the shortest, median and longest texts, each with its positives."""
    inputs = direction_inputs(request)
    n_words, n_positive = texts_of_sources(inputs).n_words, _positives(inputs)
    positions = np.flatnonzero(n_words)
    if not len(positions):
        raise NotDefined(NO_TEXT)
    seed = seed_of(n_words[positions, None].astype(np.float64))
    drawn_examples = length_examples(n_words[positions], rng=np.random.default_rng(seed))
    places = np.concatenate([np.array(part, dtype=np.int64) for part in drawn_examples])
    texts = _texts(inputs.scope.sources[positions[places]].tolist())
    rows = [
        length_charts.TextExample(
            part=part,
            text=texts[int(inputs.scope.sources[position])],
            n_words=int(n_words[position]),
            n_positive=int(n_positive[position]),
        )
        for part, part_places in drawn_examples._asdict().items()
        for position in positions[part_places].tolist()
    ]
    within = restricted(inputs, n_words > 0)
    return length_charts.examples_result(rows, nouns_of(within))


def outcomes(request: AnalysisRequest) -> AnalysisResult:
    """Outcomes of two runs, by the number of characters of the query's text."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=2)
    n_characters = texts_of_sources(inputs).n_characters
    has_text = n_characters > 0
    if not has_text.any():
        raise NotDefined(NO_TEXT)
    (measure,) = inputs.measures
    first, second = exact_values(inputs, runs)
    tables = [(LabelSource.parse(inputs.spec.label_source), first.whole, second.whole)]
    reference = tables[0][0].reference
    if reference and first.reference is not None and second.reference is not None:
        tables.append((reference, first.reference, second.reference))
    if not all(are_zero_one(values.T) for _, *of_runs in tables for values in of_runs):
        raise NotDefined(
            f"{measure.name} is not 0 or 1 for each query: choose one that is, such as C@5."
        )
    hits = [
        RunHits(source.label, first_values[0, has_text] == 1, second_values[0, has_text] == 1)
        for source, first_values, second_values in tables
    ]
    within = restricted(inputs, has_text)
    return correctness_charts.outcome_result(
        outcomes_by_length(n_characters[has_text], hits, groups=within.groups),
        nouns_of(within),
        runs=(runs[0].name, runs[1].name),
        measure=measure.name,
    )


def _positives(inputs: DirectionInputs) -> NDArray[np.int64]:
    return positives_by_query(inputs, inputs.labels.whole)


def _texts(items: list[int]) -> dict[int, str]:
    """The texts of some items; several of one item are put together."""
    parts = Part.objects.filter(item__in=items, kind=Part.Kind.TEXT).order_by("position")
    texts = dict.fromkeys(items, "")
    for item, text in parts.values_list("item_id", "text"):
        texts[item] = f"{texts[item]} {text}".strip()
    return texts


ANALYSES = [
    Analysis(
        name="positives-per-query",
        chapter=CHAPTER,
        question="How many positives does a query have?",
        paper="FIRE, Figure 11; ECCV Caption, Figure 3 (a)",
        definition=(
            "Of each query of the set the targets whose grade reaches the threshold are counted, "
            "by the chosen label source and by each of its parts alone: reference sets, people. "
            "Excluded items are left out. Means have the weights of drawn queries, and Student's "
            "95 % interval by groups of queries; quartiles are linear between neighbours."
        ),
        find=positives,
        function=positives_per_query,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/test_positives.py",
        choices=OF_LABELS,
    ),
    Analysis(
        name="positives-by-length",
        chapter=CHAPTER,
        question="Do shorter texts have more positives?",
        paper="FIRE, Figure 2",
        definition=(
            "Queries are counted by the number of words of their text, parted by white space, and "
            "by their positives. The ratio is the mean of the shortest fifth of the texts over "
            "that of the longest, with all texts of the length at its border; its 95 % interval "
            "is Student's on the logarithm, by groups of queries. Spearman's correlation has an "
            "interval on Fisher's z, with the standard error of 1,000 bootstrap samples of groups."
        ),
        find=lengths,
        function=positives_by_length,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/test_lengths.py",
        choices=OF_LABELS,
    ),
    Analysis(
        name="length-examples",
        chapter=CHAPTER,
        question="What do the shortest, usual and longest texts look like?",
        paper="FIRE, Tables 5 and 6",
        definition=(
            "Five texts each, drawn from the hundred shortest, the hundred in the middle, and the "
            "hundred longest. The seed is a hash of the lengths, so the same collection shows the "
            "same texts."
        ),
        find=examples,
        function=length_examples,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/test_lengths.py",
        choices=OF_LABELS,
    ),
    Analysis(
        name="outcomes-by-length",
        chapter=CHAPTER,
        question="Which of two runs is right on short texts, and which on long ones?",
        paper="FIRE, Figure 3",
        definition=(
            "Of the queries with a text of so many characters, the shares on which the measure is "
            "1 for both runs, for one alone, or for neither; a query that a run misses counts 0. "
            "By the chosen label source, and by its reference sets alone. Bins are of one width "
            "(1, 2, 5, 10, 20, ...), eight at most; the last holds all longer texts. Intervals "
            "are Wilson's at 95 %, with an effective number of queries where they are of groups."
        ),
        find=outcomes,
        function=outcomes_by_length,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/test_correctness.py",
        choices=OF_RUNS,
        measure="C@5",
        n_runs=2,
    ),
]
