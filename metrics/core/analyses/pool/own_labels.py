"""Scores of runs without the labels that only they, or only their team, brought to the pools."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.measures import Measure
from metrics.core.pools.partial_labels import LabelsByOrigin, values_with_labels
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals

Mask = NDArray[np.bool_]


class ScoreWithout(NamedTuple):
    """A score without the labels that one run or team alone brought.

    n, n_positive : such labels, and the positive ones among them
    value : the score; loss : how much worse it is than with all labels, None where one of the two
        is not finite; interval : of the loss, at 95 %, where the measure is a mean
    rank : among the runs, of which the others keep all labels; 1 is best
    """

    n: int
    n_positive: int
    value: float | None
    loss: float | None
    interval: Interval
    rank: int | None


class RunLoss(NamedTuple):
    """The score of a run by one measure, with all labels and without its own or its team's.

    run : its row in the masks; n_brought : labels of pairs that it brought; rank : 1 is best
    """

    run: int
    measure: str
    n_brought: int
    score: float | None
    rank: int | None
    without_run: ScoreWithout
    without_team: ScoreWithout


def brought_by_team(is_brought: Mask, teams: Sequence[int]) -> Mask:
    """(T, L) whether any run of each of T teams brought the label.

    is_brought : (S, L) whether each run brought it; teams : (S,) 0, 1, ..., or empty for none
    """
    by_team = np.zeros((max(teams, default=-1) + 1, is_brought.shape[1]), dtype=bool)
    for team, row in zip(teams, is_brought, strict=bool(teams)):
        by_team[team] |= row
    return by_team


def unique_labels(is_brought: Mask, teams: Sequence[int]) -> Mask:
    """(S, L) whether the team of each of S runs brought the label, and no other team did.

    is_brought : (S, L) whether each run brought it; teams : (S,) 0, 1, ...
    """
    by_team = brought_by_team(is_brought, teams)
    by_team &= by_team.sum(axis=0) == 1
    return by_team[np.asarray(teams, dtype=np.int64)]


def without_own_labels(
    ranked_runs: Iterable[tuple[int, RankedGrades]],
    labels: LabelsByOrigin,
    is_brought: Mask,
    *,
    teams: Sequence[int],
    is_counted: Mask,
    measures: Sequence[Measure],
    threshold: float,
    groups: Groups,
) -> list[RunLoss]:
    """Score runs with all labels, and without those of people that they alone brought.

    ranked_runs : some of the S runs by their row, aligned with `labels.as_labels()`, one at a time
    is_brought : (S, L) whether each run brought the pair to a pool; where people's label is taken
        away the reference's comes back, and what no run brought stays
    teams : (S,) 0, 1, ...; is_counted : (L,) the labels that are counted, of those that count
    groups : of the Q queries
    A row for each run and measure. Zobel 1998, doi:10.1145/290941.291014; FIRE, Table 4.
    """
    is_brought = is_brought & ~np.isnan(labels.people)
    is_positive = labels.people >= threshold
    alone = [unique_labels(is_brought, group) for group in (range(len(is_brought)), teams)]
    rows, values = [], []
    for row, rankings in ranked_runs:
        parts: list[NDArray[np.float64]] = []
        before: Mask = np.zeros(0, dtype=bool)
        for mask in (np.ones(len(is_positive), dtype=bool), ~alone[0][row], ~alone[1][row]):
            if np.array_equal(mask, before):  # a team of one run, or nothing of its own
                parts.append(parts[-1])
            else:
                parts.append(values_with_labels(rankings, labels, mask, measures, threshold))
            before = mask
        rows.append(row)
        values.append(np.array(parts))
    losses = []
    for number, measure in enumerate(measures):
        scores = _scores([of_run[:, number] for of_run in values], measure, groups)
        for row, (whole, *without) in zip(rows, scores, strict=True):
            counts = [mask[row] & is_counted for mask in (is_brought, *alone)]
            parts_without = [
                score._replace(
                    n=int(np.count_nonzero(mask)),
                    n_positive=int(np.count_nonzero(mask & is_positive)),
                )
                for score, mask in zip(without, counts[1:], strict=True)
            ]
            numbers = (int(np.count_nonzero(counts[0])), whole.value, whole.rank)
            losses.append(RunLoss(row, measure.name, *numbers, *parts_without))
    return losses


def _scores(
    values: Sequence[NDArray[np.float64]], measure: Measure, groups: Groups
) -> list[list[ScoreWithout]]:
    """The scores of each run with all labels, without its own and without its team's.

    values : for each run (3, Q) of its queries
    """
    sign = -1 if measure.entry.smaller_is_better else 1
    averages = np.array(
        [[measure.average(part, weight=groups.weight) for part in of_run] for of_run in values]
    )
    scores = []
    for number, of_run in enumerate(values):
        other_runs = sign * np.delete(averages[:, 0], number)
        whole = averages[number, 0]
        of_parts = []
        for part, value in zip(of_run, averages[number], strict=True):
            is_known = bool(np.isfinite(value))
            with np.errstate(invalid="ignore"):  # of two infinite ones
                change = sign * (of_run[0] - part)
            interval = NO_INTERVAL
            if measure.is_mean and np.isfinite(change).all():
                (interval,) = mean_intervals(change[None, :], are_shares=False, groups=groups)
            score = ScoreWithout(
                n=0,
                n_positive=0,
                value=float(value) if is_known else None,
                loss=float(sign * (whole - value)) if is_known and np.isfinite(whole) else None,
                interval=interval,
                rank=1 + int(np.count_nonzero(other_runs > sign * value)) if is_known else None,
            )
            of_parts.append(score)
        scores.append(of_parts)
    return scores
