"""Randomized Tukey: equal to its definition, the same for the same values, and bounded."""

import time
from itertools import permutations, product

import numpy as np
import pytest

from metrics.core.comparisons import permutation_tests
from metrics.core.comparisons.permutation_tests import (
    affordable_samples,
    come_in_families,
    differing_rows,
    permuted_sums,
    randomized_q_p,
    randomized_tukey_p,
)
from metrics.core.comparisons.run_comparison import decide
from metrics.core.statistics.groups import Groups


def scores(seed: int, n: int = 30, s: int = 5) -> np.ndarray:
    """Some rows in which all systems are equal, and ties."""
    rng = np.random.default_rng(seed)
    table = np.round(
        np.clip(rng.random((n, 1)) + rng.normal(np.linspace(0, 0.35, s), 0.3, (n, s)), 0, 1), 1
    )
    table[::7] = table[::7, :1]
    return table


def slow(table: np.ndarray, n_samples: int, seed: int) -> np.ndarray:
    """Carterette's loop: a row after the other, a sample after the other."""
    rng, means = np.random.default_rng(seed), table.mean(axis=0)
    apart, further = np.abs(means[:, None] - means[None, :]), 0
    for _ in range(n_samples):
        sample = np.array([rng.permutation(row) for row in table]).mean(axis=0)
        further = further + (sample.max() - sample.min() >= apart - 1e-12)
    return (1 + further) / (1 + n_samples)


@pytest.mark.parametrize("seed", [0, 3, 7])
def test_it_agrees_with_the_loop_over_samples_and_rows(seed):
    table = scores(seed)
    p, expected = randomized_tukey_p(table, n_samples=10_000), slow(table, 3_000, seed)
    assert p == pytest.approx(expected, abs=0.05)
    assert p.min() < 0.05 < 0.9 < np.unique(p)[-2]  # of pairs of all kinds


def test_it_agrees_with_all_permutations_of_a_small_table():
    table = np.array([[0.1, 0.5, 0.9], [0.2, 0.2, 0.7], [0.4, 0.8, 0.6], [0.0, 0.3, 0.9]])
    means = table.mean(axis=0)
    dealt = [
        np.array(rows).mean(axis=0) for rows in product(*(list(permutations(row)) for row in table))
    ]
    ranges = np.array([sums.max() - sums.min() for sums in dealt])
    p = randomized_tukey_p(table, n_samples=40_000)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = np.mean(ranges >= abs(means[i] - means[j]) - 1e-12)
        assert p[i, j] == pytest.approx(expected, abs=0.015)


def test_two_systems_are_tossed():
    """A permutation of two scores is a toss: 2 of the 32 reach the sum."""
    table = np.array([[0.9, 0.1], [0.8, 0.3], [0.7, 0.2], [0.6, 0.1], [0.9, 0.4]])
    assert randomized_tukey_p(table, n_samples=50_000)[0, 1] == pytest.approx(2 / 32, abs=0.006)


def test_the_same_values_have_the_same_p_in_whatever_order():
    table, rng = scores(1), np.random.default_rng(0)
    p = randomized_tukey_p(table, n_samples=500)
    for _ in range(3):
        rows, systems = rng.permutation(len(table)), rng.permutation(table.shape[1])
        again = randomized_tukey_p(table[rows][:, systems], n_samples=500)
        assert (again == p[np.ix_(systems, systems)]).all()
    assert (randomized_tukey_p(table, n_samples=500, seed=1) != p).any()
    assert (
        randomized_tukey_p(table, n_samples=500, seed=1)
        == randomized_tukey_p(table, n_samples=500, seed=1)
    ).all()


def test_rows_in_which_all_systems_are_alike_change_nothing():
    table = scores(2)
    assert len(differing_rows(table)) < len(table)
    assert (
        randomized_tukey_p(differing_rows(table), n_samples=500)
        == randomized_tukey_p(table, n_samples=500)
    ).all()
    assert (randomized_tukey_p(np.ones((4, 3)), n_samples=50) == 1).all()
    assert randomized_q_p(np.ones((4, 3)), n_samples=50) == 1


def test_each_row_keeps_its_values_and_every_order_is_as_likely():
    rows, n = np.array([[1.0, 10.0, 100.0]]), 12_000
    sums = np.concatenate(list(permuted_sums(rows, n_samples=n)))
    assert sums.shape == (n, 3) and (np.sort(sums, axis=1) == rows).all()
    _, counts = np.unique(sums, axis=0, return_counts=True)
    assert len(counts) == 6 and np.abs(counts / n - 1 / 6).max() < 0.02


def large(seed: int, n: int = 260, s: int = 41) -> np.ndarray:
    """A table whose samples come in families, and rows that are no whole bundle."""
    rng = np.random.default_rng(seed)
    table = rng.gamma(0.4, 1, (n + 3, 1)) * rng.random((n + 3, s)) + rng.normal(0, 0.05, s)
    assert come_in_families(*table.shape) and not come_in_families(50, 129)
    assert come_in_families(50, 201) and not come_in_families(40, 2_001)  # bundles are too few
    return np.round(table, 3)


def test_families_agree_with_the_loop_over_samples_and_rows():
    table = large(1)
    p, expected = randomized_tukey_p(table, n_samples=10_000), slow(table, 1_000, 1)
    assert p == pytest.approx(expected, abs=0.055)
    assert p.min() < 0.05 < 0.5 < np.unique(p)[-2]  # of pairs of all kinds


def test_every_sample_of_a_family_deals_all_scores_anew():
    table, n = large(3), 4_000
    sums = np.concatenate(list(permuted_sums(table, n_samples=n)))
    assert sums.shape == (n, 41) and sums.sum(axis=1) == pytest.approx(table.sum())
    # a system's sum has the variance of drawing one of each row's scores, and any two systems'
    # sums are as likely to be apart: - 1 / 40 of it
    variance = table.var(axis=1).sum()
    assert np.square(sums - table.mean(axis=1).sum()).mean() == pytest.approx(variance, rel=0.02)
    correlation = np.corrcoef(sums.T)[np.triu_indices(41, k=1)]
    assert correlation.mean() == pytest.approx(-1 / 40, abs=0.002)
    # within a family one sample says nothing of another
    ranges = np.ptp(sums, axis=1).reshape(-1, permutation_tests.FAMILY)
    between = ranges.mean(axis=1).var() / (ranges.var() / permutation_tests.FAMILY)
    assert between == pytest.approx(1, abs=0.2)
    assert len(np.unique(sums[:, 0])) > 0.9 * n


def test_the_last_family_is_as_short_as_the_number_of_samples_wants():
    steps = []
    blocks = permuted_sums(large(4), n_samples=47, report=lambda *step: steps.append(step))
    assert [len(sums) for sums in blocks] == [10, 10, 10, 10, 7]
    assert steps == [(n, 47) for n in (0, 10, 20, 30, 40, 47)]


@pytest.mark.parametrize("method", [randomized_tukey_p, randomized_q_p])
def test_equal_systems_over_groups_differ_in_5_percent_of_worlds(method):
    """Sums a group are permuted as a whole; with single queries far more would differ."""
    groups, rng, n_worlds = Groups.of(np.repeat(np.arange(20), 10)), np.random.default_rng(0), 600
    n_in_groups, n_single = 0, 0
    for number in range(n_worlds):
        of_group = rng.normal(0, 1, (20, 3))[groups.of_query]
        table = of_group + rng.normal(0, 1, (200, 3))
        n_in_groups += np.min(method(groups.totals(table), n_samples=199)) <= 0.05
        n_single += number < 150 and np.min(method(table, n_samples=199)) <= 0.05
    assert n_in_groups / n_worlds == pytest.approx(0.05, abs=0.03)
    assert n_single / 150 > 0.2


def test_how_often_is_what_can_be_waited_for():
    assert affordable_samples(50, 129) == 10_000
    assert affordable_samples(250, 129) == 10_000
    assert affordable_samples(27_763, 10) == 3_601  # of families, two tenths of the scores each
    assert affordable_samples(9_000, 2) == 10_000
    assert affordable_samples(27_763, 129) == 0
    assert affordable_samples(0, 5) == 10_000


def test_the_measures_of_a_board_share_what_can_be_waited_for():
    assert affordable_samples(250, 129, n_tables=6) == 5_167
    assert permutation_tests.CELLS >= 6 * 5_167 * 250 * 129 / 5
    assert affordable_samples(12, 3, n_tables=6) == 10_000
    assert affordable_samples(27_763, 10, n_tables=6) == 1_000  # each has what a verdict needs
    assert affordable_samples(27_763, 129, n_tables=6) == 0


@pytest.mark.heavy
def test_six_measures_of_a_big_table_take_seconds():
    tables = np.random.default_rng(0).random((6, 250, 129))
    begun = time.thread_time()
    for table in tables:
        decide(table, method="randomized-tukey", n_tables=6)
    assert time.thread_time() - begun < 5


@pytest.mark.heavy
@pytest.mark.parametrize(("n", "s"), [(250, 129), (27_763, 10)])
def test_a_big_table_takes_seconds(n, s):
    table = np.random.default_rng(0).random((n, s))
    begun = time.thread_time()
    randomized_tukey_p(table, n_samples=affordable_samples(n, s))
    assert time.thread_time() - begun < 5


def test_memory_does_not_grow_with_the_samples(monkeypatch):
    largest = []
    for sums in permuted_sums(np.random.default_rng(0).random((100, 50)), n_samples=1_000):
        largest.append(len(sums) * 100 * 50)
    assert max(largest) <= permutation_tests._CELLS_A_BLOCK
