"""Scores before and after, and the runs that changed places.

A score is that of a run, which both sides know by one key, whatever they call it.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metrics.core.releases.manifest import ScoreEntry
from metrics.core.statistics.rounding import rounding_of_sums, with_ties


class BoardKey(NamedTuple):
    """A table of scores: a measure over a query set in a direction."""

    direction: str
    query_set: str
    measure: str


class BoardScoreKey(NamedTuple):
    """A score: of a run on a board; run : the same on both sides."""

    board: BoardKey
    run: str


Scores = Mapping[BoardScoreKey, ScoreEntry]


class ScoreChange(NamedTuple):
    """A score before and after; None where a side does not have it."""

    key: BoardScoreKey
    before: ScoreEntry | None
    after: ScoreEntry | None

    @property
    def change(self) -> float | None:
        """The mean after less the mean before; None where one of them is undefined."""
        means = [entry.mean for entry in (self.after, self.before) if entry is not None]
        if len(means) < 2 or means[0] is None or means[1] is None:
            return None
        return means[0] - means[1]


class Swap(NamedTuple):
    """Two runs of which the first was better before, and the second is better after.

    before, after : the mean of the first less that of the second
    """

    board: BoardKey
    first: str
    second: str
    before: float
    after: float


def score_changes(before: Scores, after: Scores) -> list[ScoreChange]:
    """Every score of either side, those of `after` in their order, then the others in theirs."""
    keys = dict.fromkeys([*after, *before])
    return [ScoreChange(key, before.get(key), after.get(key)) for key in keys]


def swaps(changes: Iterable[ScoreChange], *, smaller_is_better: Mapping[str, bool]) -> list[Swap]:
    """The pairs of runs that changed places on their board; runs that are equal hold none.

    smaller_is_better : by the names of measures. Means that differ by rounding alone are equal.
    """
    boards: dict[BoardKey, list[ScoreChange]] = {}
    for change in changes:
        if change.change is not None:
            boards.setdefault(change.key.board, []).append(change)
    return [
        swap
        for board, rows in boards.items()
        for swap in _swaps_of(board, rows, sign=-1 if smaller_is_better[board.measure] else 1)
    ]


def _swaps_of(board: BoardKey, rows: list[ScoreChange], *, sign: int) -> list[Swap]:
    before, after = (
        np.array([getattr(row, side).mean for row in rows], dtype=np.float64)
        for side in ("before", "after")
    )
    means_with_ties = [
        with_ties(means, within=rounding_of_sums(means)) for means in (before, after)
    ]
    result = []
    for i, j in combinations(range(len(rows)), 2):
        gaps = [sign * (means[i] - means[j]) for means in means_with_ties]
        if min(gaps) < 0 < max(gaps):
            first, second = (i, j) if gaps[0] > 0 else (j, i)
            result.append(
                Swap(
                    board,
                    rows[first].key.run,
                    rows[second].key.run,
                    float(before[first] - before[second]),
                    float(after[first] - after[second]),
                )
            )
    return result
