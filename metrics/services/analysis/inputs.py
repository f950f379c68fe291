"""The inputs of analyses from the database: labels of one direction, texts, values of runs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef
from numpy.typing import NDArray

from annotate.core.phrases import counted, enumeration, first_few
from annotate.models import Annotator, Collection, Direction, Judgment, QuerySet
from metrics.charts.analyses.nouns import Nouns
from metrics.core.labels.label_sources import Grades, LabelSource, People
from metrics.core.measures.measures import Measure
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.leaderboard import choice_values
from metrics.services.leaderboard.choice_values import DirectionInputs, RunValues
from metrics.services.samples.estimates import EstimateKind
from metrics.services.samples.notices import draw_sentence, sample_sentence
from metrics.services.samples.pools import has_samples, names_from_facts, undrawn_of
from metrics.services.scores import labels
from metrics.services.scores.labels import PeopleParts
from metrics.services.scores.propagation import propagation_sentence
from pooling.models import Run

NO_QUERIES = "The collection has no queries yet: load its items."
OWN_LABELS = "people only, without propagated grades"
OWN_NOTE = "“Without propagated grades” are only labels that people gave to the pair itself."
NEED_NO_POSITIVE = ("Judged", "RBPres")  # measures of what is judged, which look for no positive
MOST_SETS = 5  # of reference sets with a series or column of their own


def pooled_note(runs: Sequence[Run]) -> str:
    """Tell which of some runs an opened pool has, as labels may favour them; one run or more."""
    keys = [run.pk for run in runs]
    pooled_runs = Run.objects.filter(pk__in=keys, pools__opened_at__isnull=False)
    pool_keys = set(pooled_runs.values_list("pk", flat=True))
    outside = [name_of(run) for run in runs if run.pk not in pool_keys]
    if not pool_keys:
        return "No opened pool has any of these runs."
    if not outside:
        return "All of these runs are in opened pools: labels may favour them over new ones."
    return f"In no opened pool, so that labels may favour the other runs: {first_few(outside)}."


def direction_inputs(request: AnalysisRequest) -> DirectionInputs:
    """Read the queries and labels; raises NotDefined without a query."""
    spec = request.spec
    direction = Direction(spec.direction)
    query_sets = QuerySet.objects.filter(collection=request.collection)
    if not query_sets:
        raise NotDefined(NO_QUERIES)
    query_set = query_sets.filter(name=spec.scores.query_set, direction=direction).first()
    if query_set is None:
        raise NotDefined(
            f"The query set “{spec.scores.query_set}” has no {direction.sources} in this "
            "direction: choose another one."
        )
    inputs = choice_values.direction_inputs(
        collection=request.collection, spec=spec.scores, query_set=query_set
    )
    if not len(inputs.scope.sources):
        raise NotDefined(f"The query set “{query_set.name}” has no {direction.sources} left.")
    return inputs


def nouns_of(
    inputs: DirectionInputs, *, n_without_text: int = 0, has_propagation: bool = True
) -> Nouns:
    """The nouns and numbers of the queries, and notes on their groups and their draw.

    n_without_text : of the queries that are left out
    has_propagation : with a note on propagated grades, which are read for it if there are any
    """
    facts = inputs.group_facts
    notes = []
    if n_without_text:
        verb = "has" if n_without_text == 1 else "have"
        notes.append(f"{n_without_text:,} of the {facts.queries} {verb} no text: left out.")
    if facts.n_population is not None:
        notes.append(
            f"The {facts.queries} were drawn of {facts.n_population:,} for pool “{facts.pool}”: "
            "means and shares stand for all of those; counts, medians and bars are of the drawn."
        )
    notes += [note for note in (facts.choice, facts.caution) if note]
    if has_propagation and (note := propagation_sentence(inputs.n_propagated)):
        notes.append(note)
    if LabelSource.parse(inputs.spec.label_source).has_people:
        notes += [*ungraded_query_notes(inputs), *program_notes(inputs.collection)]
    return Nouns(facts.queries, facts.text, notes)


def ungraded_query_notes(inputs: DirectionInputs) -> list[str]:
    """A sentence on the queries without any grade by people; empty where all have one."""
    sources = inputs.scope.sources
    n = int(np.count_nonzero(~np.isin(sources, people_parts_of(inputs).whole.source)))
    queries = f"the {len(sources):,} {inputs.group_facts.queries}"
    if not n:
        return []
    if n == len(sources):
        return [f"None of {queries} has a grade by people."]
    return [f"{n:,} of {queries} {'has' if n == 1 else 'have'} no grade by people."]


def program_notes(collection: Collection) -> list[str]:
    """A sentence on models and simulations whose labels stand among people's; empty without."""
    programs = Annotator.objects.filter(
        Exists(Judgment.objects.filter(annotator=OuterRef("pk"))),
        collection=collection,
        origin__in=(Annotator.Origin.SIMULATED, Annotator.Origin.MODEL),
    )
    n = programs.count()
    if not n:
        return []
    are = "is a model or a simulation" if n == 1 else "are models or simulations"
    return [f"Of those who gave people's labels, {counted(n, 'annotator')} {are}."]


def with_sample_note(nouns: Nouns, inputs: DirectionInputs, *, of: str = "these numbers") -> Nouns:
    """Add the note that positives of what a sample did not draw are not counted, where it is so.

    of : the numbers that do not count them, a noun in the plural
    """
    if not inputs.undrawn:
        return nouns
    samples = names_from_facts(inputs.undrawn.facts() or {})
    return nouns._replace(notes=[*nouns.notes, sample_sentence(samples, of)])


def with_draw_note(nouns: Nouns, inputs: DirectionInputs) -> Nouns:
    """Add the note that people's labels are of drawn pairs, where pools left others undrawn."""
    if not has_samples(collection=inputs.collection):
        return nouns
    undrawn = undrawn_of(
        collection=inputs.collection,
        scope=inputs.scope,
        labels=people_parts_of(inputs).whole,
        source=LabelSource.of(People.ONLY),
    )
    names = names_from_facts(undrawn.facts() or {})
    return nouns._replace(notes=[*nouns.notes, draw_sentence(names)]) if names else nouns


def no_positive_notes(inputs: Sequence[DirectionInputs], measures: Sequence[Measure]) -> list[str]:
    """Sentences on queries without a positive, by what the measures make of them; empty if none.

    inputs : of one direction and label source, such as folds, whose queries are counted together
    """
    spec = inputs[0].spec
    source = LabelSource.parse(spec.label_source)
    names_by_rule: dict[tuple[float, bool], list[str]] = {}
    for measure in measures:
        if measure.family in NEED_NO_POSITIVE:
            continue
        # graded measures gain from every grade above 0
        level = max(measure.threshold(spec.threshold), 0) if measure.entry.binary else 1
        rule = (level, measure.entry.smaller_is_better)
        names_by_rule.setdefault(rule, []).append(measure.name)
    queries, notes = inputs[0].group_facts.queries, []
    n_queries = sum(len(part.scope.sources) for part in inputs)
    for (level, is_rank), names in names_by_rule.items():
        n = n_queries
        for part in inputs:
            grades = part.labels.whole
            is_positive = grades.grade >= level
            n -= int(np.isin(part.scope.sources, grades.source[is_positive]).sum())
        positive = "positive" if level == spec.threshold else f"grade from {level:g} up"
        verb, pronoun = ("has", "it") if n == 1 else ("have", "each")
        subject = f"{n:,} of the {n_queries:,} {queries} {verb} no {positive}"
        if n == n_queries:
            subject, pronoun = f"None of the {queries} has a {positive}", "each"
        names_text = enumeration(names)
        outcome = f"{pronoun} counts 0 by {names_text} for every run"
        if is_rank:
            verb, pronoun = "leaves" if len(names) == 1 else "leave", "it" if n == 1 else "them"
            outcome = f"{names_text} {verb} {pronoun} out"
        notes += [f"{subject} by {source.label}: {outcome}."] * (n > 0)
    return notes


def positives_by_query(inputs: DirectionInputs, grades: Grades) -> NDArray[np.int64]:
    """(Q,) number of positive targets of each query by these labels, all within the scope."""
    is_positive = grades.grade >= inputs.spec.threshold
    position = np.searchsorted(inputs.scope.sources, grades.source[is_positive])
    return np.bincount(position, minlength=len(inputs.scope.sources))


class SourceParts(NamedTuple):
    """The parts of a label source by themselves: each reference set, and people.

    sources : the first reference sets, then people if they are part of it
    notes : a sentence on the reference sets beyond those
    """

    sources: list[LabelSource]
    notes: list[str]


def parts_of(source: LabelSource) -> SourceParts:
    """The parts of a label source; itself where it has but one."""
    sources = [LabelSource.of(People.NONE, [name]) for name in source.sets[:MOST_SETS]]
    if source.has_people:
        sources.append(LabelSource.of(People.ONLY))
    further = ", ".join(f"“{name}”" for name in source.sets[MOST_SETS:])
    return SourceParts(sources, [f"Not shown by themselves: {further}."] if further else [])


def source_grades(inputs: DirectionInputs, source: LabelSource) -> Grades:
    """Read the labels of another source, within the scope of the inputs."""
    grades = labels.labels_of(
        collection=inputs.collection,
        direction=inputs.scope.direction,
        label_source=source,
        people=people_parts_of(inputs).whole if source.has_people else None,
    )
    return labels.within(grades, inputs.scope)


def people_parts_of(inputs: DirectionInputs) -> PeopleParts:
    """People's own grades and propagated ones, within the scope of the inputs.

    They are read where the chosen label source did without them.
    """
    if inputs.labels.people is not None:
        return inputs.labels.people
    parts = labels.people_parts(collection=inputs.collection, direction=inputs.scope.direction)
    return PeopleParts(*(labels.within(part, inputs.scope) for part in parts))


def nouns_with_propagation(inputs: DirectionInputs, parts: PeopleParts, sentence: str) -> Nouns:
    """The nouns, with how many grades are propagated and where they count, if there are any."""
    nouns = nouns_of(inputs, has_propagation=False)
    n = len(parts.propagated.grade)
    if not n:
        return nouns
    return nouns._replace(notes=[*nouns.notes, propagation_sentence(n), sentence])


def runs_of(request: AnalysisRequest, *, least: int) -> list[Run]:
    """Read the chosen runs by name; raises NotDefined for fewer than `least`."""
    runs = Run.objects.in_use().filter(
        collection=request.collection,
        pk__in=request.spec.scores.runs,
        direction=request.spec.direction,
    )
    rows = list(runs.order_by("name", "pk"))
    if len(rows) < least:
        have = f"{counted(len(rows), 'run')} {'is' if len(rows) == 1 else 'are'} chosen"
        raise NotDefined(f"It takes {counted(least, 'run')} of this direction; {have}.")
    return rows


def name_of(run: Run) -> str:
    """The name of a run, marked where only some may know of it."""
    return f"{run.name} (hidden)" if run.is_hidden else run.name


def names_of(runs: Sequence[Run]) -> list[str]:
    """The names of runs, each once: two hidden runs of different people may have one name."""
    names = [name_of(run) for run in runs]
    return [
        f"{name} ({names[:number].count(name) + 1})" if name in names[:number] else name
        for number, name in enumerate(names)
    ]


def refuse_estimates(inputs: DirectionInputs, runs: Sequence[Run]) -> None:
    """Raise NotDefined where the leaderboard estimates scores of the runs, as of a sample."""
    if inputs.undrawn:
        exact_values(inputs, runs)


def exact_values(inputs: DirectionInputs, runs: Sequence[Run]) -> list[RunValues]:
    """Measure the runs; raises NotDefined where a value counts what a sample did not draw."""
    run_values = [choice_values.measure_run(inputs=inputs, run=run) for run in runs]
    kinds = choice_values.replace_by_estimates(inputs=inputs, runs=runs, run_values=run_values)
    of_kinds = zip(inputs.measures, kinds, strict=True)
    if names := [measure.name for measure, kind in of_kinds if kind != EstimateKind.EXACT]:
        verb, needs = ("counts", "it needs") if len(names) == 1 else ("count", "they need")
        looks = "it looks" if len(names) == 1 else "they look"
        raise NotDefined(
            f"{first_few(names)} of a single query {verb} as irrelevant what a sample did not "
            f"draw: {needs} labels of all the ranks that {looks} at."
        )
    return run_values
