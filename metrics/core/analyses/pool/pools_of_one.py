"""Scores of each run by the labels that the pool of each single run would have brought."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.measures import Measure
from metrics.core.pools.partial_labels import LabelsByOrigin, values_with_labels
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals


class ScoreByPool(NamedTuple):
    """The score of a run by the labels of one run's pool.

    run, pool : their rows; score : None where it is not finite
    below_own : how much worse it is than by the run's own pool, None on the diagonal and where one
        of the two is not finite; interval : of it, at 95 %, where the measure is a mean
    """

    run: int
    pool: int
    score: float | None
    below_own: float | None
    interval: Interval


class PoolsOfOne(NamedTuple):
    """The scores of S runs by S pools of one run, by one measure.

    scores : S x S, run by run; whole : (S,) with all labels, None where not finite
    gain : how much better runs are by their own pool than by those of the others, in the mean over
        runs and others; None where a score is not finite; interval : of it, at 95 %, over queries
    """

    measure: str
    scores: list[ScoreByPool]
    whole: list[float | None]
    gain: float | None
    interval: Interval


def pools_of_one(
    ranked_runs: Iterable[RankedGrades],
    labels: LabelsByOrigin,
    is_brought: NDArray[np.bool_],
    *,
    measures: Sequence[Measure],
    threshold: float,
    groups: Groups,
    on_run: Callable[[int], None] = lambda n_done: None,
) -> list[PoolsOfOne]:
    """Score S runs, two or more, under the labels that each one of them alone brought to its pool.

    ranked_runs : aligned with `labels.as_labels()`, one at a time; is_brought : (S, L)
    groups : of the Q queries; on_run : told the number of runs that are scored
    Labels that no run brought count in every pool; where people's label is taken away the
    reference's comes back. A list for each measure. ECCV Caption (Chun et al. 2022), Table E.1.
    """
    brought_by_none = np.asarray(~is_brought.any(axis=0))
    everything, n_runs = np.ones(len(brought_by_none), dtype=bool), len(is_brought)
    masks = [everything, *(np.asarray(brought_by_none | of_run) for of_run in is_brought)]
    # the mean over runs of a query's gain, by measure
    gains: list[NDArray[np.float64]] = [np.zeros(groups.n_queries) for _ in measures]
    results = [PoolsOfOne(measure.name, [], [], None, NO_INTERVAL) for measure in measures]
    for run, rankings in enumerate(ranked_runs):
        of_pools = [
            values_with_labels(rankings, labels, mask, measures, threshold) for mask in masks
        ]
        values = np.array(of_pools)
        for number, measure in enumerate(measures):
            by_pool = values[:, number]
            scores = scores_by_pool(by_pool[1:], run, measure, groups)
            results[number].scores.extend(scores)
            whole = float(measure.average(by_pool[0], weight=groups.weight))
            results[number].whole.append(whole if np.isfinite(whole) else None)
            with np.errstate(invalid="ignore"):  # of infinite ranks
                gain = n_runs * by_pool[1 + run] - by_pool[1:].sum(axis=0)
            gains[number] += gain / (n_runs * (n_runs - 1))
        on_run(run + 1)
    for number, (measure, gain) in enumerate(zip(measures, gains, strict=True)):
        differences = [score.below_own for score in results[number].scores]
        finite = [value for value in differences if value is not None]
        if len(finite) < n_runs * (n_runs - 1):
            continue
        sign, interval = (-1 if measure.entry.smaller_is_better else 1), NO_INTERVAL
        if measure.is_mean and np.isfinite(gain).all():
            (interval,) = mean_intervals(sign * gain[None, :], are_shares=False, groups=groups)
        results[number] = results[number]._replace(gain=float(np.mean(finite)), interval=interval)
    return results


def scores_by_pool(
    values: NDArray[np.float64], run: int, measure: Measure, groups: Groups
) -> list[ScoreByPool]:
    """The scores of one run by each pool; values : (S, Q) by pool, of which its own is `run`."""
    sign = -1 if measure.entry.smaller_is_better else 1
    averages = [float(measure.average(row, weight=groups.weight)) for row in values]
    rows = []
    for pool, (row, average) in enumerate(zip(values, averages, strict=True)):
        is_known, below, interval = bool(np.isfinite(average)), None, NO_INTERVAL
        if pool != run and is_known and np.isfinite(averages[run]):
            below = sign * (averages[run] - average)
            change = sign * (values[run] - row)
            if measure.is_mean and np.isfinite(change).all():
                (interval,) = mean_intervals(change[None, :], are_shares=False, groups=groups)
        rows.append(ScoreByPool(run, pool, average if is_known else None, below, interval))
    return rows
