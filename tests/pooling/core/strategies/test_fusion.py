"""Fusion by hand-worked examples and by a plain second implementation."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.fusion import FUSIONS, fuse, min_max
from pooling.core.strategies.selections import Material
from pooling.core.strategies.strategies import choose
from tests.pooling.core.strategies.rankings import (
    RANKINGS,
    as_arrays,
    by_source,
    material,
    pairs,
    plain_depth_k,
)


def scores_by(name, runs) -> dict[tuple[int, int], float]:
    pooled, score = fuse(runs, name)
    return dict(zip(pairs(pooled), score.tolist(), strict=True))


def test_combsum_and_combmnz_by_hand():
    # Run a scores 9, 5, 1, so 1, .5, 0; run b scores 4, 3, 2, so 1, .5, 0; a target that is last in
    # both has 0.
    first = as_arrays({1: [10, 11, 12]}, {(1, 10): 9, (1, 11): 5, (1, 12): 1})
    two = as_arrays({1: [11, 13, 12]}, {(1, 11): 4, (1, 13): 3, (1, 12): 2})
    assert scores_by("combsum", [first, two]) == {
        (1, 10): 1,
        (1, 11): 1.5,
        (1, 12): 0,
        (1, 13): 0.5,
    }
    assert scores_by("combmnz", [first, two]) == {(1, 10): 1, (1, 11): 3, (1, 12): 0, (1, 13): 0.5}


def test_scores_are_normalised_for_each_source_and_all_equal_ones_are_1():
    run = as_arrays(
        {1: [10, 11], 2: [10, 11, 12]},
        {(1, 10): 7, (1, 11): 7, (2, 10): 30, (2, 11): 15, (2, 12): 10},
    )
    assert min_max(run).tolist() == [1, 1, 1, 0.25, 0]


def test_borda_by_hand_gives_what_is_left_to_what_a_run_does_not_hold():
    # Aslam & Montague 2001: 4 candidates. Run a ranks 10, 11, 12 and leaves 13 one point; run b
    # ranks 13, 10 and leaves 3 - 2 = 2 + 1 points to be shared by 11 and 12.
    runs = [as_arrays({1: [10, 11, 12]}), as_arrays({1: [13, 10]})]
    assert scores_by("borda", runs) == {
        (1, 10): 4 + 3,
        (1, 11): 3 + 1.5,
        (1, 12): 2 + 1.5,
        (1, 13): 1 + 4,
    }


def plain_borda(runs, source) -> dict[int, float]:
    candidates = {target for run in runs for target in run.get(source, [])}
    points: dict[int, float] = defaultdict(float)
    for run in runs:
        ranked = run.get(source, [])
        left = sum(range(1, len(candidates) - len(ranked) + 1))
        for target in candidates:
            if target in ranked:
                points[target] += len(candidates) - ranked.index(target)
            else:
                points[target] += left / (len(candidates) - len(ranked))
    return points


@given(RANKINGS)
def test_borda_equals_points_counted_one_by_one(runs):
    scores = scores_by("borda", [as_arrays(run) for run in runs])
    for (source, target), points in scores.items():
        assert points == pytest.approx(plain_borda(runs, source)[target])


@given(RANKINGS, st.integers(1, 4))
def test_take_n_keeps_the_pairs_with_the_largest_sums_of_reciprocal_ranks(runs, n):
    chosen = choose("take-n", material(runs), {"n": n, "depth": 6}, seed=1)
    best = plain_depth_k(runs, 6)
    score: dict[tuple[int, int], float] = defaultdict(float)
    for run in runs:
        for source, targets in run.items():
            for rank, target in enumerate(targets[:6], 1):
                score[source, target] += 1 / (60 + rank)
    expected = []
    for source in sorted({source for source, _ in best}):
        own = [pair for pair in best if pair[0] == source]
        expected += sorted(own, key=lambda pair: (-round(score[pair], 12), best[pair], -pair[1]))[
            :n
        ]
    assert pairs(chosen) == sorted(expected)


@given(
    RANKINGS, st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 1_000_003]), st.booleans()
)
def test_the_table_of_rankings_by_source_gives_what_sorting_all_rows_gives(
    runs, n, depth, step, is_even
):
    if is_even:  # all rankings as deep, so that the table is full
        runs = [{source: list(range(source, source + 5)) for source in range(1, 6)} for _ in runs]
    values = {"n": n, "depth": depth}
    quick = choose("take-n", Material([by_source(run, step=step) for run in runs]), values, seed=0)
    slow = choose(
        "take-n",
        Material([by_source(run, step=step)._replace(starts=None) for run in runs]),
        values,
        seed=0,
    )
    assert [column.tolist() for column in quick[:5]] == [column.tolist() for column in slow[:5]]


@pytest.mark.parametrize("fusion", FUSIONS)
def test_every_fusion_takes_n_of_each_source_and_first_what_all_runs_hold_first(fusion):
    rng = np.random.default_rng(4)
    runs = [
        {source: [99, *rng.permutation(40)[:15].tolist()] for source in range(5)} for _ in range(6)
    ]
    chosen = choose("take-n", material(runs), {"n": 3, "fusion": fusion}, seed=1)
    assert np.bincount(chosen.source).tolist() == [3] * 5
    assert {(source, 99) for source in range(5)} <= set(pairs(chosen))
