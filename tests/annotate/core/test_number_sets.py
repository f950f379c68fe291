"""Sets of whole numbers are those of Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.number_sets import difference, distinct, is_among
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


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64])
def test_the_kind_of_number_stays(kind):
    numbers = np.array([3, 1, 3], dtype=kind)
    assert distinct(numbers).dtype == difference(numbers, numbers[:1]).dtype == kind
