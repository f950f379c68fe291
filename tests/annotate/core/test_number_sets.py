"""Sets of whole numbers are those of Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.number_sets import difference, distinct, is_among, pair_keys
from tests.sizes import cases

WIDE = st.integers(min_value=-(2**63), max_value=2**63 - 1)
LISTS = st.lists(st.integers(min_value=-3, max_value=3) | WIDE, max_size=12)


@cases(200)
@given(LISTS, LISTS)
def test_sets_are_those_of_python(numbers, members):
    first, second = (np.array(values, dtype=np.int64) for values in (numbers, members))
    assert distinct(first).tolist() == sorted(set(numbers))
    assert is_among(first, second).tolist() == [number in set(members) for number in numbers]
    assert difference(first, second).tolist() == sorted(set(numbers) - set(members))


@cases(200)
@given(st.lists(st.tuples(*[st.integers(min_value=-3, max_value=3) | WIDE] * 2), max_size=12))
def test_pairs_are_in_the_order_of_python(pairs):
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    keys = pair_keys(first, second)
    assert [pairs[row] for row in np.argsort(keys, kind="stable")] == sorted(pairs)
    assert len(set(keys.tolist())) == len(set(pairs))


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64])
def test_the_kind_of_number_stays(kind):
    numbers = np.array([3, 1, 3], dtype=kind)
    assert distinct(numbers).dtype == difference(numbers, numbers[:1]).dtype == kind
