"""Chains of labels: what of a file is new, and in which order it can be stored."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.chains import Key, New, Said, overlap, waves

GRADES = st.lists(st.integers(0, 2), max_size=6)
NOON = datetime(2020, 1, 1, 12, tzinfo=UTC)


def said(grades):
    return [Said(grade, None) for grade in grades]


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
    assert overlap(said(stored), said(file)) == n_known


@given(GRADES, GRADES)
def test_a_file_read_twice_adds_nothing_the_second_time(stored, file):
    grown = stored + file[overlap(said(stored), said(file)) :]
    assert overlap(said(grown), said(file)) == len(file)


@given(GRADES, st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_what_counts_after_an_import_is_the_files_last_label(stored, file):
    grown = stored + file[overlap(said(stored), said(file)) :]
    assert grown[-1] == file[-1]


def test_a_time_tells_two_equal_grades_apart_but_a_missing_one_does_not():
    stored = [Said(1, NOON)]
    assert overlap(stored, [Said(1, NOON)]) == 1
    assert overlap(stored, [Said(1, NOON.replace(hour=13))]) == 0
    assert overlap(stored, [Said(1, None)]) == 1


@given(st.lists(st.integers(0, 3), max_size=20))
def test_every_label_is_stored_after_the_one_it_supersedes(pairs):
    new = [New(Key(0, pair), place, Said(0, None)) for place, pair in enumerate(pairs)]
    found = waves(new)
    assert sorted(label for wave in found for label in wave) == sorted(new)
    for wave in found:
        assert len({label.key for label in wave}) == len(wave)
    for pair in set(pairs):
        places = [label.place for wave in found for label in wave if label.key.pair == pair]
        assert places == sorted(places)
