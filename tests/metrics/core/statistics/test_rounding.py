"""The rule of equality: against exact fractions, at any size of the scores."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.rounding import rounding, rounding_of_shares, with_ties, without_offset
from tests.sizes import cases

SCALES = (1e-14, 1e-3, 1.0, 1e4, 1e9)


@cases(200)
@given(
    st.lists(st.integers(0, 1_000), min_size=2, max_size=60),
    st.sampled_from(SCALES),
    st.sampled_from([0, 1_000, 10**9]),
    st.randoms(use_true_random=False),
)
def test_means_of_the_same_scores_in_another_order_are_equal(numbers, scale, offset, random):
    scores = np.array([offset + n / 1_000 for n in numbers]) * scale
    others = scores.copy()
    random.shuffle(others)
    both = np.column_stack([scores, others])
    first, second = without_offset(both).mean(axis=0)
    assert abs(first - second) <= rounding(both)


@pytest.mark.parametrize("scale", SCALES)
def test_a_difference_that_the_decimals_show_is_none_of_rounding(scale):
    scores = np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.300_000_001]]) * scale
    first, second = scores.mean(axis=0)
    assert second - first > rounding(scores)


def test_at_a_billion_rounding_is_some_ten_millionths():
    scores = 1e9 + np.random.default_rng(1).random((8, 3))
    assert 1e-7 < rounding(scores) < 1e-6


@pytest.mark.parametrize("offset", [0, 1e9])
def test_shares_of_groups_with_equal_means_are_equal(offset):
    rng = np.random.default_rng(2)
    keys = np.repeat(np.arange(12), [40, *range(1, 12)])
    scores = offset + rng.integers(0, 1_000, len(keys)) / 1_000
    others = np.concatenate([rng.permutation(scores[keys == key]) for key in range(12)])
    both, groups = np.column_stack([scores, others]), Groups.of(keys)
    shares = groups.shares(without_offset(both))
    least = rounding_of_shares(both, groups)
    assert rounding(both) < least < 20 * rounding(both)
    assert np.abs(shares[:, 0] - shares[:, 1]).max() <= least


def test_no_scores_have_no_rounding():
    assert rounding(np.empty((0, 3))) == 0
    assert without_offset(np.empty((0, 3))).shape == (0, 3)
    assert with_ties(np.empty(0), within=1.0).tolist() == []


@cases(200)
@given(
    st.lists(st.floats(1, 2), min_size=2, max_size=9),
    st.sampled_from([-1e9, -1.0, 1e-30, 1.0, 1e9]),
)
def test_what_is_common_goes_without_the_loss_of_a_digit(numbers, scale):
    scores = np.array(numbers) * scale
    rest = without_offset(scores)
    for i in range(1, len(scores)):
        exact = Fraction(scores[i]) - Fraction(scores[0])
        assert Fraction(rest[i]) - Fraction(rest[0]) == exact


@pytest.mark.parametrize("scores", [[0.0, 1.0], [-1.0, 1.5], [0.4, 1.0], [-3.0, -1.0]])
def test_scores_that_have_little_in_common_stay(scores):
    assert without_offset(np.array(scores)).tolist() == scores


def test_neighbours_within_rounding_are_ties_and_nan_stays():
    numbers = np.array([0.3, 0.1 + 0.2, 0.5, np.nan, 0.3 - 1e-9])
    tied = with_ties(numbers, within=1e-15)
    assert tied[0] == tied[1] == 0.3 and tied[2] == 0.5 and tied[4] < 0.3
    assert np.isnan(tied[3])
