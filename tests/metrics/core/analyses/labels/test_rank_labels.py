"""Grades at the ranks of runs: counted again, pair by pair, from rankings and labels."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.labels.rank_labels import RankedLabels, labels_by_rank
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

LEVELS = [3, 2, 1, 0]
DISPUTED, UNKNOWN, PROPAGATED = -1, -2, -3  # in place of a grade


def ranked_labels(name, rankings):
    """The arrays of a run from its rankings: a query's grades, best rank first; None unjudged."""
    places = [
        (query, rank, grade)
        for query, ranking in enumerate(rankings)
        for rank, grade in enumerate(ranking, start=1)
        if grade is not None and grade != UNKNOWN
    ]
    graded = [place for place in places if place[2] >= 0]
    columns = np.array(graded, dtype=np.int64).reshape(-1, 3).T
    propagated, disputed = (
        np.array([rank for _, rank, grade in places if grade == kind], dtype=np.int64)
        for kind in (PROPAGATED, DISPUTED)
    )
    depth = np.array([len(ranking) for ranking in rankings], dtype=np.int64)
    return RankedLabels(name, *columns, propagated, disputed, depth)


def table(*runs, groups=None, threshold=2):
    groups = groups or Groups.single(len(runs[0]))
    return labels_by_rank(
        [ranked_labels(f"run {number}", run) for number, run in enumerate(runs)],
        LEVELS,
        threshold=threshold,
        groups=groups,
    )


def at(rankings, ranks):
    """What stands at some ranks of a run, with the number of its query."""
    return [
        (query, ranking[rank - 1])
        for query, ranking in enumerate(rankings)
        for rank in ranks
        if rank <= len(ranking)
    ]


def assert_counted(shares, places, weight, threshold):
    graded = [(query, grade) for query, grade in places if grade is not None and grade >= 0]
    assert shares.n == len(places)
    assert shares.n_graded == len(graded)
    assert shares.n_propagated == sum(grade == PROPAGATED for _, grade in places)
    assert shares.n_open == sum(grade == DISPUTED for _, grade in places)
    assert shares.n_unjudged == sum(grade is None or grade == UNKNOWN for _, grade in places)
    if not graded:
        assert (shares.by_level, shares.positive) == (None, None)
        return
    weights = [weight[query] for query, _ in graded]
    kinds = [lambda grade, level=level: grade == level for level in LEVELS]
    rows = [*shares.by_level, shares.positive]
    for row, is_of_kind in zip(rows, [*kinds, lambda grade: grade >= threshold], strict=True):
        values = [int(is_of_kind(grade)) for _, grade in graded]
        assert row.n == sum(values)
        assert row.share == pytest.approx(recounts.weighted_mean(values, weights), abs=1e-12)


def last_rank_of(runs):
    """The deepest rank of 20 with half of the largest share of graded pairs; 0 without any."""
    shares = []
    for rank in range(1, 21):
        places = [place for run in runs for place in at(run, [rank])]
        graded = [place for place in places if place[1] is not None and place[1] >= 0]
        shares.append(Fraction(len(graded), len(places)) if places else Fraction(0))
    if not any(shares):
        return 0
    return max(rank for rank, share in enumerate(shares, start=1) if 2 * share >= max(shares))


GRADES = st.sampled_from([None, None, DISPUTED, UNKNOWN, PROPAGATED, 0, 1, 2, 3])
RUNS = st.integers(1, 7).flatmap(
    lambda n: st.lists(
        st.lists(st.lists(GRADES, max_size=23), min_size=n, max_size=n), min_size=1, max_size=3
    )
)


@cases(300)
@given(RUNS, st.integers(0, 3), st.booleans())
def test_pairs_are_counted_by_level_at_each_rank_of_each_run(runs, threshold, has_weights):
    n_queries = len(runs[0])
    weight = [1.0 + 2 * (query % 3) for query in range(n_queries)] if has_weights else None
    groups = Groups.of(np.arange(n_queries) // 2, weight=weight and np.array(weight))
    ours = table(*runs, groups=groups, threshold=threshold)
    weight = weight or [1.0] * n_queries
    assert ours.last_rank == last_rank_of(runs)
    if not ours.last_rank:
        assert (ours.runs, ours.whole) == ([], None)
        return
    ranks = range(1, ours.last_rank + 1)
    for number, (run, of_run) in enumerate(zip(runs, ours.runs, strict=True)):
        assert of_run.name == f"run {number}"
        for rank, shares in zip(ranks, of_run.by_rank, strict=True):
            assert_counted(shares, at(run, [rank]), weight, threshold)
        assert_counted(of_run.whole, at(run, ranks), weight, threshold)
    everything = [place for run in runs for place in at(run, ranks)]
    assert_counted(ours.whole, everything, weight, threshold)
    deeper = [place for run in runs for place in at(run, range(ours.last_rank + 1, 30))]
    assert ours.n_deeper == sum(grade is not None and grade >= 0 for _, grade in deeper)


def test_at_one_rank_of_single_queries_the_interval_is_statsmodels_wilson():
    ours = table([[3]] * 30 + [[2]] * 15 + [[0]] * 5 + [[None]] * 9)
    (shares,) = ours.runs[0].by_rank
    for row, n in zip([*shares.by_level, shares.positive], [30, 15, 0, 5, 45], strict=True):
        theirs = proportion_confint(n, 50, method="wilson")
        assert row.interval == pytest.approx(theirs, abs=1e-12)


def test_pairs_of_one_query_are_no_more_certain_than_one_of_them():
    """The same grades at ten ranks, and of two runs, say no more of other queries than one does."""
    queries = [[3] * 10, [0] * 10] * 20
    alone, ten, runs = table([[3], [0]] * 20), table(queries), table(queries, queries)
    for ours in (ten.whole, runs.whole):
        for row, single in zip(ours.by_level, alone.whole.by_level, strict=True):
            assert row.share == single.share
            assert row.interval == pytest.approx(single.interval, abs=0.02)
    independent = proportion_confint(200, 400, method="wilson")
    assert ten.whole.by_level[0].interval.low < independent[0] - 0.05


def test_groups_widen_intervals_and_a_single_group_has_none():
    queries = [[3], [3], [0], [0]] * 10
    single, pairs = table(queries), table(queries, groups=Groups.of(np.arange(40) // 2))
    narrow, wide = (ours.whole.by_level[0].interval for ours in (single, pairs))
    assert wide.low < narrow.low and narrow.high < wide.high
    one_group = table(queries, groups=Groups.of(np.zeros(40)))
    assert one_group.whole.positive.interval == NO_INTERVAL
    assert one_group.whole.positive.share == 0.5


def test_ranks_that_only_other_runs_had_judged_are_left_out():
    """A pool of depth 3: of the ranks below it a few pairs have a grade, since others had them."""
    judged = [[3, 2, 1, None, None, None, None, None]] * 3
    ours = table([*judged, [2, 2, 2, 2, None, None, None, 2]])
    assert (ours.last_rank, ours.n_deeper) == (3, 2)


def test_half_of_the_largest_share_is_enough():
    assert table([[1, 1], [1, None], [1, 1], [1, None]]).last_rank == 2
    assert table([[1, 1], [1, None], [1, None], [1, None]]).last_rank == 1


def test_grades_beyond_the_twentieth_rank_make_no_table():
    ours = table([[None] * 20 + [3]])
    assert (ours.last_rank, ours.runs, ours.whole, ours.n_deeper) == (0, [], None, 1)
