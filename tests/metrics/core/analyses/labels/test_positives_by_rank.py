"""Positives by rank: a recount from rankings and sets of labels, in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.labels.positives_by_rank import RankedPositives, positives_by_rank
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

N_ORIGINS = 3


@st.composite
def studies_of_one_run(draw):
    """For each query how deep its ranking is, its positives with their origin, what is judged.

    Targets are named by their rank; those beyond the depth are not in the run.
    """
    queries = []
    for _ in range(draw(st.integers(1, 5))):
        depth = draw(st.sampled_from([0, 3, 11, 25, 60, 130]))
        targets = st.integers(1, 140)
        origins = draw(st.dictionaries(targets, st.integers(0, N_ORIGINS - 1), max_size=12))
        queries.append((depth, origins, draw(st.sets(targets, max_size=12))))
    queries[0][1].setdefault(draw(st.integers(1, 140)), 1)
    return queries


def by_rank(queries, *, groups: Groups | None = None, deepest: int | None = None):
    rows = [
        (query, target if target <= depth else 0, origin)
        for query, (depth, origins, _) in enumerate(queries)
        for target, origin in origins.items()
    ]
    query, rank, origin = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    judged = [target for depth, _, targets in queries for target in targets if target <= depth]
    depth = np.array([depth for depth, _, _ in queries])
    return positives_by_rank(
        RankedPositives(query, rank, origin, np.array(judged, dtype=np.int64), depth),
        groups=groups or Groups.single(len(queries)),
        n_origins=N_ORIGINS,
        deepest=int(depth.max()) if deepest is None else deepest,
    )


def bin_of(rank: int) -> tuple[int, int]:
    """The first and last rank of the bin of a rank, up to 200."""
    if rank <= 20:
        return rank, rank
    return next((first, last) for first, last in ((21, 50), (51, 100), (101, 200)) if rank <= last)


@cases(300)
@given(studies_of_one_run(), st.data())
def test_counts_and_shares_are_those_of_a_recount(queries, data):
    weight = [data.draw(st.integers(1, 3)) for _ in queries]
    groups = Groups.of(np.arange(len(queries)), weight=np.array(weight, dtype=float))
    ours = by_rank(queries, groups=groups)
    deepest = max(1, *(depth for depth, _, _ in queries), 1)
    assert [(row.first, row.last) for row in ours.bins] == sorted(
        {bin_of(rank) for rank in range(1, deepest + 1)}
    )
    for row in ours.bins:
        ranks = range(row.first, row.last + 1)
        for origin in range(N_ORIGINS):
            assert row.n_positive[origin] == sum(
                origins.get(rank) == origin and rank <= depth
                for depth, origins, _ in queries
                for rank in ranks
            )
        assert row.n_ranked == sum(rank <= depth for depth, _, _ in queries for rank in ranks)
        assert row.n_judged == sum(
            rank in judged and rank <= depth for depth, _, judged in queries for rank in ranks
        )
    parts = {"within": [], "beyond": [], "absent": []}
    for number, (depth, origins, _) in enumerate(queries):
        for target, origin in origins.items():
            name = "absent" if target > depth else "within" if target <= 10 else "beyond"
            parts[name].append((origin, weight[number]))
    total = sum(w for rows in parts.values() for _, w in rows)
    for name, rows in parts.items():
        part = getattr(ours, name)
        assert part.n_positive == [sum(origin == k for origin, _ in rows) for k in range(N_ORIGINS)]
        assert part.share == pytest.approx(sum(w for _, w in rows) / total, abs=1e-12)
        if part.interval != NO_INTERVAL:
            assert 0 <= part.interval.low <= part.share <= part.interval.high <= 1


def test_the_interval_of_queries_with_one_positive_each_is_statsmodels_wilson_interval():
    queries = [
        (20, {5 if query < 30 else 15 if query < 42 else 25: 0}, set()) for query in range(60)
    ]
    ours = by_rank(queries)
    for part, n in ((ours.within, 30), (ours.beyond, 12), (ours.absent, 18)):
        theirs = proportion_confint(n, 60, method="wilson")
        assert part.interval == pytest.approx(theirs, abs=1e-9)


def test_positives_of_one_group_make_the_interval_wider():
    queries = [
        (20, {5 if query % 2 else 15: 0, 6 if query % 2 else 16: 0}, set()) for query in range(40)
    ]
    single, grouped = by_rank(queries), by_rank(queries, groups=Groups.of(np.arange(40) % 8))
    assert grouped.within.share == single.within.share == 0.5
    assert grouped.within.interval.low < single.within.interval.low
    plain = proportion_confint(40, 80, method="wilson")
    assert single.within.interval.low < plain[0]  # two positives of a query count as one
    assert by_rank(queries, groups=Groups.of(np.zeros(40))).within.interval == NO_INTERVAL


def test_bins_go_down_to_the_deepest_rank_of_any_run():
    ours = by_rank([(2, {1: 0}, set())], deepest=1_500)
    assert [row.label for row in ours.bins[:2]] == ["1", "2"]
    assert [row.label for row in ours.bins[20:]] == [
        "21 to 50",
        "51 to 100",
        "101 to 200",
        "201 to 500",
        "501 to 1,000",
        "1,001 to 2,000",
    ]
    assert [row.n_ranked for row in ours.bins[:4]] == [1, 1, 0, 0]
    assert len(by_rank([(0, {1: 0}, set())]).bins) == 1


def test_a_rank_is_in_the_bin_that_ends_with_it():
    edges = {rank: rank % N_ORIGINS for rank in (10, 11, 20, 21, 50, 51, 100, 101)}
    ours = by_rank([(200, edges, set())])
    counts = {row.label: sum(row.n_positive) for row in ours.bins if any(row.n_positive)}
    assert counts == {
        "10": 1,
        "11": 1,
        "20": 1,
        "21 to 50": 2,
        "51 to 100": 2,
        "101 to 200": 1,
    }
    assert sum(ours.within.n_positive) == 1
    assert recounts.weighted_mean([1, 0], [1, 7]) == ours.within.share
