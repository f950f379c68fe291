"""Keyed orders: they look random, and are the same every time."""

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.labels.keyed_choices import arrange_batch, choose_doubles, keyed_hash, queue_key

KEY = b"k" * 32


def test_the_hash_depends_on_key_and_values():
    assert keyed_hash(KEY, 1, 2) == keyed_hash(KEY, 1, 2)
    assert (
        len(
            {
                keyed_hash(KEY, 1, 2),
                keyed_hash(KEY, 12),
                keyed_hash(KEY, 2, 1),
                keyed_hash(b"x", 1, 2),
            }
        )
        == 4
    )


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 9), st.booleans())
def test_a_queue_key_fits_a_bigint(query, pair, number, grouped):
    key = queue_key(KEY, query=query, pair=pair, number=number, grouped=grouped, n_runs=1)
    assert 0 <= key < 2**63


def test_grouped_keys_keep_a_querys_seats_together():
    seats = [(query, pair) for query in range(20) for pair in range(query * 100, query * 100 + 30)]
    ordered = sorted(
        seats, key=lambda s: queue_key(KEY, query=s[0], pair=s[1], number=1, grouped=True, n_runs=1)
    )
    blocks = 1 + sum(a[0] != b[0] for a, b in pairwise(ordered))
    assert blocks == 20


def test_the_seats_of_a_pair_are_in_different_runs_and_second_ones_as_often_in_each():
    seats = [(pair, number) for pair in range(2_000) for number in (1, 2)]
    run_of = {
        seat: queue_key(KEY, query=7, pair=seat[0], number=seat[1], grouped=True, n_runs=2) >> 31
        for seat in seats
    }
    assert len(set(run_of.values())) == 2
    assert all(run_of[pair, 1] != run_of[pair, 2] for pair in range(2_000))
    first_run = run_of[0, 1]
    assert abs(sum(run_of[pair, 2] == first_run for pair in range(2_000)) - 1_000) < 100


@given(st.sets(st.integers(0, 10**6), max_size=200), st.decimals(0, 1, places=3))
def test_the_share_is_exact_and_the_choice_repeatable(pairs, share):
    chosen = choose_doubles(pairs, share=share, key=KEY)
    assert abs(len(chosen) - share * len(pairs)) <= Decimal("0.5")
    assert chosen <= pairs
    assert choose_doubles(sorted(pairs, reverse=True), share=share, key=KEY) == chosen


@pytest.mark.parametrize("grouped", [True, False])
def test_a_batch_is_a_permutation_with_no_place_of_its_own_for_the_last_ones(grouped):
    queries = [1, 1, 1, 2, 2, 3, 4]
    positions = [arrange_batch(queries, grouped=grouped, seed=seed).index(6) for seed in range(700)]
    assert sorted(arrange_batch(queries, grouped=grouped, seed=1)) == list(range(7))
    assert len(set(positions)) >= 4
