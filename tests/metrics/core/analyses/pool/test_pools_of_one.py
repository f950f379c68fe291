"""Scores by pools of one run: by trec_eval's code on the labels that one run alone brought."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.pool.pools_of_one import pools_of_one
from metrics.core.measures import measures
from metrics.core.measures.alignment import align
from metrics.core.pools.partial_labels import LabelsByOrigin
from metrics.core.statistics.groups import Groups
from pooling.core.likeness.rankings import Rankings
from tests.metrics.core.analyses.pool import trec
from tests.sizes import cases

N_QUERIES, N_TARGETS, DEPTH = 4, 6, 2
PAIR = st.tuples(st.integers(0, N_QUERIES - 1), st.integers(0, N_TARGETS - 1))
RUN = st.lists(st.permutations(range(N_TARGETS)), min_size=N_QUERIES, max_size=N_QUERIES)


def results_of(runs, people, reference, names, **more):
    pairs = sorted({*people, *reference})
    columns = [
        np.array([grades.get(pair, np.nan) for pair in pairs], dtype=float)
        for grades in (people, reference)
    ]
    labels = LabelsByOrigin(*np.array(pairs).T, *columns)
    n_queries = len(runs[0])
    starts = np.arange(n_queries + 1) * N_TARGETS
    return pools_of_one(
        (align(Rankings(starts, np.concatenate(run)), labels.as_labels()) for run in runs),
        labels,
        np.array([[pair in people and brought(run, pair) for pair in pairs] for run in runs]),
        measures=[measures.parse_one(name) for name in names],
        threshold=1,
        groups=Groups.single(n_queries),
        **more,
    )


def brought(run, pair):
    return pair[1] in run[pair[0]][:DEPTH]


def of_pool(runs, people, *members):
    """People's labels that any of these runs brought, and those that no run did."""
    return {
        pair: grade
        for pair, grade in people.items()
        if any(brought(runs[member], pair) for member in members)
        or not any(brought(run, pair) for run in runs)
    }


@cases(80)
@given(
    runs=st.lists(RUN, min_size=2, max_size=4),
    people=st.dictionaries(PAIR, st.integers(0, 1), min_size=1, max_size=16),
    reference=st.dictionaries(PAIR, st.integers(0, 1), max_size=4),
)
def test_each_run_is_scored_by_the_pool_of_each(runs, people, reference):
    def score(run, labels, measure):
        return np.mean(list(trec.values(labels, dict(enumerate(run)))[measure].values()))

    names = ["C@1", "AP"]
    for name, result in zip(names, results_of(runs, people, reference, names), strict=True):
        assert result.measure == name
        expected = {
            (row, pool): score(run, reference | of_pool(runs, people, pool), name)
            for row, run in enumerate(runs)
            for pool in range(len(runs))
        }
        assert {(row.run, row.pool): row.score for row in result.scores} == pytest.approx(expected)
        assert list(expected) == [(row.run, row.pool) for row in result.scores]
        whole = [score(run, reference | people, name) for run in runs]
        assert result.whole == pytest.approx(whole)
        gains = []
        for row in result.scores:
            below = expected[row.run, row.run] - expected[row.run, row.pool]
            if row.run == row.pool:
                assert row.below_own is None
            else:
                assert row.below_own == pytest.approx(below, abs=1e-12)
                gains.append(below)
        assert result.gain == pytest.approx(np.mean(gains), abs=1e-12)


@cases(60)
@given(
    runs=st.lists(RUN, min_size=4, max_size=4),
    teams=st.sampled_from([[0, 0, 1, 1], [0, 1, 0, 2], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]]),
    people=st.dictionaries(PAIR, st.integers(0, 1), min_size=4, max_size=16),
    reference=st.dictionaries(PAIR, st.integers(0, 1), max_size=4),
)
def test_each_run_is_scored_by_the_pool_of_each_team(runs, teams, people, reference):
    both = results_of(runs, people, reference, ["C@1", "AP"], teams=teams)
    assert [(result.measure, result.by_team) for result in both] == [
        ("C@1", False),
        ("C@1", True),
        ("AP", False),
        ("AP", True),
    ]
    assert both[::2] == results_of(runs, people, reference, ["C@1", "AP"])
    for result in both[1::2]:
        expected = {}
        for row, run in enumerate(runs):
            for team in set(teams):
                members = [member for member, number in enumerate(teams) if number == team]
                labels = reference | of_pool(runs, people, *members)
                values = trec.values(labels, dict(enumerate(run)))[result.measure]
                expected[row, team] = np.mean(list(values.values()))
        scores = {(row.run, row.pool): row.score for row in result.scores}
        assert scores == pytest.approx(expected)
        assert (result.own, len(result.whole)) == (teams, 4)
        gains = {
            (row, team): expected[row, teams[row]] - score
            for (row, team), score in expected.items()
            if team != teams[row]
        }
        below = {
            (row.run, row.pool): row.below_own for row in result.scores if row.below_own is not None
        }
        assert below == pytest.approx(gains, abs=1e-12)
        assert result.gain == pytest.approx(np.mean(list(gains.values())), abs=1e-12)


def test_the_gain_by_the_pool_of_the_own_team_has_students_interval():
    rng = np.random.default_rng(4)
    n, teams = 40, [0, 1, 0]
    runs = [[rng.permutation(N_TARGETS).tolist() for _ in range(n)] for _ in teams]
    people = {(q, t): int(rng.integers(0, 2)) for q in range(n) for t in range(N_TARGETS)}
    result = results_of(runs, people, {}, ["AP"], teams=teams)[1]

    def by_query(row, *members):
        values = trec.values(of_pool(runs, people, *members), dict(enumerate(runs[row])))["AP"]
        return np.array([values[query] for query in range(n)])

    gains = [
        by_query(row, *own) - by_query(row, *other)
        for row, own, other in [(0, (0, 2), (1,)), (1, (1,), (0, 2)), (2, (0, 2), (1,))]
    ]
    gain = np.mean(gains, axis=0)
    interval = stats.t.interval(0.95, n - 1, gain.mean(), stats.sem(gain))
    assert result.gain == pytest.approx(gain.mean())
    assert tuple(result.interval) == pytest.approx(interval)


def test_the_gain_and_each_cell_have_students_interval_over_queries():
    rng = np.random.default_rng(3)
    n = 40
    runs = [[rng.permutation(N_TARGETS).tolist() for _ in range(n)] for _ in range(3)]
    people = {(q, t): int(rng.integers(0, 2)) for q in range(n) for t in range(N_TARGETS)}
    (result,) = results_of(runs, people, {}, ["AP"])

    def by_query(row, pool):
        values = trec.values(of_pool(runs, people, pool), dict(enumerate(runs[row])))["AP"]
        return np.array([values[query] for query in range(n)])

    def interval(values):
        return stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values))

    gains = []
    for row in result.scores:
        if row.run != row.pool:
            gains.append(by_query(row.run, row.run) - by_query(row.run, row.pool))
            assert tuple(row.interval) == pytest.approx(interval(gains[-1]))
    assert result.gain > 0
    assert tuple(result.interval) == pytest.approx(interval(np.mean(gains, axis=0)))


def test_a_rank_that_is_not_known_is_no_number():
    runs = [[list(range(N_TARGETS))] * 2, [list(range(N_TARGETS, 2 * N_TARGETS))] * 2]
    seen = []
    people = {(query, target): 1 for query in range(2) for target in (0, N_TARGETS)}
    (ranks,) = results_of(runs, people, {}, ["MeanR"], on_run=seen.append)
    assert [row.score for row in ranks.scores] == [1, None, None, 1]
    assert [row.below_own for row in ranks.scores] == [None] * 4
    assert ranks.gain is None and tuple(ranks.interval) == (None, None)
    assert seen == [1, 2]


def test_a_smaller_rank_is_better():
    runs = [[list(range(N_TARGETS))] * 2, [list(range(N_TARGETS))[::-1]] * 2]
    people = {(query, target): 1 for query in range(2) for target in (0, 5)}
    (ranks,) = results_of(runs, people, {}, ["MeanR"])
    assert [row.score for row in ranks.scores] == [1, 6, 6, 1]
    assert [row.below_own for row in ranks.scores] == [None, 5, 5, None]
    assert ranks.gain == 5
