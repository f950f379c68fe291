"""Strategies against a plain second implementation, and the invariants of all strategies."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies import union_tables
from pooling.core.strategies.selections import (
    NO_RANK,
    Material,
    Pairs,
    RankedPairs,
    StrategyError,
    is_in,
    truncate,
    union,
)
from pooling.core.strategies.strategies import STRATEGIES, check_values, choose
from pooling.core.strategies.union_tables import Stretches, union_of
from tests.pooling.core.strategies.rankings import (
    RANKINGS,
    as_arrays,
    by_source,
    material,
    pairs,
    plain_depth_k,
)
from tests.sizes import cases


@given(RANKINGS, st.integers(1, 9))
def test_depth_k_is_the_union_of_the_tops_with_the_best_rank(runs, depth):
    chosen = choose("depth-k", material(runs), {"depth": depth}, seed=1)
    assert dict(zip(pairs(chosen), chosen.best_rank.tolist(), strict=True)) == plain_depth_k(
        runs, depth
    )
    assert pairs(chosen) == sorted(set(pairs(chosen)))


@given(RANKINGS, st.sampled_from([1, 2**20, 2**31, 2**40]), st.sampled_from([0, 2**61]))
def test_keys_of_any_size_make_the_same_union(runs, step, base):
    wide = [
        run._replace(source=run.source * step + base, target=run.target * step + base)
        for run in map(as_arrays, runs)
    ]
    chosen = union(wide)
    back = list(
        zip(
            ((chosen.source - base) // step).tolist(),
            ((chosen.target - base) // step).tolist(),
            strict=True,
        )
    )
    assert back == pairs(union([as_arrays(run) for run in runs]))
    assert is_in(
        chosen.source, chosen.target, Pairs(chosen.source[:1], chosen.target[:1])
    ).tolist() == [index == 0 for index in range(len(back))]


# 32 and 64 bits, and too many
SHIFTS = st.sampled_from([(1, 0), (1, -7), (2**27, 5), (2**40, 2**61), (2**59, 0)])


@cases(300)
@given(
    RANKINGS, st.integers(1, 9) | st.none(), SHIFTS, st.booleans(), st.sampled_from([1, 5, 1 << 16])
)
def test_a_table_of_rankings_and_one_long_sort_make_the_same_union(
    runs, depth, shift, are_equally_deep, at_once
):
    if are_equally_deep:
        runs = [
            {source: (targets + list(range(13, 21)))[:8] for source, targets in run.items()}
            for run in runs
        ]
    ordered = [by_source(run, step=shift[0], base=shift[1]) for run in runs]
    with mock.patch.object(union_tables, "AT_ONCE", at_once):
        pairs_by_table = union(ordered, depth)
        cut = union([truncate(run, depth or 99) for run in ordered])
    expected = union([run._replace(starts=None) for run in ordered], depth)
    for columns in zip(expected[:5], pairs_by_table[:5], cut[:5], strict=True):
        assert columns[0].tolist() == columns[1].tolist() == columns[2].tolist()
        assert columns[0].dtype == columns[1].dtype


def test_rankings_that_would_leave_their_table_empty_are_sorted():
    far = [Stretches(np.array([0, 1000]), np.array([3, 4]), np.array([1, 1]))]
    near = [Stretches(np.array([0, 1]), np.array([3, 4]), np.array([1, 1]))]
    assert union_of(far) is None
    assert [column.tolist() for column in union_of(near)] == [[0, 1], [3, 4], [1, 1]]


@given(RANKINGS, st.sets(st.tuples(st.integers(1, 7), st.integers(1, 13))), st.integers(1, 9))
def test_what_runs_add_is_depth_k_without_what_is_pooled(runs, pooled, depth):
    pooled_pairs = Pairs(*np.array(sorted(pooled), dtype=np.int64).reshape(-1, 2).T)
    chosen = choose("adds", material(runs, pool_pairs=pooled_pairs), {"depth": depth}, seed=1)
    assert set(pairs(chosen)) == set(plain_depth_k(runs, depth)) - pooled


@given(RANKINGS, st.sets(st.integers(1, 8)), st.sets(st.integers(1, 14)))
def test_everything_is_every_pair_once_and_keeps_the_best_rank_where_there_is_one(
    runs, sources, targets
):
    strategy_input = material(
        runs,
        sources=np.array(sorted(sources), np.int64),
        targets=np.array(sorted(targets), np.int64),
    )
    chosen = choose("exhaustive", strategy_input, {}, seed=1)
    assert pairs(chosen) == [
        (source, target) for source in sorted(sources) for target in sorted(targets)
    ]
    best = plain_depth_k(runs, 1000)
    assert chosen.best_rank.tolist() == [best.get(pair, NO_RANK) for pair in pairs(chosen)]


def test_everything_refuses_more_pairs_than_its_limit():
    strategy_input = Material([], sources=np.arange(10), targets=np.arange(200))
    with pytest.raises(
        StrategyError, match="10 sources with 200 targets each are 2,000 pairs"
    ) as caught:
        choose("exhaustive", strategy_input, {"limit": 1999}, seed=1)
    assert caught.value.field == "limit"
    assert len(choose("exhaustive", strategy_input, {"limit": 2000}, seed=1).source) == 2000


@pytest.mark.parametrize("strategy", STRATEGIES)
@cases(30)
@given(runs=RANKINGS, seed=st.integers(0, 2**32))
def test_no_pair_comes_twice_and_neither_the_order_of_runs_nor_of_rows_matters(
    strategy, runs, seed
):
    items = {"sources": np.arange(8), "targets": np.arange(14), "lengths": np.arange(8) % 3}
    chosen = choose(strategy, material(runs, **items), {}, seed=seed)
    assert pairs(chosen) == sorted(set(pairs(chosen)))
    assert ((chosen.probability > 0) & (chosen.probability <= 1)).all()
    turned = [RankedPairs(*(column[::-1] for column in as_arrays(run)[:3])) for run in runs[::-1]]
    again = choose(strategy, Material(turned, **items), {}, seed=seed)
    assert all(np.array_equal(*columns) for columns in zip(chosen[:5], again[:5], strict=True))


@pytest.mark.parametrize("strategy", STRATEGIES)
@cases(30)
@given(runs=RANKINGS, unknown=st.sets(st.integers(1, 12)))
def test_an_unknown_document_is_never_chosen_and_leaves_the_others_their_ranks(
    strategy, runs, unknown
):
    items = {"sources": np.arange(8), "targets": np.arange(14), "lengths": np.arange(8) % 3}
    with_unknown = [
        rows._replace(target=np.where(np.isin(rows.target, [*unknown]), -1, rows.target))
        for rows in map(as_arrays, runs)
    ]
    chosen = choose(strategy, Material(with_unknown, **items), {}, seed=1)
    assert (chosen.target >= 0).all()
    ranks = {pair: rank for pair, rank in plain_depth_k(runs, 99).items() if pair[1] not in unknown}
    for pair, rank in zip(pairs(chosen), chosen.best_rank.tolist(), strict=True):
        assert rank == ranks.get(pair, NO_RANK)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_runs_give_no_pairs_and_the_seed_alone_decides(strategy):
    assert len(choose(strategy, Material([]), {}, seed=1).source) == 0
    runs = [as_arrays({s: list(np.random.default_rng(s).permutation(50) + 1) for s in range(30)})]
    items = {"sources": np.arange(30), "targets": np.arange(51), "lengths": np.arange(30)}
    first, again = (choose(strategy, Material(runs, **items), {}, seed=5) for _ in range(2))
    assert all(np.array_equal(*columns) for columns in zip(first[:5], again[:5], strict=True))


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
        ("take-n", {"fusion": "best"}, "fusion", "Fusion is one of: rrf, combsum, combmnz, borda."),
        ("depth-k-sample", {"strata": 3}, "strata", "Strata by is one of: length, difficulty."),
    ],
)
def test_a_wrong_strategy_or_parameter_is_named_with_its_range(strategy, values, field, message):
    with pytest.raises(StrategyError, match=message) as caught:
        check_values(strategy, values)
    assert caught.value.field == field
