"""Tests of the runs that changed places, on either side, as a leaderboard tests its runs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics.core.comparisons.run_comparison import METHODS
from metrics.core.measures.measures import parse_one
from metrics.core.releases.diffs.score_changes import (
    BoardKey,
    Swap,
    score_changes,
)
from metrics.services.leaderboard.choices.choices import DEFAULT_MEASURES
from metrics.services.leaderboard.decisions import decision_facts
from metrics.services.releases.diffs.states import BoardValues, State


class BoardTest(NamedTuple):
    """The pairs of runs that differ on a board on one side.

    why : the reason where there is no test, else empty; method : of the test
    """

    why: str
    pairs: frozenset[frozenset[str]] = frozenset()
    method: str = ""

    def is_decided(self, swap: Swap) -> bool | None:
        """True if the two differ; None without a test."""
        return None if self.why else frozenset({swap.first, swap.second}) in self.pairs


def swap_tests(
    pairs: Sequence[Swap], before: State, after: State
) -> dict[BoardKey, list[BoardTest]]:
    """Test the boards with swaps, before and after, each with the runs that both sides have."""
    boards = list(dict.fromkeys(pair.board for pair in pairs))
    if not boards:
        return {}
    runs: dict[BoardKey, list[str]] = {board: [] for board in boards}
    for change in score_changes(before.scores, after.scores):
        if change.change is not None and change.key.board in runs:
            runs[change.key.board].append(change.key.run)
    sides = [state.board_values(boards) for state in (before, after)]
    return {
        board: [board_test(board, runs[board], values[board]) for values in sides]
        for board in boards
    }


def board_test(board: BoardKey, runs: list[str], values: BoardValues) -> BoardTest:
    """Test which runs of a board differ, as a leaderboard of these runs does by default."""
    if not values.values.keys() >= set(runs):
        return BoardTest("the scores are being made")
    facts = decision_facts(
        parse_one(board.measure),
        np.stack([values.values[run] for run in runs], axis=1),
        list(range(len(runs))),
        groups=values.groups,
        method=METHODS[0],
        n_measures=len(DEFAULT_MEASURES),
    )
    if facts["why"] or not facts["can_differ"]:
        return BoardTest(facts["why"] or "too few queries for any two runs to differ")
    pairs = frozenset(frozenset({runs[i], runs[j]}) for i, j in facts["pairs"])
    return BoardTest("", pairs, facts["method"])
