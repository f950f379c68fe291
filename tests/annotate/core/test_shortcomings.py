"""Reasons one and two levels deep: what leads type, what a level keeps, what a judgment may name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core import shortcomings
from annotate.core.shortcomings import Reason

WORDS = st.text("abc xyzé", min_size=1, max_size=12).map(lambda text: " ".join(text.split())).filter(bool)
NAMES = st.lists(WORDS, unique=True, max_size=5)
REASONS = NAMES.flatmap(
    lambda names: st.tuples(*(NAMES.map(lambda what, name=name: Reason(name, tuple(what))) for name in names))
)


def test_a_plain_list_of_names_stays_what_it_was():
    assert shortcomings.typed("colour, action") == [Reason("colour"), Reason("action")]
    assert shortcomings.kept(shortcomings.typed("colour, action")) == ["colour", "action"]
    assert shortcomings.codes(["colour", "action"]) == ["colour", "action"]


def test_a_shortcoming_names_what_falls_short():
    typed = shortcomings.typed("does not match: quantity, species; too general, not clear")
    assert typed == [Reason("does not match", ("quantity", "species")), Reason("too general"), Reason("not clear")]
    stored = shortcomings.kept(typed)
    assert stored == [{"name": "does not match", "what": ["quantity", "species"]}, "too general", "not clear"]
    assert shortcomings.codes(stored) == [
        "does not match/quantity",
        "does not match/species",
        "too general",
        "not clear",
    ]


@given(REASONS)
def test_what_is_kept_can_be_typed_again(chosen):
    stored = shortcomings.kept(chosen)
    assert shortcomings.typed(shortcomings.as_typed(stored)) == list(chosen)
    assert shortcomings.offered(stored) == list(chosen)
    assert len(set(shortcomings.codes(stored))) == len(shortcomings.codes(stored))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a, b, a", 'the reason "a" twice'),
        ("A, a", 'the reason "A" twice'),
        ("does not match: colour, Colour", 'the reason "colour" twice'),
        (": colour", "a reason without a name"),
        ("x/y", "leave out / ; : ,"),
        ("x" * 41, "longer than 40 characters"),
        (", ".join("abcdefghi"), "there is room for 8"),
        ("z: " + ", ".join("abcdefghijklm"), "there is room for 12"),
    ],
)
def test_what_cannot_be_offered_is_said(text, says):
    assert says in shortcomings.fault(shortcomings.typed(text))


def test_what_can_be_offered_has_no_fault():
    assert (
        shortcomings.fault(shortcomings.typed("does not match: quantity, colour; missing: quantity, colour; other"))
        == ""
    )
