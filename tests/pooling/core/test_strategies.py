"""Strategies against a plain second implementation, published formulas, and at the size of a real collection."""

import time
from collections import defaultdict
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.core.strategies import STRATEGIES, RankedPairs, StrategyError, check_values, choose

RANKINGS = st.lists(
    st.dictionaries(
        st.integers(1, 6), st.lists(st.integers(1, 12), unique=True, min_size=1, max_size=8), min_size=1, max_size=5
    ),
    min_size=1,
    max_size=4,
)


def as_arrays(run: dict[int, list[int]]) -> RankedPairs:
    rows = [(source, target, rank) for source, targets in run.items() for rank, target in enumerate(targets, 1)]
    return RankedPairs(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def plain_depth_k(runs: list[dict[int, list[int]]], depth: int) -> dict[tuple[int, int], int]:
    best: dict[tuple[int, int], int] = {}
    for run in runs:
        for source, targets in run.items():
            for rank, target in enumerate(targets[:depth], 1):
                best[source, target] = min(rank, best.get((source, target), rank))
    return best


def pairs(chosen) -> list[tuple[int, int]]:
    return list(zip(chosen.source.tolist(), chosen.target.tolist(), strict=True))


@settings(deadline=None)
@given(RANKINGS, st.integers(1, 9))
def test_depth_k_is_the_union_of_the_tops_with_the_best_rank(runs, depth):
    chosen = choose("depth-k", [as_arrays(run) for run in runs], {"depth": depth}, seed=1)
    assert dict(zip(pairs(chosen), chosen.best_rank.tolist(), strict=True)) == plain_depth_k(runs, depth)
    assert pairs(chosen) == sorted(set(pairs(chosen)))


@settings(deadline=None)
@given(RANKINGS, st.integers(1, 4), st.integers(0, 2**32))
def test_a_sample_is_depth_k_on_some_sources_and_the_order_of_runs_does_not_matter(runs, n, seed):
    arrays = [as_arrays(run) for run in runs]
    values = {"depth": 3, "n_sources": n}
    chosen = choose("depth-k-sample", arrays, values, seed=seed)
    sources = {source for run in runs for source in run}
    drawn = set(chosen.source.tolist())
    assert len(drawn) == min(n, len(sources))
    assert set(pairs(chosen)) == {pair for pair in plain_depth_k(runs, 3) if pair[0] in drawn}
    assert pairs(choose("depth-k-sample", arrays[::-1], values, seed=seed)) == pairs(chosen)


def test_every_source_is_drawn_equally_often():
    runs = [as_arrays({source: [1] for source in range(10)})]
    draws = [choose("depth-k-sample", runs, {"depth": 1, "n_sources": 3}, seed=seed).source for seed in range(2000)]
    counts = np.bincount(np.concatenate(draws), minlength=10)
    assert np.abs(counts - 600).max() < 90  # four standard deviations


@settings(deadline=None)
@given(RANKINGS, st.integers(1, 4))
def test_take_n_keeps_the_pairs_with_the_largest_sums_of_reciprocal_ranks(runs, n):
    chosen = choose("take-n", [as_arrays(run) for run in runs], {"n": n, "depth": 6}, seed=1)
    best = plain_depth_k(runs, 6)
    score: dict[tuple[int, int], float] = defaultdict(float)
    for run in runs:
        for source, targets in run.items():
            for rank, target in enumerate(targets[:6], 1):
                score[source, target] += 1 / (60 + rank)
    wanted = []
    for source in sorted({source for source, _ in best}):
        own = [pair for pair in best if pair[0] == source]
        wanted += sorted(own, key=lambda pair: (-score[pair], best[pair], -pair[1]))[:n]
    assert pairs(chosen) == sorted(wanted)


@settings(deadline=None)
@given(RANKINGS, st.integers(1, 4), st.floats(0.01, 1))
def test_a_stratified_sample_keeps_the_top_and_draws_the_share_of_each_source(runs, top, share):
    values = {"top": top, "depth": 8, "share": share}
    chosen = choose("stratified", [as_arrays(run) for run in runs], values, seed=3)
    best = plain_depth_k(runs, 8)
    taken = set(pairs(chosen))
    assert {pair for pair, rank in best.items() if rank <= top} <= taken <= set(best)
    below: dict[int, int] = defaultdict(int)
    for pair, rank in best.items():
        below[pair[0]] += rank > top
    for source, stratum, probability in zip(chosen.source, chosen.stratum, chosen.probability, strict=True):
        n_drawn = ceil(share * below[source])
        assert probability == (1 if stratum == 1 else n_drawn / below[source])
    assert len(taken) == sum(rank <= top for rank in best.values()) + sum(ceil(share * n) for n in below.values())


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_runs_give_no_pairs_and_the_seed_alone_decides(strategy):
    assert len(choose(strategy, [], {}, seed=1).source) == 0
    runs = [as_arrays({s: list(np.random.default_rng(s).permutation(50) + 1) for s in range(30)})]
    first, again = (choose(strategy, runs, {}, seed=5) for _ in range(2))
    assert all(np.array_equal(*columns) for columns in zip(first, again, strict=True))


@pytest.mark.parametrize(
    ("strategy", "values", "field", "message"),
    [
        ("depth", {}, "", 'There is no strategy "depth"; there are: depth-k'),
        ("depth-k", {"depth": 0}, "depth", "Depth is a whole number from 1 to 1,000."),
        ("depth-k", {"depth": 2.5}, "depth", "whole number"),
        ("depth-k", {"depth": True}, "depth", "whole number"),
        ("depth-k", {"depth": "10"}, "depth", "whole number"),
        ("depth-k", {"depth": float("nan")}, "depth", "whole number"),
        ("depth-k", {"k": 3}, "k", "takes no parameter k"),
        ("stratified", {"share": 0}, "share", "is a number from 0.001 to 1."),
    ],
)
def test_a_wrong_strategy_or_parameter_is_named_with_its_range(strategy, values, field, message):
    with pytest.raises(StrategyError, match=message) as caught:
        check_values(strategy, values)
    assert caught.value.field == field


def test_three_runs_of_27763_queries_are_pooled_in_a_second_or_two_of_work():
    rng = np.random.default_rng(7)
    n = 27_763
    runs = [
        RankedPairs(np.repeat(np.arange(n), 10), rng.integers(0, 10**6, 10 * n) * 10 + np.tile(np.arange(10), n),
                    np.tile(np.arange(1, 11), n))
        for _ in range(3)
    ]  # fmt: skip
    for strategy in STRATEGIES:
        start = time.process_time()
        assert len(choose(strategy, runs, {}, seed=1).source) > 0
        assert time.process_time() - start < 2.5
