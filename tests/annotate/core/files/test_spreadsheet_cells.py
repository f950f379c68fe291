"""Cells of files that people open in a spreadsheet."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.spreadsheet_cells import safe_cell, timestamp


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_text_that_begins_like_a_formula_is_quoted(text):
    assert safe_cell(text) == "'" + text


@given(st.text())
def test_no_cell_begins_like_a_formula(text):
    assert not str(safe_cell(text)).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_numbers_stay_numbers_and_nothing_is_an_empty_cell():
    assert (safe_cell(-3), safe_cell(0), safe_cell(None)) == (-3, 0, "")


def test_moments_are_written_in_utc_to_the_millisecond():
    assert (
        timestamp(datetime(2024, 5, 31, 16, 0, 0, 1999, timezone(timedelta(hours=2))))
        == "2024-05-31T14:00:00.001Z"
    )
    assert timestamp(datetime(2024, 5, 31, 14, tzinfo=UTC)) == "2024-05-31T14:00:00.000Z"
    assert timestamp(None) is None
