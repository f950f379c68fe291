"""Label sources: whose grade stands, and how often the two sides differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.label_sources import LABEL_SOURCES, ordered

PEOPLE = ordered(np.array([[2, 7, 0], [1, 9, 2], [1, 8, 1]]))
REFERENCE = ordered(np.array([[1, 8, 3], [2, 7, 2], [3, 5, 1]]))
NOTHING = ordered(np.zeros((0, 3), dtype=np.int64))


def as_dict(grades):
    return {(s, t): g for s, t, g in zip(*(column.tolist() for column in grades), strict=True)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("people_over_reference", {(1, 8): 1, (1, 9): 2, (2, 7): 0, (3, 5): 1}),
        ("union", {(1, 8): 3, (1, 9): 2, (2, 7): 2, (3, 5): 1}),
        ("people", {(1, 8): 1, (1, 9): 2, (2, 7): 0}),
        ("reference", {(1, 8): 3, (2, 7): 2, (3, 5): 1}),
    ],
)
def test_each_label_source_takes_its_own_grade(source, expected):
    assert as_dict(LABEL_SOURCES[source](PEOPLE, REFERENCE)) == expected


def test_grades_come_out_ordered_by_source_and_target():
    merged = LABEL_SOURCES["union"](PEOPLE, REFERENCE)
    assert list(zip(merged.source.tolist(), merged.target.tolist(), strict=True)) == [(1, 8), (1, 9), (2, 7), (3, 5)]


def test_without_labels_there_is_nothing_to_merge():
    assert as_dict(LABEL_SOURCES["people_over_reference"](NOTHING, NOTHING)) == {}


def test_two_labels_on_one_pair_are_refused():
    with pytest.raises(ValueError, match="two labels"):
        ordered(np.array([[1, 2, 0], [1, 2, 1]]))


tables = st.dictionaries(st.tuples(st.integers(1, 4), st.integers(1, 4)), st.integers(0, 3))


@given(tables, tables)
def test_merging_agrees_with_plain_dictionaries(people, reference):
    def columns(table):
        return ordered(np.array([[s, t, g] for (s, t), g in table.items()], dtype=np.int64).reshape(-1, 3))

    one, other = columns(people), columns(reference)
    assert as_dict(LABEL_SOURCES["people_over_reference"](one, other)) == {**reference, **people}
    larger = {pair: max(people.get(pair, 0), reference.get(pair, 0)) for pair in {**people, **reference}}
    assert as_dict(LABEL_SOURCES["union"](one, other)) == larger
