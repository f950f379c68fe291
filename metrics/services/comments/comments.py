"""The page of comments and reasons, newest first."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotate.core.phrases import counted
from annotate.models import Collection, Judgment, Report
from annotate.services.background import kept
from metrics.forms.comment_filters import CommentFilters
from metrics.services.comments.counts import ReasonTable, level_counts, table_of
from metrics.services.comments.kept_counts import inquiry_of
from metrics.services.comments.matching import newest_labels

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
    n_searched : number of labels that were looked through, where that ended the search; else 0
    table : the counts of all that meets the filters, None while they are counted for the first time
    counted_at : the moment at which a worker counted, None where the page did
    is_stale : True if labels have changed since
    n_notes, n_open_reports : reports with a note, and reports that wait for a lead
    """

    filters: CommentFilters
    lines: list[CommentLine]
    older: int | None
    n_searched: int
    table: ReasonTable | None
    counted_at: datetime | None
    is_stale: bool
    n_notes: int
    n_open_reports: int
    has_reasons_to_choose: bool

    @property
    def counts_text(self) -> str:
        """The numbers of all that meets the filters, with their moment, and of what is shown."""
        n = len(self.lines)
        if self.table is None:
            return f"{counted(n, 'label')} shown here, newest first; all of them are being counted."
        comments = counted(self.table.n_comments, "comment")
        reasons = counted(self.table.n_reasons, "reason")
        labels = counted(self.table.n_labels, "label")
        if self.counted_at:
            labels += f" as of {date_format(localtime(self.counted_at), 'j M Y H:i:s')} UTC"
        if self.is_stale:
            then = "" if self.counted_at else " then"
            return f"{comments} and {reasons} on {labels}{then}; {n:,} shown here, newest first."
        extent = "all" if n == self.table.n_labels else f"{n:,}"
        return f"{comments} and {reasons} on {labels}; {extent} of them shown here, newest first."

    @property
    def search_text(self) -> str:
        """The extent of the search, where older labels of the run may follow; "" elsewhere."""
        if not self.n_searched:
            return ""
        return (
            f"For this page {self.n_searched:,} labels were looked up in the ranking of the run; "
            "“Older” goes on from there."
        )

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
        if self.n_searched:
            return "None of the labels that were looked up is within these ranks of the run."
        if self.filters.before is not None and (self.table is None or self.table.n_labels):
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
    """A page of labels, and the counts as they were last made; a constant number of queries."""
    newest = newest_labels(collection=collection, filters=filters, size=PAGE_SIZE)
    with_items = (
        Judgment.objects.filter(pk__in=newest.keys)
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
    lines = [
        CommentLine(
            judgment,
            pieces_of(judgment.comment.text, filters.words) if hasattr(judgment, "comment") else [],
        )
        for judgment in with_items.order_by("-pk")
    ]
    levels = list(collection.levels.order_by("grade"))
    table: ReasonTable | None = None
    counted_at: datetime | None = None
    is_stale = False
    if filters.before is None and newest.older is None:
        # they are all: no worker need count them
        table = table_of(level_counts([Judgment.objects.filter(pk__in=newest.keys)]), levels)
    else:
        look = kept.look(inquiry=inquiry_of(collection=collection, filters=filters))
        if look.row is not None:
            table = table_of(look.row.value, levels)
            counted_at, is_stale = look.row.computed_at, look.row.version != look.version
    reports = Report.objects.filter(collection=collection).exclude(note="")
    is_open = Q(state=Report.State.OPEN)
    n_reports = reports.aggregate(notes=Count("pk"), open=Count("pk", filter=is_open))
    return CommentsPage(
        filters=filters,
        lines=lines,
        older=newest.older,
        n_searched=newest.n_searched,
        table=table,
        counted_at=counted_at,
        is_stale=is_stale,
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
