"""Chains of labels: the new labels of a file, and the order of storing them."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.labels import chains
from annotate.core.labels.chains import NO_TIME, TimedLabel, overlap

GRADES = st.lists(st.integers(0, 2), max_size=6)
NOON = chains.microseconds(datetime(2020, 1, 1, 12, tzinfo=UTC))
GROUPS = st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 2)), max_size=20)


def timed_labels(grades):
    return [TimedLabel(grade, NO_TIME) for grade in grades]


@pytest.mark.parametrize(
    ("stored", "file", "n_known"),
    [
        ([], [1], 0),
        ([1], [1], 1),
        ([1], [2], 0),
        ([1, 2], [1, 2], 2),
        ([1, 2], [2], 1),
        ([1, 2], [1], 0),  # a change back to an earlier grade is a change
        ([1], [1, 2], 1),
        ([1, 1], [1, 1], 2),
        ([1], [1, 1], 1),
    ],
)
def test_what_a_file_repeats_of_the_stored_chain_is_known(stored, file, n_known):
    assert overlap(timed_labels(stored), timed_labels(file)) == n_known


@given(GRADES, GRADES)
def test_a_file_read_twice_adds_nothing_the_second_time(stored, file):
    grown = stored + file[overlap(timed_labels(stored), timed_labels(file)) :]
    assert overlap(timed_labels(grown), timed_labels(file)) == len(file)


@given(GRADES, st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_what_counts_after_an_import_is_the_files_last_label(stored, file):
    grown = stored + file[overlap(timed_labels(stored), timed_labels(file)) :]
    assert grown[-1] == file[-1]


def test_a_time_tells_two_equal_grades_apart_but_a_missing_one_does_not():
    stored = [TimedLabel(1, NOON)]
    assert overlap(stored, [TimedLabel(1, NOON)]) == 1
    assert overlap(stored, [TimedLabel(1, NOON + 1)]) == 0
    assert overlap(stored, [TimedLabel(1, NO_TIME)]) == 1


@given(GROUPS)
def test_groups_are_numbered_as_they_come_and_rows_within_them_too(rows):
    groups = chains.number_groups(*np.array(rows, dtype=np.int64).reshape(-1, 2).T)
    distinct_rows = list(dict.fromkeys(rows))
    assert groups.tolist() == [distinct_rows.index(row) for row in rows]
    assert chains.positions_in_group(groups).tolist() == [
        rows[:index].count(row) for index, row in enumerate(rows)
    ]
    last = {row: index for index, row in enumerate(rows)}
    assert chains.last_rows(groups).tolist() == [last[row] for row in distinct_rows]
    earlier = [
        max((n for n in range(index) if rows[n] == row), default=-1)
        for index, row in enumerate(rows)
    ]
    assert chains.previous_in_group(groups).tolist() == earlier


@given(GROUPS, GROUPS)
def test_of_each_chain_as_much_is_known_as_its_own_labels_overlap(stored, file):
    def labels(rows):
        chain, level = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        return chains.TimedLabels(chain + 2, level, np.full(len(rows), NO_TIME))

    def of(rows, chain):
        return timed_labels([level for group, level in rows if group + 2 == chain])

    n_stored = chains.n_stored_labels(labels(stored), labels(file), 5)
    assert n_stored.tolist() == [overlap(of(stored, chain), of(file, chain)) for chain in range(5)]


@given(st.one_of(st.none(), st.datetimes(timezones=st.just(UTC))))
def test_a_moment_survives_being_a_number(at):
    assert chains.moment(chains.microseconds(at)) == at
    if at and at.year > 1:
        assert chains.microseconds(
            at.astimezone(timezone(timedelta(hours=-5)))
        ) == chains.microseconds(at)
