"""Differences of systems: means, verdicts, letters, groups and pairs, counted from definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.systems.differences import pair_differences, system_differences
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from tests.real_data import FOLDER, needs_real_data
from tests.sizes import cases

METHODS = ("tukey", "regwq", "newman-keuls", "randomized-tukey", "randomization")


def made_scores(seed: int, t: int, s: int) -> np.ndarray:
    """Scores whose systems lie up to 0.6 apart, on topics that differ."""
    rng = np.random.default_rng(seed)
    system = rng.permutation(np.linspace(0, 0.6, s))
    return rng.random((t, 1)) + rng.normal(0, 0.2, (t, s)) + system


def tukey_pairs(scores: np.ndarray) -> set[frozenset[int]]:
    """Pairs that differ by Tukey's HSD and by the error of their own differences, by SciPy."""
    t, s = scores.shape
    residual = scores - scores.mean(axis=0) - scores.mean(axis=1)[:, None] + scores.mean()
    df = (t - 1) * (s - 1)
    error = np.sqrt(np.sum(residual**2) / df / t)
    critical, own_critical = (stats.studentized_range.ppf(0.95, s, f) for f in (df, t - 1))
    pairs = set()
    for a, b in itertools.combinations(range(s), 2):
        difference = scores[:, a] - scores[:, b]
        own_error = difference.std(ddof=1) / np.sqrt(2 * t)
        if abs(difference.mean()) > max(critical * error, own_critical * own_error):
            pairs.add(frozenset((a, b)))
    return pairs


def pairs_by_letters(systems) -> set[frozenset[int]]:
    """Pairs that share no letter."""
    return {
        frozenset((a.system, b.system))
        for a, b in itertools.combinations(systems, 2)
        if not set(a.letters) & set(b.letters)
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_two_systems_share_no_letter_where_they_differ_by_tukeys_test(seed):
    scores = made_scores(seed, 20, 6)
    outcome = system_differences(scores, groups=Groups.single(20), method="tukey")
    expected = tukey_pairs(scores)
    assert 0 < len(expected) < 15
    assert pairs_by_letters(outcome.systems) == expected
    assert (outcome.n_differing, outcome.n_pairs) == (len(expected), 15)
    pairs = pair_differences(scores, outcome.verdicts, groups=Groups.single(20))
    assert {frozenset((pair.first, pair.second)) for pair in pairs if pair.differ} == expected


@cases(100)
@given(st.integers(0, 10_000), st.integers(3, 20), st.integers(2, 7), st.sampled_from(METHODS))
def test_places_groups_and_counts_follow_the_means_and_letters(seed, t, s, method):
    scores = made_scores(seed, t, s)
    outcome = system_differences(scores, groups=Groups.single(t), method=method)
    systems = outcome.systems
    means = [sum(column) / t for column in scores.T.tolist()]
    assert [row.system for row in systems] == sorted(range(s), key=lambda run: -means[run])
    assert [row.mean for row in systems] == pytest.approx(sorted(means, reverse=True))
    assert [row.rank for row in systems] == list(range(1, s + 1))
    differing = pairs_by_letters(systems)
    for row in systems:
        assert row.n_differing == sum(row.system in pair for pair in differing)
    assert outcome.n_differing == len(differing) and outcome.n_pairs == s * (s - 1) // 2
    head, group = systems[0].system, 1
    for row in systems:
        if frozenset((head, row.system)) in differing:
            head, group = row.system, group + 1
        assert row.group == group


@cases(60)
@given(st.integers(0, 10_000), st.integers(3, 20), st.integers(2, 5))
def test_pairs_have_the_difference_and_interval_of_the_paired_t_test(seed, t, s):
    scores = made_scores(seed, t, s)
    outcome = system_differences(scores, groups=Groups.single(t), method="newman-keuls")
    pairs = pair_differences(scores, outcome.verdicts, groups=Groups.single(t))
    order = [row.system for row in outcome.systems]
    assert [(pair.first, pair.second) for pair in pairs] == list(itertools.combinations(order, 2))
    for pair in pairs:
        first, second = scores[:, pair.first], scores[:, pair.second]
        expected = stats.ttest_rel(first, second)
        assert pair.difference == pytest.approx((first - second).mean())
        assert pair.difference >= 0
        assert pair.interval == pytest.approx(expected.confidence_interval(0.95))


def test_where_smaller_is_better_the_smallest_mean_leads():
    ranks = np.random.default_rng(4).integers(1, 30, (40, 4)) + np.array([0, 40, 5, 90])
    values = ranks.astype(np.float64)
    outcome = system_differences(
        values, groups=Groups.single(40), method="tukey", smaller_is_better=True
    )
    assert [row.mean for row in outcome.systems] == sorted(values.mean(axis=0))
    assert [row.rank for row in outcome.systems] == [1, 2, 3, 4]
    pairs = pair_differences(values, outcome.verdicts, groups=Groups.single(40))
    assert all(pair.difference < 0 for pair in pairs)


def test_intervals_of_shares_are_wilsons_and_of_other_means_students():
    hits = (np.random.default_rng(5).random((50, 2)) < [0.2, 0.7]).astype(np.float64)
    single = Groups.single(50)
    for row in system_differences(hits, groups=single, method="tukey", are_shares=True).systems:
        expected = proportion_confint(int(hits[:, row.system].sum()), 50, method="wilson")
        assert row.interval == pytest.approx(expected, abs=1e-9)
    for row in system_differences(hits, groups=single, method="tukey").systems:
        column = hits[:, row.system]
        expected = stats.t.interval(0.95, 49, loc=column.mean(), scale=stats.sem(column))
        assert row.interval == pytest.approx(expected, abs=1e-9)


def test_of_groups_of_one_size_it_is_that_of_their_means():
    scores = made_scores(6, 36, 4)
    means = scores.reshape(12, 3, 4).mean(axis=1)
    groups = Groups.of(np.repeat(np.arange(12), 3))
    outcome = system_differences(scores, groups=groups, method="tukey")
    expected = system_differences(means, groups=Groups.single(12), method="tukey")
    assert [row.letters for row in outcome.systems] == [row.letters for row in expected.systems]
    for row, other in zip(outcome.systems, expected.systems, strict=True):
        assert row.interval == pytest.approx(other.interval)
    pairs = pair_differences(scores, outcome.verdicts, groups=groups)
    for pair, other in zip(
        pairs,
        pair_differences(means, expected.verdicts, groups=Groups.single(12)),
        strict=True,
    ):
        assert (pair.first, pair.second, pair.differ) == (other.first, other.second, other.differ)
        assert pair.interval == pytest.approx(other.interval)


def test_equal_systems_share_their_rank_and_letter():
    scores = np.repeat(np.random.default_rng(7).random((9, 1)), 3, axis=1)
    outcome = system_differences(scores, groups=Groups.single(9), method="randomized-tukey")
    assert [(row.rank, row.letters, row.group) for row in outcome.systems] == [(1, ["a"], 1)] * 3
    pairs = pair_differences(scores, outcome.verdicts, groups=Groups.single(9))
    assert {(pair.difference, pair.interval, pair.differ) for pair in pairs} == {
        (0.0, NO_INTERVAL, False)
    }


@needs_real_data
def test_newman_keuls_over_the_129_runs_of_trec_8():
    path = FOLDER / "trec_topic_run_matrices/adhoc8_ap.csv"
    scores = np.loadtxt(path, delimiter=",", skiprows=1)
    outcome = system_differences(scores, groups=Groups.single(50), method="newman-keuls")
    assert (outcome.n_differing, outcome.n_pairs) == (3865, 8256)
    groups = [row.group for row in outcome.systems]
    assert [groups.count(number) for number in range(1, 7)] == [1, 8, 71, 23, 11, 15]
    pairs = pair_differences(scores, outcome.verdicts, groups=Groups.single(50))
    assert sum(pair.differ for pair in pairs) == 3865 and len(pairs) == 8256


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("smaller_is_better", [False, True])
def test_scores_of_any_size_are_ordered_alike(method, smaller_is_better):
    scores = made_scores(4, 20, 5)
    ranks = [
        [
            (row.system, row.rank, row.letters)
            for row in system_differences(
                scale * scores,
                groups=Groups.single(20),
                method=method,
                smaller_is_better=smaller_is_better,
            ).systems
        ]
        for scale in (2.0**-200, 2.0**-47, 1.0, 2.0**40)
    ]
    assert ranks[0] == ranks[1] == ranks[2] == ranks[3]
    assert [rank for _, rank, _ in ranks[0]] == [1, 2, 3, 4, 5]


def test_systems_with_the_same_scores_on_other_topics_share_a_rank_at_any_size():
    rng = np.random.default_rng(8)
    for scale, offset in ((1e-14, 0), (1, 0), (1e4, 0), (1, 1e9)):
        scores = offset + scale * np.round(rng.random(50), 4)
        others = [rng.permutation(scores) for _ in range(3)]
        outcome = system_differences(
            np.column_stack([scores, *others]), groups=Groups.single(50), method="tukey"
        )
        assert [row.rank for row in outcome.systems] == [1] * 4
