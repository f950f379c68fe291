import pytest
from hypothesis import assume, given

from metrics.core.releases.plain_text import one_line
from metrics.core.releases.sections.markdown import (
    bullets,
    fence,
    inline,
    section,
    sentence,
    table,
)
from tests.metrics.core.releases.samples.cards import shown_text, tokens_of
from tests.metrics.core.releases.samples.hostile_names import HOSTILE_NAMES, WORST_NAMES


def check_that_it_is_shown(text: str) -> None:
    """Fails unless a text stands as it is in a paragraph, a heading and a list."""
    line = one_line(text)
    for markdown, kind in (
        (inline(text), "paragraph_open"),
        (f"# {inline(text)}", "heading_open"),
        (bullets([inline(text)]), "bullet_list_open"),
    ):
        tokens = tokens_of(markdown)
        assert tokens[0].type == kind
        (words,) = [token for token in tokens if token.type == "inline"]
        assert shown_text(words) == line
        assert {child.type for child in words.children} <= {"text", "text_special"}


@given(text=HOSTILE_NAMES)
def test_a_text_is_shown_as_it_is_wherever_it_stands(text):
    assume(one_line(text))
    check_that_it_is_shown(text)


@pytest.mark.parametrize("text", WORST_NAMES)
def test_so_are_the_worst_texts(text):
    check_that_it_is_shown(text)


@given(texts=HOSTILE_NAMES)
def test_cells_stay_cells(texts):
    tokens = tokens_of(table(("a", texts), [(texts, "b"), ("c", texts)], numbers=1))
    cells = [shown_text(token) for token in tokens if token.type == "inline"]
    assert cells == ["a", one_line(texts), one_line(texts), "b", "c", one_line(texts)]


@pytest.mark.parametrize("text", ["a_b", "0.5", "1,400", "-0.5", "2026-11-30", "x/y_z.txt", "a's"])
def test_a_text_that_is_no_markup_stays_readable_in_the_file(text):
    assert inline(text) == text


def test_a_sentence_begins_with_a_capital_and_ends_with_a_stop():
    assert sentence("no pair has two labels") == "No pair has two labels."
    assert sentence(" Is it? ") == "Is it?"
    assert sentence("\n") == ""


def test_columns_of_numbers_are_the_last():
    assert table(("Run", "AP"), [("a", "0.5")], numbers=1) == (
        "| Run | AP |\n| --- | ---: |\n| a | 0.5 |"
    )


def test_a_fence_in_code_does_not_end_it():
    (token,) = tokens_of(fence("text", "a\n```\nb\n````\n"))
    assert token.type == "fence"
    assert token.content.split() == ["a", "```", "b", "````"]


def test_a_section_leaves_empty_paragraphs_out():
    assert section("Title", "a", "", "b", level=3) == "### Title\n\na\n\nb"
