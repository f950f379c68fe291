"""The edge of a pool, recounted pair by pair; its share by statsmodels' interval of Wilson."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.pool.edges import pairs_to_deepen, pool_edges
from metrics.core.statistics.groups import Groups
from pooling.core.strategies.selections import RankedPairs
from tests.pooling.core.strategies.rankings import RANKINGS, as_arrays
from tests.sizes import cases

N_QUERIES, N_RUNS = 4, 3
# query, whether it is positive, its rank in each run that brought it
LABEL = st.tuples(
    st.integers(0, N_QUERIES - 1),
    st.booleans(),
    st.lists(st.sampled_from([0, 0, *range(1, 12)]), min_size=N_RUNS, max_size=N_RUNS),
)


def edges_of(labels, *, groups=None, n_queries=N_QUERIES):
    ranks = np.array([label[2] for label in labels], dtype=np.int32).T
    return pool_edges(
        ranks.reshape(-1, len(labels)),
        np.array([label[0] for label in labels]),
        np.array([label[1] for label in labels]),
        groups=groups or Groups.single(n_queries),
    )


@cases(300)
@given(st.lists(LABEL, min_size=1, max_size=25))
def test_every_pair_is_counted_where_its_best_rank_is(labels):
    edges = edges_of(labels)
    whole, single, shared, all_single = [], [], [], []
    for query in range(N_QUERIES):
        brought = [
            (is_positive, [rank for rank in ranks if rank])
            for own_query, is_positive, ranks in labels
            if own_query == query and any(ranks)
        ]
        depth = max((min(ranks) for _, ranks in brought), default=0)
        edge = [row for row in brought if min(row[1]) > 0.75 * depth]
        assert edges.depth[query] == depth
        assert edges.n_edge[query] == len(edge)
        assert edges.n_positive[query] == sum(is_positive for is_positive, _ in edge)
        assert edges.n_single[query] == sum(len(ranks) == 1 for _, ranks in edge)
        assert edges.n_graded[query] == len(brought)
        assert edges.n_all_positive[query] == sum(is_positive for is_positive, _ in brought)
        lone = [is_positive for is_positive, ranks in brought if len(ranks) == 1]
        assert (edges.n_all_single[query], edges.n_single_positive[query]) == (len(lone), sum(lone))
        all_single += [row for row in brought if len(row[1]) == 1]
        whole += edge
        single += [row for row in edge if len(row[1]) == 1]
        shared += [row for row in edge if len(row[1]) > 1]
    for part, rows in (
        (edges.whole, whole),
        (edges.single, single),
        (edges.several, shared),
        (edges.all_single, all_single),
    ):
        n_positive = sum(is_positive for is_positive, _ in rows)
        assert (part.n, part.n_positive) == (len(rows), n_positive)
        assert part.share == (pytest.approx(n_positive / len(rows)) if rows else None)


@pytest.mark.parametrize(("depth", "first"), [(1, 1), (3, 3), (4, 4), (5, 4), (10, 8), (100, 76)])
def test_the_last_quarter_of_the_ranks_is_the_edge(depth, first):
    edges = edges_of([(0, True, [rank]) for rank in range(1, depth + 1)], n_queries=1)
    assert edges.n_edge.tolist() == [depth + 1 - first]


def test_the_share_has_wilsons_interval_and_a_wider_one_by_groups():
    labels = [(query, query % 4 < 1, [1]) for query in range(40)]
    share = edges_of(labels, n_queries=40).whole
    assert tuple(share.interval) == pytest.approx(proportion_confint(10, 40, method="wilson"))
    alike = [(query, query < 10, [1]) for query in range(40)]
    grouped = edges_of(alike, groups=Groups.of(np.arange(40) // 5)).whole
    assert grouped.share == share.share
    assert grouped.interval.low < share.interval.low < share.interval.high < grouped.interval.high


@cases(200)
@given(
    RANKINGS,
    st.lists(st.sampled_from([0, 1, 3]), min_size=6, max_size=6),
    st.sets(st.tuples(st.integers(1, 6), st.integers(1, 12)), max_size=20),
)
def test_pairs_to_add_are_those_near_enough_that_have_no_grade(runs, depths, graded):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metrics.core.analyses.pool.edges.STEP", 2)
        columns = np.array(sorted(graded), dtype=np.int64).reshape(-1, 2).T
        n_added = pairs_to_deepen(
            [as_arrays(run) for run in runs],
            np.array(depths),
            sources=np.arange(1, 7),
            graded=RankedPairs(*columns, np.ones(len(graded), dtype=np.int64)),
        )
    for source, depth, n in zip(range(1, 7), depths, n_added.tolist(), strict=True):
        near = {
            (source, target)
            for run in runs
            for target in run.get(source, [])[: depth + 2 if depth else 0]
        }
        assert n == len(near - graded)
