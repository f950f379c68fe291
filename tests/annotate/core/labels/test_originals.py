"""Originals of duplicates, and the pairs that repeat others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.labels.originals import Originals

NOTHING = Originals(*np.zeros((2, 0), dtype=np.int64))
# of 12 items those from 8 on may be duplicates; 0 to 3 are queries, 4 to 7 documents
ORIGINALS = st.dictionaries(st.integers(8, 11), st.integers(0, 7))
PAIRS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20, unique=True)


def originals_of(repeats):
    rows = np.array(sorted(repeats.items()), dtype=np.int64).reshape(-1, 2)
    return Originals(*rows.T)


def test_an_item_that_repeats_none_is_its_own_original():
    keys = np.array([7, 3, 9])
    assert NOTHING.of(keys).tolist() == [7, 3, 9]
    assert not NOTHING
    assert originals_of({9: 3}).of(keys).tolist() == [7, 3, 3]
    assert originals_of({9: 3, 8: 3}).of(np.array([12, 8])).tolist() == [12, 3]


@given(ORIGINALS, PAIRS)
def test_copies_are_all_other_pairs_of_the_same_originals(repeats, pairs):
    source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    found = originals_of(repeats).copies(source, target)
    expected = sorted(
        (row, s, t)
        for row, (first, second) in enumerate(pairs)
        if first not in repeats and second not in repeats
        for s in range(12)
        for t in range(12)
        if (repeats.get(s, s), repeats.get(t, t)) == (first, second) and (s, t) != (first, second)
    )
    assert sorted(zip(*(column.tolist() for column in found), strict=True)) == expected
