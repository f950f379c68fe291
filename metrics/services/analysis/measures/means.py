"""Averages of the chosen runs by the chosen measures, as the leaderboard has them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted, first_few
from metrics.charts.analyses.measures.run_scores import RunScores
from metrics.charts.decision_notes import missed_text
from metrics.core.analyses.measures.run_orders import RunMean, run_means
from metrics.core.measures.measures import Measure
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    name_of,
    names_of,
    no_positive_notes,
    nouns_of,
    runs_of,
)
from metrics.services.leaderboard import choice_values
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.samples.estimates import EstimateKind
from pooling.models import Run

MOST_NAMED = 4


class MeasuredRuns(NamedTuple):
    """Averages of runs.

    means : a list for each measure, over the runs; kinds : one per measure
    depths : of each run (Q,) targets that it ranks for each query, 0 for one that it misses
    """

    means: list[list[RunMean]]
    kinds: list[EstimateKind]
    depths: list[NDArray[np.int64]]

    @property
    def n_missing(self) -> list[int]:
        """The number of queries that each run misses."""
        return [int(np.count_nonzero(depth == 0)) for depth in self.depths]

    def defined(self, measures: Sequence[Measure]) -> list[Measure]:
        """Those of the measures that are not left out and have an average of some run."""
        rows = zip(measures, self.kinds, self.means, strict=True)
        return [
            measure
            for measure, kind, means in rows
            if kind.is_estimable and any(mean.value is not None for mean in means)
        ]


def measured_runs(inputs: DirectionInputs, runs: Sequence[Run]) -> MeasuredRuns:
    """Average the measures of the inputs over the queries of each run."""
    run_values = [choice_values.measure_run(inputs=inputs, run=run) for run in runs]
    kinds = choice_values.replace_by_estimates(inputs=inputs, runs=runs, run_values=run_values)
    values = np.array([row.whole for row in run_values])
    means = [
        run_means(
            values[:, row],
            measure,
            groups=inputs.groups,
            with_intervals=kind == EstimateKind.EXACT,
        )
        for row, (measure, kind) in enumerate(zip(inputs.measures, kinds, strict=True))
    ]
    return MeasuredRuns(means, kinds, [row.depth for row in run_values])


def scores_by_measure(request: AnalysisRequest) -> RunScores:
    """The averages of two runs or more by two measures or more; raises NotDefined for fewer.

    A measure that takes what a sample did not draw for irrelevant is left out, with a note.
    """
    inputs = direction_inputs(request)
    runs = runs_of(request, least=2)
    if len(inputs.measures) < 2:
        raise NotDefined(
            f"It takes two measures: beside {inputs.measures[0].name} write another one, as in "
            "“C@1 AP”."
        )
    measured = measured_runs(inputs, runs)
    is_right = [kind.is_estimable for kind in measured.kinds]
    if sum(is_right) < 2:
        raise NotDefined(
            "All but one of these measures count as irrelevant what a sample did not draw: choose "
            "P@k, RBP, AP or nDCG, which are estimated."
        )
    measures = [measure for measure, right in zip(inputs.measures, is_right, strict=True) if right]
    by_measure = [means for means, right in zip(measured.means, is_right, strict=True) if right]
    nouns = nouns_of(inputs)
    return RunScores(
        runs=names_of(runs),
        columns=[measure.name for measure in measures],
        keys=[measure.name for measure in measures],
        means=[list(means) for means in zip(*by_measure, strict=True)],
        smaller_is_better=[measure.entry.smaller_is_better for measure in measures],
        extent=nouns.extent,
        notes=[
            *nouns.notes,
            *sample_notes(inputs.measures, measured.kinds),
            *undefined_notes(runs, [(inputs, measured)], measures),
            *no_positive_notes([inputs], measured.defined(inputs.measures)),
            *missing_notes(
                runs,
                measured.n_missing,
                nouns.queries,
                outcome=f"count {missed_text(measures)}",
            ),
        ],
    )


def undefined_notes(
    runs: Sequence[Run],
    parts: Sequence[tuple[DirectionInputs, MeasuredRuns]],
    measures: Sequence[Measure],
) -> list[str]:
    """Sentences on ranks without an average of some run, and why; empty where all have one.

    parts : folds of one direction, or all of it; measures : those that are shown
    """
    notes = []
    for row, measure in enumerate(parts[0][0].measures):
        names = [
            name_of(run)
            for run, *means in zip(runs, *(part[1].means[row] for part in parts), strict=True)
            if any(mean.value is None for mean in means)
        ]
        if names and measure in measures and not measure.is_share:
            reason = undefined_reason(measure, [inputs for inputs, _ in parts])
            notes.append(f"{measure.name} is not defined for {first_few(names)}: {reason}.")
    return notes


def undefined_reason(measure: Measure, parts: Sequence[DirectionInputs]) -> str:
    """The reason for which a measure of ranks has no average over one of these parts."""
    level = measure.threshold(parts[0].spec.threshold)
    queries = f"{parts[0].group_facts.queries}{' of a fold' * (len(parts) > 1)}"
    if not all((part.labels.whole.grade >= level).any() for part in parts):
        return f"none of the {queries} has a positive"
    without = f"{queries} have no positive in the run's lists"
    if measure.is_mean:
        return f"some {without}, whose ranks nobody knows"
    return f"its median falls on ranks that nobody knows, as many {without}"


def sample_notes(measures: Sequence[Measure], kinds: Sequence[EstimateKind]) -> list[str]:
    """Sentences on measures that a sample touches: left out, or estimated."""
    notes = []
    rows = list(zip(measures, kinds, strict=True))
    if names := [measure.name for measure, kind in rows if not kind.is_estimable]:
        notes.append(
            f"Left out, as they count as irrelevant what a sample did not draw: {', '.join(names)}."
        )
    estimates = (EstimateKind.UNBIASED, EstimateKind.APPROXIMATE)
    if names := [measure.name for measure, kind in rows if kind in estimates]:
        notes.append(f"Estimated from a sample, without an interval here: {', '.join(names)}.")
    return notes


def missing_notes(
    runs: Sequence[Run], n_missing: Sequence[int], queries: str, *, outcome: str
) -> list[str]:
    """A sentence on runs that miss queries; empty where none does.

    outcome : what becomes of these queries, after "which"
    """
    rows = [f"{name_of(run)} ({n:,})" for run, n in zip(runs, n_missing, strict=True) if n]
    if not rows:
        return []
    more = f" and {counted(len(rows) - MOST_NAMED, 'more run')}" if len(rows) > MOST_NAMED else ""
    return [f"Runs that miss {queries}, which {outcome}: {', '.join(rows[:MOST_NAMED])}{more}."]
