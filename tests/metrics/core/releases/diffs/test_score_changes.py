"""Scores before and after, and the runs that changed places."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.releases.diffs.score_changes import (
    BoardKey,
    BoardScoreKey,
    Scores,
    Swap,
    score_changes,
    swaps,
)
from metrics.core.releases.manifest import ScoreEntry

AP = BoardKey("forward", "all", "AP")
MEDR = BoardKey("forward", "all", "MedR")
LARGER = {"AP": False, "MedR": True}


def scores(means: dict[str, float | None], board: BoardKey = AP) -> Scores:
    """Scores of runs on a board."""
    return {
        BoardScoreKey(board, run): ScoreEntry(
            run, *board[:2], "only", board.measure, 1, mean, None, None, None, 10, 0, 10
        )
        for run, mean in means.items()
    }


def swaps_of(before: Scores, after: Scores) -> list[Swap]:
    return swaps(score_changes(before, after), smaller_is_better=LARGER)


MEANS = st.dictionaries(
    st.sampled_from("abcde"), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, None]), max_size=5
)


@given(MEANS, MEANS)
def test_swaps_are_the_pairs_whose_order_is_the_other_one(before, after):
    runs = [run for run in before if before[run] is not None and after.get(run) is not None]
    expected = set()
    for i, j in combinations(runs, 2):
        for first, second in ((i, j), (j, i)):
            if before[first] > before[second] and after[first] < after[second]:
                expected.add((first, second, before[first] - before[second]))
    assert {
        (swap.first, swap.second, swap.before) for swap in swaps_of(scores(before), scores(after))
    } == expected


def test_smaller_ranks_are_better():
    before, after = ({"a": 2.0, "b": 5.0}, {"a": 9.0, "b": 3.0})
    (swap,) = swaps_of(scores(before, MEDR), scores(after, MEDR))
    assert swap == (MEDR, "a", "b", -3.0, 6.0)


def test_runs_that_rounding_alone_sets_apart_change_no_places():
    a = 0.1 + 0.2
    assert a > 0.3
    assert swaps_of(scores({"a": a, "b": 0.3}), scores({"a": 0.5, "b": 0.7})) == []


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_differences_count_at_any_size(size):
    before, after = ({"a": 2 * size, "b": size}, {"a": size, "b": 2 * size})
    assert len(swaps_of(scores(before), scores(after))) == 1


def test_every_score_of_either_side_has_its_change():
    changes = score_changes(
        scores({"a": 0.5, "gone": 0.1, "c": None}), scores({"new": 1.0, "a": 0.75, "c": 0.5})
    )
    assert [(change.key.run, change.change) for change in changes] == [
        ("new", None),
        ("a", 0.25),
        ("c", None),
        ("gone", None),
    ]
