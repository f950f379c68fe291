"""The page of comments and reasons, newest first."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, Q

from annotate.core.phrases import counted
from annotate.models import Collection, Judgment, Report
from annotate.models.judgments import JudgmentQuerySet
from metrics.forms.comment_filters import CommentFilters
from metrics.services.comments.counts import ReasonTable, table_of
from metrics.services.comments.matching import matching_labels

PAGE_SIZE = 50


class TextPiece(NamedTuple):
    """A piece of a comment; is_match : whether it is one of the searched words."""

    text: str
    is_match: bool

    @property
    def tag(self) -> str:
        """The element that it stands in."""
        return "mark" if self.is_match else "span"


class CommentLine(NamedTuple):
    """One label with its comment in pieces, none without a comment, and its reasons."""

    judgment: Judgment
    pieces: list[TextPiece]

    @property
    def outcome(self) -> str:
        """The outcome of the judgment: counts, superseded, undone, withdrawn or surplus."""
        return self.judgment.standing.outcome

    @property
    def is_left_out(self) -> bool:
        """True if a lead excluded the pair, or one of its items."""
        pair = self.judgment.pair
        return (
            hasattr(pair, "exclusion")
            or pair.query.excluded_at is not None
            or pair.document.excluded_at is not None
        )


class CommentsPage(NamedTuple):
    """A page of labels with a comment or reasons.

    filters : those of its address
    lines : the labels of the page; older : key before which the next page begins, None at the end
    n_notes, n_open_reports : reports with a note, and reports that wait for a lead
    """

    filters: CommentFilters
    lines: list[CommentLine]
    older: int | None
    table: ReasonTable
    n_notes: int
    n_open_reports: int
    has_reasons_to_choose: bool

    @property
    def counts_text(self) -> str:
        """The numbers of all that meets the filters, and of what is shown."""
        comments = counted(self.table.n_comments, "comment")
        reasons = counted(self.table.n_reasons, "reason")
        labels = counted(self.table.n_labels, "label")
        n = len(self.lines)
        extent = "all" if n == self.table.n_labels else f"{n:,}"
        return f"{comments} and {reasons} on {labels}; {extent} of them shown here, newest first."

    @property
    def reports_text(self) -> str:
        """The number of notes on pairs that people could not judge; "" without any."""
        if not self.n_notes:
            return ""
        stand = "stands" if self.n_notes == 1 else "stand"
        return (
            f"{counted(self.n_notes, 'note')} of people who could not judge a pair, or passed it "
            f"on, {stand} on the page of the pair, not here; {self.n_open_reports:,} of these "
            f"reports {'waits' if self.n_open_reports == 1 else 'wait'} for a lead."
        )

    @property
    def empty_text(self) -> str:
        """Advice where nothing is listed."""
        if self.filters.before is not None and self.table.n_labels:
            return "Older labels have neither a comment nor a reason that the filters let pass."
        if self.filters.is_narrow:
            return "No label meets all of these filters."
        reasons = (
            "Some levels ask for reasons, which nobody has named yet."
            if self.has_reasons_to_choose
            else "No level asks for reasons: they are set with the levels."
        )
        return f"People write a comment with the key c while they judge. {reasons}"


def page_of(*, collection: Collection, filters: CommentFilters) -> CommentsPage:
    """A page of labels with its counts; a constant number of queries."""
    parts = matching_labels(collection, filters)
    keys = _newest_keys(parts, filters.before)
    with_items = (
        Judgment.objects.filter(pk__in=keys[:PAGE_SIZE])
        .select_related(
            "level",
            "annotator__user",
            "comment",
            "standing",
            "pair__exclusion",
            "pair__query",
            "pair__document",
        )
        .prefetch_related("pair__query__parts", "pair__document__parts")
    )
    judgments = list(with_items.order_by("-pk"))
    levels = list(collection.levels.order_by("grade"))
    reports = Report.objects.filter(collection=collection).exclude(note="")
    n_reports = reports.aggregate(
        notes=Count("pk"), open=Count("pk", filter=Q(state=Report.State.OPEN))
    )
    return CommentsPage(
        filters=filters,
        lines=[
            CommentLine(
                judgment,
                pieces_of(judgment.comment.text, filters.words)
                if hasattr(judgment, "comment")
                else [],
            )
            for judgment in judgments
        ],
        older=judgments[-1].pk if len(keys) > PAGE_SIZE else None,
        table=table_of(parts, levels),
        n_notes=n_reports["notes"],
        n_open_reports=n_reports["open"],
        has_reasons_to_choose=any(level.reasons for level in levels),
    )


def pieces_of(text: str, words: Iterable[str]) -> list[TextPiece]:
    """Cut a text at the words that were searched for, however large their letters."""
    longest_first = sorted(words, key=len, reverse=True)
    if not longest_first:
        return [TextPiece(text, is_match=False)]
    pattern = f"({'|'.join(map(re.escape, longest_first))})"
    pieces = re.split(pattern, text, flags=re.IGNORECASE)
    return [
        TextPiece(piece, is_match=bool(number % 2)) for number, piece in enumerate(pieces) if piece
    ]


def _newest_keys(parts: list[JudgmentQuerySet], before: int | None) -> list[int]:
    """The keys of a page's labels, the newest first, with one more if there are older ones."""
    keys: list[int] = []
    for part in parts:
        older = part if before is None else part.filter(pk__lt=before)
        keys += older.order_by("-pk").values_list("pk", flat=True)[: PAGE_SIZE + 1]
    return sorted(keys, reverse=True)[: PAGE_SIZE + 1]
