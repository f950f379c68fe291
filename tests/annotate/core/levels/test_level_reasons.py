"""Reasons with and without details: typed text, stored form, and codes of judgments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.levels import level_reasons
from annotate.core.levels.level_reasons import Reason

WORDS = (
    st.text("abc xyzé", min_size=1, max_size=12)
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)
NAMES = st.lists(WORDS, unique=True, max_size=5)
REASONS = NAMES.flatmap(
    lambda names: st.tuples(
        *(NAMES.map(lambda details, name=name: Reason(name, tuple(details))) for name in names)
    )
)


def test_a_plain_list_of_names_stays_what_it_was():
    assert level_reasons.parse_text("colour, action") == [Reason("colour"), Reason("action")]
    assert level_reasons.as_stored(level_reasons.parse_text("colour, action")) == [
        "colour",
        "action",
    ]
    assert level_reasons.codes(["colour", "action"]) == ["colour", "action"]


def test_a_shortcoming_names_what_falls_short():
    typed = level_reasons.parse_text("does not match: quantity, species; too general, not clear")
    assert typed == [
        Reason("does not match", ("quantity", "species")),
        Reason("too general"),
        Reason("not clear"),
    ]
    stored = level_reasons.as_stored(typed)
    assert stored == [
        {"name": "does not match", "what": ["quantity", "species"]},
        "too general",
        "not clear",
    ]
    assert level_reasons.codes(stored) == [
        "does not match/quantity",
        "does not match/species",
        "too general",
        "not clear",
    ]


@given(REASONS)
def test_what_is_kept_can_be_typed_again(chosen):
    stored = level_reasons.as_stored(chosen)
    assert level_reasons.parse_text(level_reasons.as_text(stored)) == list(chosen)
    assert level_reasons.from_stored(stored) == list(chosen)
    assert len(set(level_reasons.codes(stored))) == len(level_reasons.codes(stored))


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
    assert says in level_reasons.fault(level_reasons.parse_text(text))


def test_what_can_be_offered_has_no_fault():
    assert (
        level_reasons.fault(
            level_reasons.parse_text(
                "does not match: quantity, colour; missing: quantity, colour; other"
            )
        )
        == ""
    )
