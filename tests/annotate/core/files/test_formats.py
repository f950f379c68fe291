"""The shared rules of uploaded files: collected errors, ids, numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.formats import (
    FormatError,
    Problems,
    finite_number,
    guarded,
    id_fault,
    quoted,
    text_fault,
    whole_number,
)


def test_an_error_names_its_line():
    assert (
        str(FormatError("a.tsv", 812, "", "expected 6 fields, found 5."))
        == "Line 812: expected 6 fields, found 5."
    )


def test_an_error_without_a_line_is_the_bare_sentence():
    assert str(FormatError("a.tsv", None, "", "a.tsv is empty.")) == "a.tsv is empty."


def test_only_the_first_fifty_errors_are_kept_but_all_are_counted():
    problems = Problems()
    for line in range(1, 1001):
        problems.add(FormatError("a", line, "", "wrong."))
    assert (len(problems.errors), problems.n) == (50, 1000)
    assert problems.lines()[-1] == "and 950 more."


def test_lines_of_several_files_name_their_file():
    problems = Problems()
    problems.add(FormatError("a", 1, "", "wrong."))
    problems.add(FormatError("b", 2, "", "wrong."))
    assert problems.lines() == ["a: Line 1: wrong.", "b: Line 2: wrong."]


def test_an_error_that_ends_reading_becomes_the_last_problem():
    def rows():
        yield 1
        raise FormatError("a", 2, "", "cut short.")

    problems = Problems()
    assert list(guarded(rows(), problems)) == [1]
    assert str(problems) == "Line 2: cut short."


@pytest.mark.parametrize(
    "text",
    [
        "q1",
        "1056338697_4711750833.jpg#0",
        "20488_clueweb09-en0000-22-24372",
        "寿司",
        "naïve",
        "a:b",
        "x" * 255,
    ],
)
def test_opaque_ids_are_fine(text):
    assert id_fault(text) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "blank"),
        ("  ", "blank"),
        ("a b", "white space"),
        ("a\tb", "white space"),
        ("a\u00a0b", "white space"),
        ("a\u2028b", "white space"),
        ("a\x00b", "control"),
        ("a\x7fb", "control"),
        ("a\u202eb", "control"),
        ("a\ud800", "control"),
        ("x" * 256, "255 bytes"),
        ("é" * 128, "255 bytes"),
    ],
)
def test_ids_that_could_forge_a_line_are_refused(text, why):
    assert why in id_fault(text)


@given(st.text())
def test_an_accepted_id_is_one_field_of_one_line(text):
    if not id_fault(text):
        assert f"q 0 {text} 1".split() == ["q", "0", text, "1"]
        assert len(f"q 0 {text} 1".splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), (" 3 ", 3), ("-2", -2), ("2.0", 2), ("+1", 1)]
)
def test_whole_numbers_are_read(text, value):
    assert whole_number(text) == value


@pytest.mark.parametrize(
    "text", ["", "nan", "NaN", "inf", "2.5", "1e3", "\u0661", "0x1", "9" * 30, "yes"]
)
def test_what_is_no_whole_number_is_none(text):
    assert whole_number(text) is None


@given(st.floats())
def test_finite_numbers_are_kept_and_others_are_none(number):
    assert finite_number(repr(number)) == (number if math.isfinite(number) else None)


@pytest.mark.parametrize("value", [None, True, [], {}, "x", 10**400])
def test_what_is_no_number_is_none(value):
    assert finite_number(value) is None


def test_text_that_postgres_cannot_store_is_named():
    assert "NUL" in text_fault("a\x00b")
    assert "surrogate" in text_fault("\ud800")
    assert text_fault("fine \u202e text") == ""


@given(st.text())
def test_a_quoted_text_of_a_file_is_one_short_printable_line(text):
    assert quoted(text).isprintable()
    assert len(quoted(text)) <= 60 * 10 + 2
