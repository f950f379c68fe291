"""A person's agreement with herself, beside krippendorff and statsmodels.

To see these tests fail: let `self_agreement._units` leave out the lower triangle, or count a pair
on the diagonal once.
"""

import krippendorff
import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from metrics.core.agreement.agreement import MeasurementLevel
from metrics.core.agreement.self_agreement import stability

VALUES = [0, 1, 2, 3]


def table_of(first, second):
    table = np.zeros((4, 4), dtype=int)
    np.add.at(table, (first, second), 1)
    return table


@pytest.mark.parametrize("level", list(MeasurementLevel))
@pytest.mark.parametrize("seed", range(5))
def test_alpha_of_the_first_labels_against_the_second_is_krippendorffs(level, seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, 40)
    second = np.where(rng.random(40) < 0.7, first, rng.integers(0, 4, 40))
    measured = stability(table_of(first, second), VALUES, level=level)
    ratings = np.array([first, second], dtype=float)
    expected = krippendorff.alpha(ratings, level_of_measurement=str(level), value_domain=VALUES)
    assert measured.alpha.value == pytest.approx(expected, abs=1e-12)
    assert measured.equal.value == np.mean(first == second)
    low, high = proportion_confint(np.sum(first == second), 40, method="wilson")
    assert (measured.equal.low, measured.equal.high) == (pytest.approx(low), pytest.approx(high))


def test_which_of_two_labels_came_first_does_not_matter():
    first, second = np.array([0, 0, 1, 2, 3]), np.array([1, 0, 2, 2, 0])
    forward = stability(table_of(first, second), VALUES, level="ordinal")
    backward = stability(table_of(second, first), VALUES, level="ordinal")
    assert forward == backward


def test_the_interval_is_the_same_for_one_seed_and_holds_the_value():
    first, second = np.array([0, 0, 1, 2, 3, 3, 2, 1]), np.array([0, 0, 1, 2, 3, 2, 2, 1])
    left, right = (
        stability(table_of(first, second), VALUES, level="ordinal", n_replicates=200).alpha
        for _ in range(2)
    )
    assert left == right
    assert left.low < left.value <= left.high <= 1


def test_it_is_not_defined_where_no_pair_came_back_nor_where_one_value_was_used():
    nothing = stability(np.zeros((4, 4), dtype=int), VALUES, level="ordinal")
    assert (nothing.equal.value, nothing.equal.n, nothing.alpha.value) == (None, 0, None)
    assert nothing.alpha.reason == "no unit has two labels yet"
    same = stability(np.diag([0, 0, 5, 0]), VALUES, level="ordinal")
    assert (same.equal.value, same.alpha.value) == (1.0, None)
    assert "same value" in same.alpha.reason


def test_a_table_of_another_size_is_refused():
    with pytest.raises(ValueError, match="every two values"):
        stability(np.zeros((3, 3), dtype=int), VALUES, level="ordinal")
