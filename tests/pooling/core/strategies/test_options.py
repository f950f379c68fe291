"""Options keep and draw the pairs they name, with the probabilities they report."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.options import (
    CHECK_STRATUM,
    NEGATIVE_STRATUM,
    at_most,
    draw_distinct,
    with_negatives,
    without_trusted,
)
from pooling.core.strategies.selections import NO_RANK, Pairs, union
from tests.pooling.core.strategies.rankings import RANKINGS, as_arrays, as_pairs, pairs

SOME = st.sets(st.tuples(st.integers(1, 7), st.integers(1, 13)))


def pooled(runs):
    return union([as_arrays(run) for run in runs])


@given(RANKINGS, SOME, st.floats(0, 1))
def test_trusted_pairs_go_but_for_the_share_that_checks_them(runs, trusted, share):
    before = pooled(runs)
    after = without_trusted(before, as_pairs(trusted), share=share, rng=np.random.default_rng(1))
    trusted_before = set(pairs(before)) & trusted
    trusted_after = set(pairs(after)) & trusted
    assert set(pairs(after)) - trusted == set(pairs(before)) - trusted
    assert len(trusted_after) == int(share * len(trusted_before) + 0.5)
    for pair, stratum, chance in zip(pairs(after), after.stratum, after.probability, strict=True):
        assert (stratum, chance) == (
            (CHECK_STRATUM, len(trusted_after) / len(trusted_before))
            if pair in trusted_after
            else (0, 1)
        )


@given(RANKINGS, st.integers(1, 6))
def test_a_budget_keeps_the_best_ranked_of_each_query(runs, budget):
    before = pooled(runs)
    after = at_most(before, budget, rng=np.random.default_rng(1))
    rank = dict(zip(pairs(before), before.best_rank.tolist(), strict=True))
    for source in set(before.source.tolist()):
        own = [pair for pair in rank if pair[0] == source]
        pairs_after = [pair for pair in pairs(after) if pair[0] == source]
        assert (
            sorted(rank[pair] for pair in pairs_after)
            == sorted(rank[pair] for pair in own)[:budget]
        )
    assert (after.probability == 1).all()


def test_a_budget_shrinks_the_chance_of_what_was_drawn_so_that_estimates_stay_unbiased():
    before = pooled([{1: list(range(1, 25)), 2: list(range(1, 13))}])
    is_drawn = before.best_rank > 4
    before = before._replace(
        probability=np.where(is_drawn, 0.5, 1.0), stratum=np.where(is_drawn, 2, 1)
    )
    totals = []
    for seed in range(400):
        after = at_most(before, 10, rng=np.random.default_rng(seed))
        assert np.bincount(after.source).tolist() == [0, 10, 10]
        totals.append((after.target / after.probability).sum())
    assert np.mean(totals) == pytest.approx(
        (before.target / before.probability).sum(), abs=4 * np.std(totals) / 20
    )


@given(RANKINGS, SOME, st.integers(1, 5), st.integers(0, 1000))
def test_random_negatives_are_near_no_run_and_not_in_the_pool(runs, near, n, seed):
    before, documents = pooled(runs), np.arange(1, 21)
    after = with_negatives(before, as_pairs(near), documents, n=n, rng=np.random.default_rng(seed))
    assert pairs(after) == sorted(set(pairs(after)))
    negatives = set(pairs(after)) - set(pairs(before))
    assert set(pairs(before)) <= set(pairs(after))
    for source in set(before.source.tolist()):
        undrawable = {
            target
            for query, target in near | set(pairs(before))
            if query == source and target <= 20
        }
        own = [pair for pair in negatives if pair[0] == source]
        assert len(own) == min(n, 20 - len(undrawable))
        assert not {target for _, target in own} & undrawable
    for pair, rank, stratum, chance in zip(pairs(after), *after[2:5], strict=True):
        if pair in negatives:
            undrawable = {
                target
                for query, target in near | set(pairs(before))
                if query == pair[0] and target <= 20
            }
            assert (rank, stratum) == (NO_RANK, NEGATIVE_STRATUM)
            assert chance == min(1, n / (20 - len(undrawable)))


def test_every_document_that_is_left_is_drawn_equally_often():
    before, documents = pooled([{1: [1, 3], 2: [7]}]), np.arange(1, 11)
    counts = np.zeros((3, 11))
    for seed in range(2000):
        after = with_negatives(before, Pairs(), documents, n=3, rng=np.random.default_rng(seed))
        new = after.stratum == NEGATIVE_STRATUM
        np.add.at(counts, (after.source[new], after.target[new]), 1)
    assert np.count_nonzero(counts[1]) == 8
    assert np.count_nonzero(counts[2]) == 9
    assert np.abs(counts[1][counts[1] > 0] - 2000 * 3 / 8).max() < 90  # four standard deviations
    assert np.abs(counts[2][counts[2] > 0] - 2000 * 3 / 9).max() < 90


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(1, 6))
def test_numbers_that_are_drawn_differ_and_are_in_range(sizes, n):
    index, draws = draw_distinct(np.array(sizes), n, rng=np.random.default_rng(1))
    rows = list(zip(index.tolist(), draws.tolist(), strict=True))
    assert len(set(rows)) == len(rows)
    assert all(0 <= value < sizes[row] for row, value in rows)
    assert np.bincount(index, minlength=len(sizes)).tolist() == [min(n, size) for size in sizes]
