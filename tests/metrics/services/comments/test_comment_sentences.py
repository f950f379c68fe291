"""Sentences of the page of comments, and the words that are marked in a comment."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.forms.comment_filters import CommentFilters, CommentKind
from metrics.services.comments.comments import CommentsPage, pieces_of
from metrics.services.comments.counts import LevelLabels, ReasonCount, ReasonTable
from tests.sizes import cases


@given(
    text=st.text(alphabet="abAB .(é", max_size=20),
    words=st.lists(st.text(alphabet="abAB.(é", min_size=1, max_size=3), max_size=3),
)
@cases(300)
def test_marked_pieces_are_the_text_and_each_mark_is_a_word(text, words):
    pieces = pieces_of(text, words)
    assert "".join(piece.text for piece in pieces) == text
    lower = [word.lower() for word in words]
    for piece in pieces:
        if piece.is_match:
            assert piece.text.lower() in lower
        else:
            assert not any(word in piece.text.lower() for word in lower)


COUNTED_AT = datetime(2026, 3, 5, 7, 8, 9, tzinfo=UTC)


def page(n_labels=0, n_comments=0, n_reasons=0, n_lines=0, **fields):
    reasons = [ReasonCount("vague", n_reasons, n_labels)]
    levels = [LevelLabels(None, n_labels, n_comments, 0, reasons)]
    values = {
        "filters": CommentFilters(),
        "older": None,
        "n_searched": 0,
        "table": ReasonTable(levels),
        "counted_at": None,
        "is_stale": False,
        "n_notes": 0,
        "n_open_reports": 0,
        "has_reasons_to_choose": True,
    }
    return CommentsPage(
        **{**values, **fields},
        lines=[SimpleNamespace()] * n_lines,
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            page(900, 214, 1032, 50).counts_text,
            "214 comments and 1,032 reasons on 900 labels; 50 of them shown here, newest first.",
        ),
        (
            page(900, 214, 1032, 50, counted_at=COUNTED_AT).counts_text,
            "214 comments and 1,032 reasons on 900 labels as of 5 Mar 2026 07:08:09 UTC; 50 of "
            "them shown here, newest first.",
        ),
        (
            page(900, 214, 1032, 50, counted_at=COUNTED_AT, is_stale=True).counts_text,
            "214 comments and 1,032 reasons on 900 labels as of 5 Mar 2026 07:08:09 UTC; 50 shown "
            "here, newest first.",
        ),
        (
            page(1, 1, 0, 1).counts_text,
            "1 comment and 0 reasons on 1 label; all of them shown here, newest first.",
        ),
        (
            page(n_lines=50, table=None).counts_text,
            "50 labels shown here, newest first; all of them are being counted.",
        ),
        (
            page(900, 214, 1032, 50, is_stale=True).counts_text,
            "214 comments and 1,032 reasons on 900 labels then; 50 shown here, newest first.",
        ),
        (page().search_text, ""),
        (
            page(n_searched=4200).search_text,
            "For this page 4,200 labels were looked up in the ranking of the run; “Older” goes on "
            "from there.",
        ),
        (
            page(n_searched=4200, filters=CommentFilters(before=1)).empty_text,
            "None of the labels that were looked up is within these ranks of the run.",
        ),
        (
            page(table=None, filters=CommentFilters(before=1)).empty_text,
            "Older labels have neither a comment nor a reason that the filters let pass.",
        ),
        (page().reports_text, ""),
        (
            page(n_notes=1, n_open_reports=0).reports_text,
            "1 note of people who could not judge a pair, or passed it on, stands on the page of "
            "the pair, not here; 0 of these reports wait for a lead.",
        ),
        (
            page(n_notes=1200, n_open_reports=1).reports_text,
            "1,200 notes of people who could not judge a pair, or passed it on, stand on the page "
            "of the pair, not here; 1 of these reports waits for a lead.",
        ),
        (
            page().empty_text,
            "People write a comment with the key c while they judge. Some levels ask for reasons, "
            "which nobody has named yet.",
        ),
        (
            page(has_reasons_to_choose=False).empty_text,
            "People write a comment with the key c while they judge. No level asks for reasons: "
            "they are set with the levels.",
        ),
        (
            page(filters=CommentFilters(kind=CommentKind.BOTH)).empty_text,
            "No label meets all of these filters.",
        ),
        (
            page(3, filters=CommentFilters(before=1)).empty_text,
            "Older labels have neither a comment nor a reason that the filters let pass.",
        ),
    ],
)
def test_sentences_of_the_page(sentence, expected):
    assert sentence == expected


def test_a_level_says_how_many_labels_it_has():
    assert LevelLabels(None, 1200, 7, 1, []).text == "1 label with reasons, 7 with a comment"
