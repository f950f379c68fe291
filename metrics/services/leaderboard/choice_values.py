"""Measuring runs for a chosen leaderboard: values per query, bounds, judged shares, differences."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.charts.decision_notes import ALPHA
from metrics.core.labels.label_sources import Grades, LabelSource
from metrics.core.measures import measures, ranking
from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.bounds import bounds, has_bounds
from metrics.core.measures.measures import Measure
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals
from metrics.core.statistics.stratified_means import StratifiedDraw, stratified_intervals
from metrics.services.leaderboard.choices.choices import THESE, LeaderboardSpec
from metrics.services.leaderboard.chosen_labels import LeaderboardLabels, labelled_scope
from metrics.services.leaderboard.decisions import decision_facts
from metrics.services.leaderboard.facts import (
    JUDGED_AT,
    design_facts,
    facts_on_samples,
    gallery_facts,
    judged_at,
)
from metrics.services.samples.estimates import EstimateKind, estimate_on_samples
from metrics.services.samples.pools import UndrawnPairs, undrawn_of
from metrics.services.scores import labels, measuring
from metrics.services.scores.labels import EvaluationScope, Ids
from metrics.services.scores.query_groups import GroupFacts, draw_of, facts_of, groups_of
from metrics.services.scores.ranks import (
    RunMatrix,
    matrix_of,
    ranked_grades,
    ranked_grades_and_counts,
    sources_per_chunk,
)
from pooling.models import Run

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
    def n_propagated(self) -> int:
        """The pairs whose grade is propagated; 0 where people's labels are not of the source."""
        people = self.labels.people
        if people is None or not LabelSource.parse(self.spec.label_source).has_people:
            return 0
        return len(people.propagated.grade)

    @property
    def measures(self) -> list[Measure]:
        """The chosen measures, parsed from their names."""
        return measures.parse(" ".join(self.spec.measures))


class RunValues(NamedTuple):
    """One run's values: all (M, Q) but for the (Q,) arrays.

    whole : with the label source; reference : with the reference alone, for a table alone
    least, most : the bounds of `whole`, whatever the unjudged targets that the run returned, and
        the unjudged pairs of the pools, turn out to be; NaN for measures without bounds
    judged_shares : (M + 1, Q) share of the first k that is judged, k the measure's cut-off or 10;
        the last row has k = 10
    Only a table has bounds and shares: of comparisons and analyses they are NaN.
    has_positive : which queries have a positive target; depth : how many targets the run holds for
        each
    """

    whole: Matrix
    reference: Matrix | None
    least: Matrix
    most: Matrix
    judged_shares: Matrix
    has_positive: NDArray[np.bool_]
    depth: NDArray[np.int64]

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """(Q,) mask of the queries that the run does not hold."""
        return self.depth == 0


def direction_inputs(
    *,
    collection: Collection,
    spec: LeaderboardSpec,
    query_set: QuerySet,
    scope: EvaluationScope | None = None,
) -> DirectionInputs:
    """Read the queries and labels of one direction.

    scope : of several query sets together, the given one among them; None for that of its own
    """
    whole_scope = labels.scope_of(query_set=query_set) if scope is None else scope
    scope, direction_labels = labelled_scope(collection=collection, spec=spec, scope=whole_scope)
    best_grade = max(labels.best_grade(collection=collection), spec.threshold)
    direction, whole = scope.direction, whole_scope.sources
    groups = groups_of(
        collection=collection, direction=direction, sources=scope.sources, whole=whole
    )
    group_facts = facts_of(
        collection=collection, direction=direction, sources=scope.sources, whole=whole
    )
    source = LabelSource.parse(spec.label_source)
    undrawn = undrawn_of(
        collection=collection, scope=scope, labels=direction_labels.whole, source=source
    )
    draw = None
    if spec.target == THESE and len(scope.sources) == len(whole):
        draw = draw_of(collection=collection, direction=direction, sources=scope.sources)
    return DirectionInputs(
        collection=collection,
        spec=spec,
        query_set=query_set,
        scope=scope,
        groups=groups,
        group_facts=group_facts,
        labels=direction_labels,
        undrawn=undrawn,
        best_grade=best_grade,
        draw=draw,
    )


def restricted(inputs: DirectionInputs, is_included: NDArray[np.bool_]) -> DirectionInputs:
    """Restrict the inputs to some of the (Q,) queries; their labels stay as they are."""
    groups = inputs.groups.within(is_included)
    scope = inputs.scope._replace(sources=inputs.scope.sources[is_included])
    facts = inputs.group_facts._replace(
        n_queries=groups.n_queries, n_groups=groups.n, n_effective=groups.n_effective
    )
    return inputs._replace(scope=scope, groups=groups, group_facts=facts)


def measure_run(*, inputs: DirectionInputs, run: Run) -> RunValues:
    """Measure one run; its rankings are read in chunks."""
    n_queries = len(inputs.scope.sources)
    matrix = matrix_of(run)
    step = sources_per_chunk(matrix=matrix, limit=measuring.CHUNK)
    parts = (inputs.scope.sources[start : start + step] for start in range(0, n_queries, step))
    measure_chunk = _table_chunk if inputs.spec.kind == "table" else _value_chunk
    chunks = [measure_chunk(inputs, run, matrix, sources) for sources in parts]
    if not chunks:
        empty = np.zeros((len(inputs.measures) + 1, 0))
        reference = None if inputs.labels.reference is None else empty[1:]
        no_query, depth = np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64)
        return RunValues(empty[1:], reference, empty[1:], empty[1:], empty, no_query, depth)
    columns: Iterator[Any] = zip(*chunks, strict=True)
    joined: Iterator[Any] = (
        None if column[0] is None else np.concatenate(column, -1) for column in columns
    )
    return RunValues(*joined)


def _value_chunk(
    inputs: DirectionInputs, run: Run, matrix: RunMatrix | None, sources: Ids
) -> RunValues:
    """The values of a comparison or an analysis."""
    pairs = measuring.labels_by_position(inputs.labels.whole, sources)
    (rankings,) = ranked_grades(
        run=run, matrix=matrix, scope=inputs.scope, sources=sources, tables=[pairs]
    )
    whole = _values(inputs, rankings, inputs.labels.whole)
    nothing = np.full((len(whole) + 1, len(sources)), np.nan)
    has_positive = ranking.positives(rankings, inputs.spec.threshold).total > 0
    return RunValues(whole, None, nothing[1:], nothing[1:], nothing, has_positive, rankings.depth)


def _values(inputs: DirectionInputs, rankings: RankedGrades, grades: Grades) -> Matrix:
    """(M, Q) values of aligned rankings; some measures scale on the best of the grades."""
    scaled_measures = measures.with_scale(inputs.measures, grades.grade)
    by_name = measures.evaluate(scaled_measures, rankings, inputs.spec.threshold)
    return np.array([by_name[measure.name] for measure in inputs.measures], dtype=np.float64)


def _table_chunk(
    inputs: DirectionInputs, run: Run, matrix: RunMatrix | None, sources: Ids
) -> RunValues:
    """The values of a table, with bounds, judged shares, and those by the reference alone."""
    threshold, direction_labels = inputs.spec.threshold, inputs.labels
    grades = [direction_labels.whole]
    if direction_labels.reference is not None:
        grades.append(direction_labels.reference)
    tables = [measuring.labels_by_position(table, sources) for table in grades]
    unjudged_pairs = measuring.labels_by_position(direction_labels.unjudged, sources)
    (whole, *reference), n_ranked_pairs = ranked_grades_and_counts(
        run=run,
        matrix=matrix,
        scope=inputs.scope,
        sources=sources,
        tables=tables,
        pairs=unjudged_pairs,
    )
    elsewhere = np.bincount(unjudged_pairs.query, minlength=len(sources)) - n_ranked_pairs

    scaled = measures.with_scale(inputs.measures, direction_labels.whole.grade)
    no_bounds = np.full(len(whole.depth), np.nan)
    limits = {"best_grade": inputs.best_grade, "threshold": threshold}
    ends = [
        bounds(measure, whole, elsewhere=elsewhere, **limits)
        if has_bounds(measure)
        else (no_bounds, no_bounds)
        for measure in scaled
    ]
    share_by_k = {
        k: ranking.judged(whole, k=k) for k in {JUDGED_AT, *map(judged_at, inputs.measures)}
    }
    return RunValues(
        whole=_values(inputs, whole, direction_labels.whole),
        reference=_values(inputs, reference[0], grades[1]) if reference else None,
        least=np.array([low for low, _ in ends]),
        most=np.array([high for _, high in ends]),
        judged_shares=np.array(
            [share_by_k[k] for k in [*map(judged_at, inputs.measures), JUDGED_AT]]
        ),
        has_positive=ranking.positives(whole, threshold).total > 0,
        depth=whole.depth,
    )


def summary(
    *,
    inputs: DirectionInputs,
    runs: Sequence[Run],
    report_progress: ProgressReporter,
    alpha: float = ALPHA,
) -> dict[str, Any]:
    """Return the numbers of one direction's page as JSON.

    alpha : level of the tests for differences
    """
    run_values = []
    for number, run in enumerate(runs, start=1):
        run_values.append(measure_run(inputs=inputs, run=run))
        report_progress(number)
    kinds = replace_by_estimates(inputs=inputs, runs=runs, run_values=run_values)
    gallery = labels.gallery_of(query_set=inputs.query_set, scope=inputs.scope)
    return {
        "query_set": inputs.query_set.pk,
        "n_queries": len(inputs.scope.sources),
        "n_positive": int(np.count_nonzero(inputs.labels.whole.grade >= inputs.spec.threshold)),
        "gallery": gallery_facts(gallery.n, gallery.at),
        "groups": inputs.group_facts._asdict(),
        "undrawn": inputs.undrawn.facts(),
        "n_propagated": inputs.n_propagated,
        "runs": [run.pk for run in runs],
        "n_missing": [int(np.count_nonzero(values.is_missing)) for values in run_values],
        "judged": [
            _average(None, values.judged_shares[-1], inputs.groups) for values in run_values
        ],
        "measures": [
            _measure_facts(inputs, row, runs, run_values, kind, alpha=alpha)
            for row, kind in enumerate(kinds)
        ],
    }


def _measure_facts(
    inputs: DirectionInputs,
    row: int,
    runs: Sequence[Run],
    run_values: list[RunValues],
    kind: EstimateKind,
    *,
    alpha: float,
) -> dict[str, Any]:
    """The cells and the decision of the measure of a row of the values, as JSON."""
    measure = inputs.measures[row]
    facts = {
        "name": measure.name,
        "judged_at": judged_at(measure),
        "smaller_is_better": measure.entry.smaller_is_better,
        "cells": _cells(inputs, measure, row, run_values, kind),
        "decided": decision_facts(
            measure,
            np.array([values.whole[row] for values in run_values]).T,
            [run.pk for run in runs],
            groups=inputs.groups,
            method=inputs.spec.method,
            alpha=alpha,
            missing=inputs.spec.missing,
            is_missing=np.array([values.is_missing for values in run_values]).T,
            n_measures=len(inputs.measures),
        ),
    }
    return facts_on_samples(facts, kind=kind)


def replace_by_estimates(
    *, inputs: DirectionInputs, runs: Sequence[Run], run_values: Sequence[RunValues]
) -> list[EstimateKind]:
    """Put estimates in place of values that count the undrawn as irrelevant.

    Returns a kind per measure.
    """
    sample_scores = estimate_on_samples(
        collection=inputs.collection,
        scope=inputs.scope,
        labels=inputs.labels.whole,
        reference=inputs.labels.reference,
        undrawn=inputs.undrawn,
        runs=runs,
        measures=inputs.measures,
        threshold=inputs.spec.threshold,
    )
    for values, estimates in zip(run_values, sample_scores.values, strict=True):
        for row, estimate in estimates.items():
            values.whole[row] = estimate
    return sample_scores.kinds


def _cells(
    inputs: DirectionInputs,
    measure: Measure,
    row: int,
    run_values: list[RunValues],
    kind: EstimateKind,
) -> list[dict[str, Any]]:
    """Return a cell per run; undefined numbers are null."""
    whole = np.array([values.whole[row] for values in run_values])
    intervals = _intervals(inputs, measure, whole, kind)
    cells, groups = [], inputs.groups
    for values, (low, high) in zip(run_values, intervals, strict=True):
        needs_longer_lists = bool(len(values.depth)) and np.isinf(
            measure.average(values.whole[row], weight=groups.weight)
        )
        cells.append(
            {
                "whole": _average(measure, values.whole[row], groups),
                "reference": None
                if values.reference is None
                else _average(measure, values.reference[row], groups),
                "low": low,
                "high": high,
                "least": _average(measure, values.least[row], groups),
                "most": _average(measure, values.most[row], groups),
                "judged": _average(None, values.judged_shares[row], groups),
                "defined": _average(
                    measure,
                    values.whole[row][values.has_positive],
                    groups.within(values.has_positive),
                ),
                "n_defined": int(np.count_nonzero(values.has_positive)),
                "beyond": int(values.depth.max()) if needs_longer_lists else None,
                **design_facts(measure, values.whole[row], inputs.groups),
            }
        )
    return cells


def _intervals(
    inputs: DirectionInputs, measure: Measure, values: Matrix, kind: EstimateKind
) -> list[Interval]:
    """Return an interval per run; empty for a median and if some value is undefined.

    values : (S, Q)
    """
    if not measure.is_mean or not len(values):
        return [NO_INTERVAL] * len(values)
    if inputs.spec.target == THESE:
        if inputs.draw is None or kind != EstimateKind.EXACT:
            return [NO_INTERVAL] * len(values)
        return stratified_intervals(values, inputs.draw, are_shares=measure.is_share)
    # a query's estimate may lie outside 0 to 1
    are_shares = measure.is_share and kind == EstimateKind.EXACT
    return mean_intervals(values, are_shares=are_shares, groups=inputs.groups)


def _average(measure: Measure | None, values: NDArray[np.float64], groups: Groups) -> float | None:
    if not len(values):
        return None
    average = (
        float(groups.mean(values))
        if measure is None
        else measure.average(values, weight=groups.weight)
    )
    return average if np.isfinite(average) else None
