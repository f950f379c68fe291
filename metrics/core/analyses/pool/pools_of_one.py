"""Scores of each run by the labels that the pool of one run, or of one team, would have brought."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.pool.own_labels import brought_by_team
from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.measures import Measure
from metrics.core.pools.partial_labels import LabelsByOrigin, values_with_labels
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals


class ScoreByPool(NamedTuple):
    """The score of a run by the labels of the pool of one run, or of one team.

    run, pool : their rows; score : None where it is not finite
    below_own : how much worse it is than by the pool of the run itself, or of its team; None by
        that pool, and where one of the two is not finite; interval : of it, at 95 %, where the
        measure is a mean
    """

    run: int
    pool: int
    score: float | None
    below_own: float | None
    interval: Interval


class PoolsOfOne(NamedTuple):
    """The scores of S runs by P pools of one run, or of one team, by one measure.

    by_team : whether the pools are of teams; own : (S,) the pool of each run
    scores : S x P, run by run
    whole : (S,) with all labels, None where not finite
    gain : how much better runs are by their own pool than by those of the others, in the mean over
        runs and others; None where a score is not finite; interval : of it, at 95 %, over queries
    """

    measure: str
    by_team: bool
    own: list[int]
    scores: list[ScoreByPool]
    whole: list[float | None]
    gain: float | None
    interval: Interval


class PoolKind(NamedTuple):
    """The pools of runs, or those of teams.

    own : (S,) the pool of each run; masks : (P,) which of the masks each pool is
    """

    by_team: bool
    own: list[int]
    masks: list[int]


def pool_kinds(teams: Sequence[int], n_runs: int) -> list[PoolKind]:
    """The pools of S runs, which are masks 1 to S, and of T teams, if any.

    teams : (S,) 0, 1, ...; empty for none. The pool of a team of several runs is mask S + 1 and so
    on, in the order of the teams; that of a single run is this run's.
    """
    kinds = [PoolKind(by_team=False, own=list(range(n_runs)), masks=list(range(1, n_runs + 1)))]
    if teams:
        members = [np.flatnonzero(np.equal(teams, team)) for team in range(max(teams) + 1)]
        further = iter(range(n_runs + 1, n_runs + len(members) + 1))
        masks = [1 + int(runs[0]) if len(runs) == 1 else next(further) for runs in members]
        kinds.append(PoolKind(by_team=True, own=list(teams), masks=masks))
    return kinds


def pool_masks(is_brought: NDArray[np.bool_], teams: Sequence[int]) -> list[NDArray[np.bool_]]:
    """The labels that count: all, those of the pool of each run, and of each team of several."""
    brought_by_none = np.asarray(~is_brought.any(axis=0))
    of_teams = brought_by_team(is_brought, teams)
    n_runs_of_team = np.bincount(np.asarray(teams, dtype=np.int64), minlength=len(of_teams))
    pools = [*is_brought, *of_teams[n_runs_of_team > 1]]
    everything = np.ones(len(brought_by_none), dtype=bool)
    return [everything, *(np.asarray(brought_by_none | pool) for pool in pools)]


def pools_of_one(
    ranked_runs: Iterable[RankedGrades],
    labels: LabelsByOrigin,
    is_brought: NDArray[np.bool_],
    *,
    teams: Sequence[int] = (),
    measures: Sequence[Measure],
    threshold: float,
    groups: Groups,
    on_run: Callable[[int], None] = lambda n_done: None,
) -> list[PoolsOfOne]:
    """Score S runs, two or more, under the labels that each one of them alone brought to its pool.

    ranked_runs : aligned with `labels.as_labels()`, one at a time; is_brought : (S, L)
    teams : (S,) 0, 1, ..., two or more, whose pools have what any of their runs brought; or empty
    groups : of the Q queries; on_run : told the number of runs that are scored
    Labels that no run brought count in every pool; where people's label is taken away the
    reference's comes back. A result for each measure by the pools of runs, and with teams one by
    theirs after it. ECCV Caption (Chun et al. 2022), Table E.1.
    """
    n_runs, masks = len(is_brought), pool_masks(is_brought, teams)
    parts = list(product(range(len(measures)), pool_kinds(teams, n_runs)))
    # the mean over runs of a query's gain, by part
    gains: list[NDArray[np.float64]] = [np.zeros(groups.n_queries) for _ in parts]
    results = [
        PoolsOfOne(measures[number].name, kind.by_team, kind.own, [], [], None, NO_INTERVAL)
        for number, kind in parts
    ]
    for run, rankings in enumerate(ranked_runs):
        of_masks = [
            values_with_labels(rankings, labels, mask, measures, threshold) for mask in masks
        ]
        values = np.array(of_masks)
        for (number, kind), result, gain in zip(parts, results, gains, strict=True):
            measure, own, by_pool = measures[number], kind.own[run], values[kind.masks, number]
            result.scores.extend(scores_by_pool(by_pool, (run, own), measure, groups))
            whole = float(measure.average(values[0, number], weight=groups.weight))
            result.whole.append(whole if np.isfinite(whole) else None)
            with np.errstate(invalid="ignore"):  # of infinite ranks
                more = len(by_pool) * by_pool[own] - by_pool.sum(axis=0)
            np.add(gain, more / (n_runs * (len(by_pool) - 1)), out=gain)
        on_run(run + 1)
    return [
        with_gain(result, gain, measures[number], groups)
        for (number, _), result, gain in zip(parts, results, gains, strict=True)
    ]


def with_gain(
    result: PoolsOfOne, gain: NDArray[np.float64], measure: Measure, groups: Groups
) -> PoolsOfOne:
    """Add the mean gain, where each difference is finite; gain : (Q,) of the queries, unsigned."""
    differences = [score.below_own for score in result.scores]
    finite = [value for value in differences if value is not None]
    if len(finite) < len(result.scores) - len(result.whole):  # of each run all pools but its own
        return result
    sign, interval = (-1 if measure.entry.smaller_is_better else 1), NO_INTERVAL
    if measure.is_mean and np.isfinite(gain).all():
        (interval,) = mean_intervals(sign * gain[None, :], are_shares=False, groups=groups)
    return result._replace(gain=float(np.mean(finite)), interval=interval)


def scores_by_pool(
    values: NDArray[np.float64], run_and_own: tuple[int, int], measure: Measure, groups: Groups
) -> list[ScoreByPool]:
    """The scores of one run by each pool.

    values : (P, Q) by pool; run_and_own : the rows of the run and of its own pool
    """
    run, own = run_and_own
    sign = -1 if measure.entry.smaller_is_better else 1
    averages = [float(measure.average(row, weight=groups.weight)) for row in values]
    rows = []
    for pool, (row, average) in enumerate(zip(values, averages, strict=True)):
        is_known, below, interval = bool(np.isfinite(average)), None, NO_INTERVAL
        if pool != own and is_known and np.isfinite(averages[own]):
            below = sign * (averages[own] - average)
            with np.errstate(invalid="ignore"):  # of two infinite ones
                change = sign * (values[own] - row)
            if measure.is_mean and np.isfinite(change).all():
                (interval,) = mean_intervals(change[None, :], are_shares=False, groups=groups)
        rows.append(ScoreByPool(run, pool, average if is_known else None, below, interval))
    return rows
