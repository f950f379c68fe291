"""Measuring runs for a chosen leaderboard: values per query, bounds, judged shares, differences."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.core import measures, ranking
from metrics.core.alignment import RankedGrades
from metrics.core.bounds import bounds, has_bounds
from metrics.core.groups import Design, Groups, design
from metrics.core.intervals import NO_INTERVAL, Interval, mean_intervals
from metrics.core.label_sources import Grades, LabelSource
from metrics.core.measures import Measure
from metrics.core.stratified_means import StratifiedDraw, stratified_intervals
from metrics.services import labels, measuring
from metrics.services.labels import EvaluationScope, Ids
from metrics.services.leaderboard_choices import THESE, LeaderboardSpec
from metrics.services.leaderboard_decisions import ALPHA, decision_facts
from metrics.services.leaderboard_labels import LeaderboardLabels, labelled_scope
from metrics.services.query_groups import GroupFacts, draw_of, facts_of, groups_of
from metrics.services.ranks import RunMatrix, matrix_of, ranked_grades_and_counts, sources_per_chunk
from metrics.services.sample_estimates import EstimateKind, estimate_on_samples
from metrics.services.sampled_pools import UndrawnPairs, undrawn_of
from pooling.models import Run

_UNDECIDED = {
    EstimateKind.APPROXIMATE: "an approximate estimate, whose bias tells no runs apart",
    EstimateKind.NOT_ESTIMABLE: "it counts what a sample did not draw as irrelevant",
}
JUDGED_AT = 10  # where a measure has no cut-off of its own
Matrix = NDArray[np.float64]
ProgressReporter = Callable[[int], None]


class DirectionInputs(NamedTuple):
    """The inputs of one direction of a leaderboard.

    draw : how the queries were drawn from others, if intervals are for those others; else None
    """

    collection: Collection
    spec: LeaderboardSpec
    query_set: QuerySet
    scope: EvaluationScope
    groups: Groups
    group_facts: GroupFacts
    labels: LeaderboardLabels
    undrawn: UndrawnPairs
    best_grade: int
    draw: StratifiedDraw | None

    @property
    def measures(self) -> list[Measure]:
        """The chosen measures, parsed from their names."""
        return measures.parse(" ".join(self.spec.measures))


class RunValues(NamedTuple):
    """One run's values: all (M, Q) but for the (Q,) arrays.

    whole : with the label source; reference : with the reference alone
    least, most : the bounds of `whole`, whatever the unjudged targets that the run returned, and
        the unjudged pairs of the pools, turn out to be; NaN for measures without bounds
    judged : (M + 1, Q) share of the first k that is judged, k the measure's cut-off or 10; the last
        row has k = 10
    has_positive : which queries have a positive target; depth : how many targets the run holds for
        each
    """

    whole: Matrix
    reference: Matrix | None
    least: Matrix
    most: Matrix
    judged: Matrix
    has_positive: NDArray[np.bool_]
    depth: NDArray[np.int64]

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """(Q,) mask of the queries that the run does not hold."""
        return self.depth == 0


def direction_inputs(*, collection: Collection, spec: LeaderboardSpec, query_set: QuerySet) -> DirectionInputs:
    """Read the queries and labels of one direction."""
    whole_scope = labels.scope_of(query_set=query_set)
    scope, direction_labels = labelled_scope(collection=collection, spec=spec, scope=whole_scope)
    best_grade = max(labels.best_grade(collection=collection), spec.threshold)
    arguments = {"direction": scope.direction, "sources": scope.sources, "whole": whole_scope.sources}
    groups, facts = groups_of(collection=collection, **arguments), facts_of(collection=collection, **arguments)
    source = LabelSource.parse(spec.label_source)
    undrawn = undrawn_of(collection=collection, scope=scope, labelled=direction_labels.whole, source=source)
    is_whole = spec.target == THESE and len(scope.sources) == len(whole_scope.sources)
    draw = draw_of(collection=collection, direction=scope.direction, sources=scope.sources) if is_whole else None
    return DirectionInputs(collection, spec, query_set, scope, groups, facts, direction_labels, undrawn, best_grade, draw)


def measure_run(*, inputs: DirectionInputs, run: Run) -> RunValues:
    """Measure one run; its rankings are read in chunks."""
    n_queries = len(inputs.scope.sources)
    matrix = matrix_of(run)
    step = sources_per_chunk(matrix=matrix, limit=measuring.CHUNK)
    parts = (inputs.scope.sources[start : start + step] for start in range(0, n_queries, step))
    chunks = [_measure_chunk(inputs, run, matrix, sources) for sources in parts]
    if not chunks:
        empty = np.zeros((len(inputs.measures) + 1, 0))
        reference = None if inputs.labels.reference is None else empty[1:]
        no_query, depth = np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64)
        return RunValues(empty[1:], reference, empty[1:], empty[1:], empty, no_query, depth)
    return RunValues(*(None if part[0] is None else np.concatenate(part, axis=-1) for part in zip(*chunks, strict=True)))


def _measure_chunk(inputs: DirectionInputs, run: Run, matrix: RunMatrix | None, sources: Ids) -> RunValues:
    threshold, direction_labels = inputs.spec.threshold, inputs.labels
    grades = [direction_labels.whole] if direction_labels.reference is None else [direction_labels.whole, direction_labels.reference]
    tables = [measuring.labels_by_position(table, sources) for table in grades]
    pooled = measuring.labels_by_position(direction_labels.unjudged, sources)
    (whole, *reference), n_ranked_pairs = ranked_grades_and_counts(
        run=run, matrix=matrix, scope=inputs.scope, sources=sources, tables=tables, pairs=pooled
    )
    elsewhere = np.bincount(pooled.query, minlength=len(sources)) - n_ranked_pairs

    def values(ranked: RankedGrades, labels: Grades) -> Matrix:
        values_by_name = measures.evaluate(measures.with_scale(inputs.measures, labels.grade), ranked, threshold)
        return np.array([values_by_name[measure.name] for measure in inputs.measures], dtype=np.float64)

    scaled = measures.with_scale(inputs.measures, direction_labels.whole.grade)
    ends = [_bounds(inputs, measure, whole, elsewhere) for measure in scaled]
    judged = {k: ranking.judged(whole, k=k) for k in {JUDGED_AT, *map(judged_at, inputs.measures)}}
    return RunValues(
        whole=values(whole, direction_labels.whole),
        reference=values(reference[0], grades[1]) if reference else None,
        least=np.array([low for low, _ in ends]),
        most=np.array([high for _, high in ends]),
        judged=np.array([judged[k] for k in [*map(judged_at, inputs.measures), JUDGED_AT]]),
        has_positive=ranking.positives(whole, threshold).total > 0,
        depth=whole.depth,
    )


def _bounds(
    inputs: DirectionInputs, measure: Measure, ranked: RankedGrades, elsewhere: Ids
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not has_bounds(measure):
        no_bounds = np.full(len(ranked.depth), np.nan)
        return no_bounds, no_bounds
    arguments = {"best_grade": inputs.best_grade, "threshold": inputs.spec.threshold}
    return bounds(measure, ranked, elsewhere=elsewhere, **arguments)


def judged_at(measure: Measure) -> int:
    """Return the k of the judged share beside a measure."""
    has_ranks = measure.cutoff is not None and measure.entry.cutoff != "recall"
    return int(measure.cutoff) if has_ranks and measure.cutoff else JUDGED_AT


def summary(*, inputs: DirectionInputs, runs: Sequence[Run], report_progress: ProgressReporter, alpha: float = ALPHA) -> dict[str, Any]:
    """Return the numbers of one direction's page as JSON.

    alpha : level of the tests for differences
    """
    run_values = []
    for number, run in enumerate(runs, start=1):
        run_values.append(measure_run(inputs=inputs, run=run))
        report_progress(number)
    run_keys, kinds = [run.pk for run in runs], replace_by_estimates(inputs=inputs, runs=runs, run_values=run_values)
    gallery = labels.gallery_of(query_set=inputs.query_set, scope=inputs.scope)
    is_missing = np.array([values.is_missing for values in run_values]).T
    return {
        "query_set": inputs.query_set.pk,
        "n_queries": len(inputs.scope.sources),
        "n_positive": int(np.count_nonzero(inputs.labels.whole.grade >= inputs.spec.threshold)),
        "gallery": gallery_facts(gallery.n, gallery.at),
        "groups": inputs.group_facts._asdict(),
        "undrawn": inputs.undrawn.facts(),
        "runs": run_keys,
        "n_missing": [int(np.count_nonzero(values.is_missing)) for values in run_values],
        "judged": [_average(None, values.judged[-1], inputs.groups) for values in run_values],
        "measures": [
            facts_on_samples(
                {
                    "name": measure.name,
                    "judged_at": judged_at(measure),
                    "smaller_is_better": measure.entry.smaller_is_better,
                    "cells": _cells(inputs, measure, row, run_values, kind),
                    "decided": decision_facts(
                        measure,
                        np.array([values.whole[row] for values in run_values]).T,
                        run_keys,
                        groups=inputs.groups,
                        method=inputs.spec.method,
                        alpha=alpha,
                        missing=inputs.spec.missing,
                        is_missing=is_missing,
                        n_measures=len(inputs.measures),
                    ),
                },
                kind=kind,
            )
            for row, (measure, kind) in enumerate(zip(inputs.measures, kinds, strict=True))
        ],
    }


def replace_by_estimates(*, inputs: DirectionInputs, runs: Sequence[Run], run_values: Sequence[RunValues]) -> list[EstimateKind]:
    """Put estimates in place of values that count the undrawn as irrelevant.

    Return a kind per measure.
    """
    estimated = estimate_on_samples(
        collection=inputs.collection,
        scope=inputs.scope,
        labelled=inputs.labels.whole,
        reference=inputs.labels.reference,
        undrawn=inputs.undrawn,
        runs=runs,
        measures=inputs.measures,
        threshold=inputs.spec.threshold,
    )
    for values, estimates in zip(run_values, estimated.values, strict=True):
        for row, estimate in estimates.items():
            values.whole[row] = estimate
    return estimated.kinds


def facts_on_samples(facts: dict[str, Any], *, kind: EstimateKind) -> dict[str, Any]:
    """Drop a measure's numbers that are undefined if some of its ranks were not drawn."""
    facts |= {"kind": kind}
    if kind == EstimateKind.EXACT:
        return facts
    blanks = dict.fromkeys(("least", "most", "defined"))
    if kind == EstimateKind.UNBIASED:
        decision = facts["decided"]
        if any(cell["whole"] is None for cell in facts["cells"]):
            decision = {"why": "a stratum of which nothing is judged yet", "groups": [], "pairs": []}
        return facts | {"cells": [cell | blanks for cell in facts["cells"]], "decided": decision}
    blanks |= dict.fromkeys(("low", "high", "icc", "deff"))
    decision = {"why": _UNDECIDED[kind], "groups": [], "pairs": []}
    return facts | {"cells": [cell | blanks for cell in facts["cells"]], "decided": decision}


def gallery_facts(n: int | None, at: datetime | None) -> dict[str, Any]:
    """The gallery as JSON: the number of targets, and when the last of them joined."""
    return {"n": n, "at": at.isoformat() if at else None}


def group_facts(*, collection: Collection, scope: EvaluationScope) -> dict[str, Any]:
    """The groups of the queries as JSON."""
    return facts_of(collection=collection, direction=scope.direction, sources=scope.sources)._asdict()


def design_facts(measure: Measure, values: NDArray[np.float64], groups: Groups) -> dict[str, float | None]:
    """Intraclass correlation and design effect of one run's values, as JSON.

    Null for a median or if undefined.
    """
    is_defined = measure.is_mean and np.isfinite(values).all()
    return (design(values, groups) if is_defined else Design(None, None))._asdict()


def _cells(inputs: DirectionInputs, measure: Measure, row: int, run_values: list[RunValues], kind: EstimateKind) -> list[dict[str, Any]]:
    """Return a cell per run; undefined numbers are null."""
    intervals, cells = _intervals(inputs, measure, np.array([values.whole[row] for values in run_values]), kind), []
    groups = inputs.groups
    for values, (low, high) in zip(run_values, intervals, strict=True):
        cells.append(
            {
                "whole": _average(measure, values.whole[row], groups),
                "reference": None if values.reference is None else _average(measure, values.reference[row], groups),
                "low": low,
                "high": high,
                "least": _average(measure, values.least[row], groups),
                "most": _average(measure, values.most[row], groups),
                "judged": _average(None, values.judged[row], groups),
                "defined": _average(measure, values.whole[row][values.has_positive], groups.within(values.has_positive)),
                "n_defined": int(np.count_nonzero(values.has_positive)),
                "beyond": _list_end(measure, values, row, groups),
                **design_facts(measure, values.whole[row], inputs.groups),
            }
        )
    return cells


def _intervals(inputs: DirectionInputs, measure: Measure, values: Matrix, kind: EstimateKind) -> list[Interval]:
    """Return an interval per run; empty for a median and if some value is undefined.

    values : (S, Q)
    """
    if not measure.is_mean or not len(values):
        return [NO_INTERVAL] * len(values)
    if inputs.spec.target == THESE:
        if inputs.draw is None or kind != EstimateKind.EXACT:
            return [NO_INTERVAL] * len(values)
        return stratified_intervals(values, inputs.draw, are_shares=measure.is_share)
    are_shares = measure.is_share and kind == EstimateKind.EXACT  # a query's estimate may lie outside 0 to 1
    return mean_intervals(values, are_shares=are_shares, groups=inputs.groups)


def _average(measure: Measure | None, values: NDArray[np.float64], groups: Groups) -> float | None:
    if not len(values):
        return None
    average = float(groups.mean(values)) if measure is None else measure.average(values, weight=groups.weight)
    return average if np.isfinite(average) else None


def _list_end(measure: Measure, values: RunValues, row: int, groups: Groups) -> int | None:
    """Return the length of the run's lists if the measure needs a rank beyond it; else None."""
    needs_more = bool(len(values.depth)) and np.isinf(measure.average(values.whole[row], weight=groups.weight))
    return int(values.depth.max()) if needs_more else None
