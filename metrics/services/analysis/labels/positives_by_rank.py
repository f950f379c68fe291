"""The ranks at which runs have the positives of their queries."""

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from metrics.charts.analyses.labels.positives_by_rank import ORIGINS, RankedRun, by_rank_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.positives_by_rank import (
    CUT,
    RankedPositives,
    positives_by_rank,
)
from metrics.core.labels.label_sources import Grades, LabelSource, People, no_grades
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    name_of,
    nouns_with_propagation,
    people_parts_of,
    runs_of,
    source_grades,
    with_sample_note,
)
from metrics.services.analysis.run_ranks import ranked_tables
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from metrics.services.scores.labels import PeopleParts
from metrics.services.scores.propagation import mask_of
from pooling.models import Run

REFERENCE, BOTH, PEOPLE, PROPAGATED = 0, 1, 2, 3  # positions in ORIGINS


def by_rank(request: AnalysisRequest) -> AnalysisResult:
    """Positives of each chosen run by rank, and how deep people judged it."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=1)
    parts = people_parts_of(inputs)
    positives = _positives(inputs, parts)
    source = LabelSource.parse(inputs.spec.label_source)
    nouns = nouns_with_propagation(
        inputs, parts, "They are no labels: judged are pairs with a grade of their own."
    )
    nouns = with_sample_note(nouns, inputs)
    if not len(positives.grade):
        raise NotDefined(f"None of the {nouns.queries} has a positive by {source.label} yet.")
    runs_positives = []
    for number, run in enumerate(runs, start=1):
        runs_positives.append(_ranked_positives(inputs, run, positives, parts.own))
        request.report_progress(number, len(runs), "runs")
    deepest = max(int(row.depth.max()) for row in runs_positives)
    rows = [
        RankedRun(
            name_of(run),
            positives_by_rank(row, groups=inputs.groups, n_origins=len(ORIGINS), deepest=deepest),
        )
        for run, row in zip(runs, runs_positives, strict=True)
    ]
    notes = list(nouns.notes)
    for run_row, row in zip(rows, runs_positives, strict=True):
        n_missing = int(np.count_nonzero(row.depth == 0))
        if n_missing:
            notes.append(
                f"Run {run_row.name} does not answer {n_missing:,} of the {nouns.queries}, whose "
                "positives are not in it."
            )
        if (most := int(row.depth.max())) <= CUT:
            notes.append(
                f"Run {run_row.name} has {counted(most, 'target')} a query at most: what would be "
                "further down is not known."
            )
    return by_rank_result(rows, nouns._replace(notes=notes), labels=source.label)


def _positives(inputs: DirectionInputs, parts: PeopleParts) -> Grades:
    """The positives of the chosen label source, each with its origin as grade.

    The reference is that of the source; where people are chosen alone, all sets of the collection.
    People's are their own; propagated are those that neither they nor the reference have.
    """
    whole, threshold = inputs.labels.whole, inputs.spec.threshold
    source = LabelSource.parse(inputs.spec.label_source)
    names = source.sets or labels.set_names(collection=inputs.collection)
    reference = source_grades(inputs, LabelSource.of(People.NONE, names)) if names else no_grades()
    positives = _where(whole, whole.grade >= threshold)
    is_of_people, is_of_reference = (
        mask_of(positives, _where(grades, grades.grade >= threshold))
        for grades in (parts.own, reference)
    )
    origin = np.select(
        [is_of_people & is_of_reference, is_of_people, is_of_reference],
        [BOTH, PEOPLE, REFERENCE],
        default=PROPAGATED,
    )
    return positives._replace(grade=origin)


def _where(grades: Grades, keep: NDArray[np.bool_]) -> Grades:
    return Grades(*(values[keep] for values in grades))


def _ranked_positives(
    inputs: DirectionInputs, run: Run, positives: Grades, people: Grades
) -> RankedPositives:
    """The ranks of a run's positives, whose grade is their origin, and of judged targets."""
    of_positives, of_people = ranked_tables(inputs, run, [positives, people])
    rank = np.zeros(len(of_positives.label_row), dtype=np.int64)
    rank[of_positives.label] = of_positives.rank
    return RankedPositives(
        query=of_positives.label_query,
        rank=rank[of_positives.label_row],
        origin=of_positives.label_grade,
        judged_rank=of_people.rank,
        depth=of_positives.depth,
    )
