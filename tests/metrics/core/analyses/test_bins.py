"""Bins of whole numbers: against a recount, and what holds for all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.analyses.bins import Bins, bins_of
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

COUNTS = st.lists(st.integers(0, 60) | st.integers(0, 30_000), min_size=1, max_size=150)


def bins(values, *, n_bins: int = 4, least: int = 1) -> Bins:
    return bins_of(np.array(values, dtype=np.int64), n_bins=n_bins, least=least)


@cases(300)
@given(values=COUNTS, n_bins=st.integers(1, 40), least=st.integers(0, 1))
def test_bins_are_those_of_a_recount_and_hold_each_value_once(values, n_bins, least):
    values = [value + least for value in values]
    edges = recounts.bin_edges(values, n_bins=n_bins, least=least)
    ours = bins(values, n_bins=n_bins, least=least)
    assert ours.start.tolist() == [first for first, _ in edges]
    assert ours.is_open == (edges[-1][1] is None)
    assert ours.labels == [recounts.label(edge) for edge in edges]
    numbers = ours.number(np.array(values)).tolist()
    for value, number in zip(values, numbers, strict=True):
        assert [b for b, edge in enumerate(edges) if recounts.holds(edge, value)] == [number]


@cases(300)
@given(values=COUNTS, n_bins=st.integers(1, 40), least=st.integers(0, 1))
def test_the_width_is_the_least_round_one_with_which_so_many_bins_hold_98_percent(
    values, n_bins, least
):
    values = [value + least for value in values]
    ours = bins(values, n_bins=n_bins, least=least)
    assert 1 <= len(ours.start) <= n_bins
    assert (ours.start[0] - least) % ours.width == 0
    assert ours.start[0] <= min(values) < ours.start[0] + ours.width
    assert set(np.diff(ours.start).tolist()) <= {ours.width}
    first_digit = int(str(ours.width)[0])
    assert first_digit in (1, 2, 5) and ours.width == first_digit * 10 ** (len(str(ours.width)) - 1)

    def n_held(width: int) -> int:
        first = least + (min(values) - least) // width * width
        return sum(value < first + n_bins * width for value in values)

    assert 100 * n_held(ours.width) >= 98 * len(values)
    if ours.width > 1:
        narrower = ours.width * 2 // 5 if first_digit == 5 else ours.width // 2
        assert 100 * n_held(narrower) < 98 * len(values)
    assert ours.is_open == (n_held(ours.width) < len(values))


def test_two_of_a_hundred_may_lie_beyond_and_three_may_not():
    two, three = bins([1] + [4] * 97 + [5, 5]), bins([1] + [4] * 96 + [5, 5, 5])
    assert (two.width, two.is_open, two.labels) == (1, True, ["1", "2", "3", "4 or more"])
    assert (three.width, three.is_open, three.labels) == (2, False, ["1 to 2", "3 to 4", "5 to 6"])


def test_labels_say_what_a_bin_holds():
    assert bins([1, 45], n_bins=3).labels == ["1 to 20", "21 to 40", "41 to 60"]
    assert bins([7] * 99 + [1_000], n_bins=4).labels == ["7", "8", "9", "10 or more"]
    assert bins([13, 45], n_bins=4).labels == ["11 to 20", "21 to 30", "31 to 40", "41 to 50"]
    assert bins([0, 1, 2], least=0).labels == ["0", "1", "2"]
    assert bins([0, 7], least=0).labels == ["0 to 1", "2 to 3", "4 to 5", "6 to 7"]
    assert bins([0], least=0).labels == ["0"]
    assert bins([1, 4_000], n_bins=2).labels == ["1 to 2,000", "2,001 to 4,000"]


@pytest.mark.parametrize("values", [[1], [1] * 50])
def test_where_all_have_the_least_value_there_is_one_bin(values):
    assert bins(values).number(np.array(values)).tolist() == [0] * len(values)
    assert bins(values).labels == ["1"]
    assert not bins(values).is_open
