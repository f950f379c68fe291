"""Spearman's correlation with an interval: against SciPy and a bootstrap written anew."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from metrics.core.statistics.rank_correlations import RankCorrelation, spearman_with_interval
from tests.sizes import cases

NUMBER = st.integers(0, 4) | st.integers(-1_000, 1_000) | st.floats(-5, 5, width=16)
UNEQUAL = np.repeat(np.arange(50), np.random.default_rng(8).integers(1, 9, 50))


def correlation(x, y, keys=None, weight=None) -> RankCorrelation:
    keys = np.arange(len(x)) if keys is None else keys
    weight = None if weight is None else np.array(weight, dtype=float)
    return spearman_with_interval(x, y, groups=Groups.of(keys, weight=weight))


def alike(keys: np.ndarray, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers with ties that are alike within groups, and correlated."""
    rng = np.random.default_rng(seed)
    of_group = rng.normal(0, 1, (2, keys.max() + 1))
    x, y = of_group[:, keys] + rng.normal(0, 1, (2, len(keys)))
    return np.round(3 * x), np.round(3 * y + 2 * x)


def error_on_z(ours: RankCorrelation, n_groups: int) -> float:
    """The standard error of Fisher's z that an interval was made with."""
    low, high = np.arctanh(ours.interval)
    return (high - low) / 2 / stats.t.ppf(0.975, n_groups - 1)


@cases(400)
@given(st.lists(st.tuples(NUMBER, NUMBER), min_size=2, max_size=70))
def test_the_value_is_scipys(pairs):
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    ours = correlation(x, y)
    assert ours.n == len(pairs)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert (ours.value, ours.interval) == (None, NO_INTERVAL)
        return
    assert ours.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    low, high = ours.interval
    if low is not None or high is not None:
        assert len(pairs) >= 4
        assert -1 <= low <= ours.value <= high <= 1


@pytest.mark.parametrize("n", [5, 100, 3_000])
def test_the_value_of_many_or_few_queries_is_scipys_in_any_groups(n):
    keys = np.arange(n) // 3
    x, y = alike(keys)
    expected = stats.spearmanr(x, y).statistic
    assert correlation(x, y).value == pytest.approx(expected, abs=1e-12)
    assert correlation(x, y, keys).value == pytest.approx(expected, abs=1e-12)


@cases(200)
@given(st.lists(st.tuples(NUMBER, NUMBER, st.integers(1, 5)), min_size=2, max_size=50))
def test_a_query_of_weight_2_counts_as_two(rows):
    x, y, weight = zip(*rows, strict=True)
    ours = correlation(x, y, weight=weight)
    assert ours.n == len(rows)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert ours.value is None
        return
    copies = np.repeat(x, weight), np.repeat(y, weight)
    assert ours.value == pytest.approx(stats.spearmanr(*copies).statistic, abs=1e-9)
    assert correlation(*copies).value == pytest.approx(ours.value, abs=1e-9)


def test_a_group_of_equal_queries_is_a_query_of_their_weight():
    """Both the value and, but for other random draws, the interval."""
    n_copies = 1 + np.arange(60) % 3
    x, y = alike(np.arange(60))
    of_copies = correlation(*(np.repeat(v, n_copies) for v in (x, y, np.arange(60))))
    by_weight = correlation(x, y, weight=n_copies)
    assert of_copies.value == pytest.approx(by_weight.value, abs=1e-12)
    assert error_on_z(of_copies, 60) == pytest.approx(error_on_z(by_weight, 60), rel=0.1)


@pytest.mark.parametrize("n_copies", [2, 5])
def test_groups_of_equal_queries_tell_no_more_than_one_query_of_each(n_copies):
    x, y = alike(np.arange(60), 1)
    alone = correlation(x, y)
    of_copies = correlation(*(np.repeat(v, n_copies) for v in (x, y, np.arange(60))))
    assert of_copies.value == pytest.approx(alone.value, abs=1e-12)
    assert of_copies.n == n_copies * alone.n
    assert error_on_z(of_copies, 60) == pytest.approx(error_on_z(alone, 60), rel=0.1)
    apart = correlation(np.repeat(x, n_copies), np.repeat(y, n_copies))
    assert error_on_z(apart, 60 * n_copies) < 0.8 * error_on_z(alone, 60)


@pytest.mark.parametrize("keys", [np.arange(80), UNEQUAL], ids=["single", "unequal"])
@pytest.mark.parametrize("are_weights_equal", [True, False])
def test_the_interval_is_students_on_z_with_the_error_of_whole_groups_drawn_anew(
    keys, are_weights_equal
):
    x, y = alike(keys, 2)
    n_groups = keys.max() + 1
    weight = np.ones(len(keys), dtype=int) if are_weights_equal else 1 + keys % 3
    ours = correlation(x, y, keys, weight)
    rng, z = np.random.default_rng(3), []
    members = [np.repeat(np.flatnonzero(keys == g), weight[keys == g]) for g in range(n_groups)]
    for _ in range(1_500):
        sample = np.concatenate([members[g] for g in rng.integers(0, n_groups, n_groups)])
        ranks = stats.rankdata(x[sample]), stats.rankdata(y[sample])
        z.append(np.arctanh(np.corrcoef(*ranks)[0, 1]))
    assert error_on_z(ours, n_groups) == pytest.approx(np.std(z, ddof=1), rel=0.08)
    assert np.mean(np.arctanh(ours.interval)) == pytest.approx(np.arctanh(ours.value), abs=1e-9)


@pytest.mark.parametrize("n_groups", [4, 5])
def test_of_few_groups_the_error_is_that_over_every_sample_of_them(n_groups):
    """Of 256 or 3,125 samples, each as likely as any other; Student's quantile is 3.2 or 2.8."""
    keys = np.arange(40) % n_groups
    x, y = alike(keys, 9)
    z = []
    for sample in product(range(n_groups), repeat=n_groups):
        queries = np.concatenate([np.flatnonzero(keys == group) for group in sample])
        ranks = stats.rankdata(x[queries]), stats.rankdata(y[queries])
        z.append(np.arctanh(np.corrcoef(*ranks)[0, 1]))
    ours = correlation(x, y, keys)
    assert error_on_z(ours, n_groups) == pytest.approx(np.std(z), rel=0.1)


def test_the_interval_is_the_same_in_every_run_and_order():
    x, y = alike(UNEQUAL, 4)
    weight = 1.0 + np.arange(len(x)) % 4
    ours = correlation(x, y, UNEQUAL, weight)
    assert ours == correlation(x, y, UNEQUAL, weight)
    for seed in range(5):
        mixed = np.random.default_rng(seed).permutation(len(x))
        again = correlation(x[mixed], y[mixed], UNEQUAL[mixed], weight[mixed])
        assert again == ours


def test_a_rank_correlation_is_turned_with_a_number_and_does_not_see_its_scale():
    x, y = alike(UNEQUAL, 5)
    ours, turned = correlation(x, y, UNEQUAL), correlation(x, -y, UNEQUAL)
    assert turned.value == pytest.approx(-ours.value, abs=1e-12)
    assert correlation(np.exp(x / 9), y**3, UNEQUAL).value == pytest.approx(ours.value, abs=1e-12)
    assert correlation(y, x, UNEQUAL).value == pytest.approx(ours.value, abs=1e-12)


@pytest.mark.parametrize("x", [[5.0] * 9, [0] * 9, [0.1 + 0.2] * 9])
def test_where_a_number_does_not_vary_there_is_no_correlation(x):
    y = [*range(9)]
    nothing = RankCorrelation(None, NO_INTERVAL, 9)
    assert correlation(x, y) == correlation(y, x) == correlation(x, x) == nothing
    assert correlation(x, y, weight=[*range(1, 10)]) == nothing


def test_a_number_that_does_not_vary_is_told_from_its_rounding_whatever_the_weights():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, weight = rng.normal(0, 1, 333), rng.random(333) ** 4 + 1e-6
        assert correlation(np.full(333, 0.3), y, weight=weight) == (None, NO_INTERVAL, 333)


def test_numbers_of_which_a_single_one_of_thousands_differs_vary():
    x, y = (np.arange(20_000) == position for position in (3, 7))
    assert correlation(x, y).value == pytest.approx(-1 / 19_999, rel=1e-9)
    assert correlation(x, y, weight=1 + np.arange(20_000) % 2).value < 0


def test_a_single_query_has_no_correlation():
    assert correlation([1], [2]) == RankCorrelation(None, NO_INTERVAL, 1)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_correlation_has_no_interval(sign):
    x = np.arange(30)
    for y in (sign * x, sign * x**3, sign * (x // 2)):
        assert correlation(x // 2 if y[0] == y[1] else x, y) == (sign, NO_INTERVAL, 30)


def test_fewer_than_four_groups_have_no_interval():
    x, y = alike(np.arange(40), 6)
    for n_groups in (1, 2, 3):
        ours = correlation(x, y, np.arange(40) % n_groups)
        assert ours.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
        assert ours.interval == NO_INTERVAL
    assert correlation(x, y, np.arange(40) % 4).interval != NO_INTERVAL


def test_a_handful_of_queries_has_no_interval_as_of_too_many_samples_rho_is_1_or_undefined():
    """Of five queries 10 (2^5 - 2) + 5 of 5^5 samples hold two or one, of twelve next to none."""
    numbers = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5]
    few, more = (correlation(*(column[:n] for column in numbers)) for n in (5, 12))
    assert few.value == pytest.approx(stats.spearmanr(*(c[:5] for c in numbers)).statistic)
    assert few.interval == NO_INTERVAL
    assert more.interval != NO_INTERVAL


def test_groups_of_which_a_few_decide_everything_have_no_interval():
    keys = np.array([*[0] * 200, *[1] * 200, *range(2, 22)])
    x, y = alike(keys, 7)
    assert Groups.of(keys).is_lopsided
    assert correlation(x, y, keys).interval == NO_INTERVAL
    assert correlation(x, y).interval != NO_INTERVAL


def test_where_too_many_samples_have_nothing_that_varies_there_is_no_interval():
    """A number that one query of forty differs in is constant in 36 % of all samples."""
    _, y = alike(np.arange(40), 8)
    odd = (np.arange(40) == 17).astype(float)
    ours = correlation(odd, y)
    assert ours.value == pytest.approx(stats.spearmanr(odd, y).statistic, abs=1e-12)
    assert ours.interval == NO_INTERVAL
    many = (np.arange(40) % 3 == 0).astype(float)
    assert correlation(many, y).interval != NO_INTERVAL
