"""Hidden checks in a batch: their number, and their queries."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.labels.batches import n_checks, n_repeats, pick_by_query, remaining_candidates

SEEDS = range(0, 2**20, 97)


@pytest.mark.parametrize("share", [1 / 18, 0.5, 17 / 18, 1.0])
def test_a_smaller_batch_gets_as_large_a_share_of_golds_on_average(share):
    placed = [n_checks(2, share=share, seed=seed) for seed in SEEDS]
    assert sum(placed) / len(placed) == pytest.approx(2 * share, abs=0.002)
    assert max(placed) - min(placed) <= 1


def test_a_query_gets_a_gold_as_often_as_it_has_candidates():
    queries = [7] * 9 + [8] * 3
    picked = Counter(
        pick_by_query(queries, {7: [70], 8: [80, 81, 82, 83]}, n=1, seed=seed)[0] // 10
        for seed in SEEDS
    )
    assert picked[7] / len(SEEDS) == pytest.approx(0.75, abs=0.02)


@given(
    st.lists(st.integers(0, 4), max_size=12),
    st.lists(st.integers(0, 99), unique=True),
    st.integers(0, 5),
    st.integers(0, 2**63),
)
def test_picked_golds_are_distinct_and_of_the_batchs_queries_and_as_many_as_there_are(
    queries, golds, n, seed
):
    available = {query: [gold for gold in golds if gold % 7 == query] for query in range(7)}
    picked = pick_by_query(queries, available, n=n, seed=seed)
    candidates = Counter(queries)
    assert (
        len(set(picked))
        == len(picked)
        == min(n, sum(min(len(available[q]), candidates[q]) for q in candidates))
    )
    assert Counter(gold % 7 for gold in picked) <= candidates  # each takes the place of one
    assert picked == pick_by_query(queries, available, n=n, seed=seed)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=12),
    st.data(),
    st.booleans(),
    st.integers(0, 2**63),
)
def test_golds_leave_a_batch_as_long_as_it_was_and_each_querys_run_too(
    queries, data, grouped, seed
):
    golds = data.draw(st.permutations(queries))[: data.draw(st.integers(0, 3))]
    remaining = remaining_candidates(queries, golds, grouped=grouped, seed=seed)
    assert len(remaining) == max(1, len(queries) - len(golds))
    if grouped and len(queries) > len(golds):
        assert Counter([*(queries[position] for position in remaining), *golds]) == Counter(queries)


@pytest.mark.parametrize(
    ("n_old", "n_given", "n_expected"),
    [
        (0, 0, 0),
        (19, 0, 1),
        (20, 0, 2),
        (20, 2, 0),
        (100, 0, 2),
        (100, 9, 1),
        (100, 12, 0),
    ],
)
def test_repeats_reach_their_share_and_come_no_thicker_than_it(n_old, n_given, n_expected):
    assert n_repeats(0.1, n_old_pairs=n_old, n_repeated=n_given, n_candidates=18) == n_expected
