"""Positives of reference sets that people refused, with their texts and ranks."""

from collections.abc import Sequence

import numpy as np

from annotate.models import Resolution
from metrics.charts.analyses.labels.refusals import RefusedPair, refusals_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.refusals import NamedGrades, Refusals, refused_positives
from metrics.core.labels.label_sources import Grades, LabelSource, People, sorted_grades
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    name_of,
    nouns_with_propagation,
    people_parts_of,
    runs_of,
    source_grades,
    with_draw_note,
)
from metrics.services.analysis.labels.item_contents import item_summaries
from metrics.services.analysis.run_ranks import ranked_tables
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from pooling.models import Run

MOST_RUNS = 8  # whose ranks are listed
PROPAGATED = "Propagated"  # in place of a resolution's status
Pair = tuple[int, int]  # keys of source and target


def find(request: AnalysisRequest) -> AnalysisResult:
    """The pairs that a reference set calls positive and people do not, the worst first."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=0)[:MOST_RUNS]
    names = LabelSource.parse(inputs.spec.label_source).sets
    if not names:
        raise NotDefined("It takes a reference set: choose labels that have one.")
    references = [
        NamedGrades(name, source_grades(inputs, LabelSource.of(People.NONE, [name])))
        for name in names
    ]
    parts = people_parts_of(inputs)
    refusals, propagated = (
        refused_positives(
            grades,
            references,
            sources=inputs.scope.sources,
            threshold=inputs.spec.threshold,
            groups=inputs.groups,
        )
        for grades in parts
    )
    n_graded = sum(row.n_graded for row in refusals)
    sets = ", ".join(f"“{name}”" for name in names)
    if not any(len(row.source) for row in [*refusals, *propagated]):
        raise NotDefined(
            f"People refused none of the positives of {sets} that they graded ({n_graded:,})."
            if n_graded
            else f"People have graded no positive of reference {sets} of these queries yet."
        )
    nouns = nouns_with_propagation(
        inputs, parts, "They are no labels: people's numbers are without them."
    )
    return refusals_result(
        _pairs(inputs, runs, [*refusals, *propagated], parts.propagated),
        refusals,
        propagated,
        with_draw_note(nouns, inputs),
        sides=labels.ends(inputs.scope.direction),
        runs=[name_of(run) for run in runs],
    )


def _pairs(
    inputs: DirectionInputs, runs: Sequence[Run], refusals: Sequence[Refusals], propagated: Grades
) -> list[RefusedPair]:
    """The refused pairs with their texts, labels and ranks: the most contradicted first."""
    columns = ("source", "target", "reference_grade", "grade")
    rows = [
        (row.name, *values)
        for row in refusals
        for values in zip(*(getattr(row, name).tolist() for name in columns), strict=True)
    ]
    pairs = sorted({(source, target) for _, source, target, *_ in rows})
    decisions = _decisions(inputs, pairs, propagated)
    ranks = _ranks(inputs, runs, pairs)
    items = item_summaries(sorted({item for pair in pairs for item in pair}))
    levels = dict(inputs.collection.levels.values_list("grade", "name"))
    refused_pairs = [
        RefusedPair(
            name,
            items[source],
            items[target],
            reference_grade,
            grade,
            levels.get(grade, f"Grade {grade}"),
            *decisions.get((source, target), (0, PROPAGATED)),
            ranks[source, target],
        )
        for name, source, target, reference_grade, grade in rows
    ]
    return sorted(
        refused_pairs,
        key=lambda pair: (
            pair.grade - pair.reference_grade,
            -pair.n_labels,
            pair.source.id,
            pair.target.id,
        ),
    )


def _decisions(
    inputs: DirectionInputs, pairs: Sequence[Pair], propagated: Grades
) -> dict[Pair, tuple[int, str]]:
    """The number of labels of each pair that has some of its own, and how they became a grade."""
    source, target = labels.ends(inputs.scope.direction)
    resolutions = Resolution.objects.filter(
        **{f"pair__{source}__in": sorted({pair[0] for pair in pairs})},
        collection=inputs.collection,
    )
    columns = (f"pair__{source}", f"pair__{target}", "n_labels", "status")
    propagated_pairs = set(zip(propagated.source.tolist(), propagated.target.tolist(), strict=True))
    status_names = {status.value: str(status.label) for status in Resolution.Status}
    listed_pairs = set(pairs)
    return {
        pair: (n_labels, PROPAGATED if pair in propagated_pairs else status_names[status])
        for *keys, n_labels, status in resolutions.values_list(*columns).iterator()
        if (pair := (keys[0], keys[1])) in listed_pairs
    }


def _ranks(
    inputs: DirectionInputs, runs: Sequence[Run], pairs: Sequence[Pair]
) -> dict[Pair, list[int | None]]:
    """The rank of each pair in each run; None where the run does not return it."""
    table = sorted_grades(np.array([(*pair, 0) for pair in pairs], dtype=np.int64))
    ranks = np.zeros((len(pairs), len(runs)), dtype=np.int64)
    for number, run in enumerate(runs):
        (ranked_pairs,) = ranked_tables(inputs, run, [table])
        ranks[ranked_pairs.label, number] = ranked_pairs.rank
    return {
        pair: [rank or None for rank in row]
        for pair, row in zip(pairs, ranks.tolist(), strict=True)
    }
