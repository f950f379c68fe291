"""Ranks of runs and changes of their order: against SciPy's ranks, and a recount pair by pair."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.measures.run_orders import pair_orders, rank_spans, run_ranks
from tests.sizes import cases

SCORES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 50)), min_size=1, max_size=14
)


@cases(300)
@given(SCORES)
def test_equal_runs_share_the_better_rank(rows):
    scores = np.array(rows, dtype=np.float64)
    expected = np.stack([stats.rankdata(-column, method="min") for column in scores.T], axis=1)
    expected[:, expected.max(axis=0) == 1] = 0  # nothing tells the runs apart
    ranks = run_ranks(scores)
    assert ranks.tolist() == expected.tolist()
    known = [[rank for rank in row if rank] or [0] for row in expected.tolist()]
    assert rank_spans(ranks).tolist() == [max(row) - min(row) for row in known]


@cases(300)
@given(SCORES)
def test_pairs_of_runs_are_in_the_same_order_or_opposite_or_tied(rows):
    counts = {1: 0, -1: 0, 0: 0}
    for (a, b, _), (c, d, _) in itertools.combinations(rows, 2):
        product = (a - c) * (b - d)
        counts[(product > 0) - (product < 0)] += 1
    orders = pair_orders([row[0] for row in rows], [row[1] for row in rows])
    assert tuple(orders) == (counts[1], counts[-1], counts[0])


def test_a_run_without_a_score_has_no_rank_and_stands_in_nobodys_way():
    ranks = run_ranks(np.array([[0.5, np.nan], [0.7, 0.1], [np.nan, 0.2]]))
    assert ranks.tolist() == [[2, 0], [1, 2], [0, 1]]
    assert rank_spans(ranks).tolist() == [0, 1, 0]
    assert rank_spans(np.zeros((2, 3), dtype=np.int64)).tolist() == [0, 0]
