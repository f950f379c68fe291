"""Comments and reasons of a collection's labels, newest first, and how often reasons are given.

For leads: comments may name anybody.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from django.db.models import (
    BooleanField,
    Count,
    Exists,
    F,
    Func,
    OuterRef,
    Q,
    Value,
)

from annotate.core.labels import level_reasons
from annotate.core.phrases import counted
from annotate.models import (
    Collection,
    CountingJudgment,
    Judgment,
    Level,
    QuerySet,
    Report,
)
from annotate.models.judgments import JudgmentQuerySet
from annotate.services.storage.number_arrays import Numbers, column, statement_columns
from metrics.forms.comment_filters import CommentFilters, LabelState
from metrics.forms.explorer import DEFAULT_QUERY_SET
from metrics.services.scores.labels import scope_of
from metrics.services.scores.ranks import read_rankings
from pooling.core.likeness.rankings import top
from pooling.models import Run

PAGE_SIZE = 50
_HAS_COMMENT, _HAS_REASONS = Q(comment__isnull=False), ~Q(reasons=[])
_PAIRS = """
    SELECT pair.id FROM unnest(%(query)s::bigint[], %(document)s::bigint[]) AS top (query, document)
    JOIN annotate_pair pair ON pair.query_id = top.query AND pair.document_id = top.document
"""


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


class ReasonCount(NamedTuple):
    """The number of a level's labels that name a reason, of its labels with reasons."""

    reason: str
    n: int
    n_labels: int

    @property
    def share_text(self) -> str:
        """Its share of the labels with reasons: 60 %."""
        return f"{100 * self.n / self.n_labels:.0f} %"


class LevelLabels(NamedTuple):
    """The labels of a level that meet the filters, those with a comment or reasons, and by reason.

    reasons : those that a label names, in the order offered
    """

    level: Level
    n_labels: int
    n_comments: int
    n_with_reasons: int
    reasons: list[ReasonCount]

    @property
    def text(self) -> str:
        """The labels with reasons, and those with a comment."""
        return (
            f"{counted(self.n_with_reasons, 'label')} with reasons, {self.n_comments:,} with a "
            "comment"
        )


class ReasonTable(NamedTuple):
    """The counts of all labels that meet the filters, by level."""

    levels: list[LevelLabels]

    @property
    def n_labels(self) -> int:
        """All labels that meet the filters."""
        return sum(level.n_labels for level in self.levels)

    @property
    def n_comments(self) -> int:
        """Those with a comment."""
        return sum(level.n_comments for level in self.levels)

    @property
    def n_reasons(self) -> int:
        """All reasons that they name, of a label that names two both."""
        return sum(reason.n for level in self.levels for reason in level.reasons)

    @property
    def reasons(self) -> list[str]:
        """The reasons that they name, each once."""
        return list(dict.fromkeys(row.reason for level in self.levels for row in level.reasons))


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
    parts = _parts(collection, filters)
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
        table=_table(parts, levels),
        n_notes=n_reports["notes"],
        n_open_reports=n_reports["open"],
        has_reasons_to_choose=any(level.reasons for level in levels),
    )


def matching_keys(*, collection: Collection, filters: CommentFilters) -> Numbers:
    """(n,) ascending keys of all labels that meet the filters, wherever a page begins."""
    parts = _parts(collection, filters)
    return np.sort(np.concatenate([column(part.values_list("pk")) for part in parts]))


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


def top_pairs(*, run: Run, depth: int) -> Numbers:
    """(n,) keys of the pairs within the first ranks of a run, ranked as its scores rank.

    Ranks are those of the query set "all" of the run's direction, else of its first one.
    """
    rows = QuerySet.objects.filter(collection=run.collection_id, direction=run.direction)
    query_sets = sorted(rows, key=lambda row: (row.name != DEFAULT_QUERY_SET, row.pk))
    if not query_sets:
        return np.zeros(0, dtype=np.int64)
    scope = scope_of(query_set=query_sets[0])
    rankings = read_rankings(run=run, scope=scope, sources=scope.sources)
    tops = top(rankings, depth)
    ends = [_array_text(np.repeat(scope.sources, tops.depth)), _array_text(tops.docs)]
    query, document = ends if run.direction == "forward" else ends[::-1]
    return statement_columns(_PAIRS, 1, {"query": query, "document": document})[0]


def _array_text(keys: Numbers) -> str:
    """Keys as the database writes an array; of 200,000 one by one, psycopg takes a second."""
    return f"{{{','.join(map(str, keys.tolist()))}}}"


def _parts(collection: Collection, filters: CommentFilters) -> list[JudgmentQuerySet]:
    """The labels that meet the filters as one part, or two without a label in both.

    Two where a comment or reasons will do: each is found by an index of its own.
    """
    judgments = Judgment.objects.filter(collection=collection)
    if filters.state == LabelState.COUNTS:
        counts = CountingJudgment.objects.filter(judgment=OuterRef("pk"))
        judgments = judgments.filter(Exists(counts))
    if filters.level is not None:
        judgments = judgments.filter(level=filters.level)
    if filters.purpose:
        judgments = judgments.filter(purpose=filters.purpose)
    if filters.query is not None:
        judgments = judgments.filter(pair__query=filters.query)
    if filters.run is not None:
        is_top = Func(
            F("pair"),
            Value(_array_text(top_pairs(run=filters.run, depth=filters.depth))),
            template="%(expressions)s::bigint[])",
            arg_joiner=" = ANY(",
            output_field=BooleanField(),
        )
        judgments = judgments.filter(is_top)
    if filters.reason:
        judgments = judgments.filter(reasons__contains=[filters.reason])
    for word in filters.words:
        judgments = judgments.filter(comment__text__icontains=word)
    if filters.needs_comment:
        judgments = judgments.filter(_HAS_COMMENT)
    if filters.needs_reasons:
        return [judgments.filter(_HAS_REASONS)]
    if filters.needs_comment:
        return [judgments]
    return [judgments.filter(_HAS_REASONS), judgments.filter(_HAS_COMMENT, reasons=[])]


def _newest_keys(parts: list[JudgmentQuerySet], before: int | None) -> list[int]:
    """The keys of a page's labels, the newest first, with one more if there are older ones."""
    keys: list[int] = []
    for part in parts:
        older = part if before is None else part.filter(pk__lt=before)
        keys += older.order_by("-pk").values_list("pk", flat=True)[: PAGE_SIZE + 1]
    return sorted(keys, reverse=True)[: PAGE_SIZE + 1]


def _table(parts: list[JudgmentQuerySet], levels: list[Level]) -> ReasonTable:
    """Count by level and by the whole list of reasons, of which there are few."""
    n_labels, n_comments, n_with_reasons = Counter[int](), Counter[int](), Counter[int]()
    n_by_reason: dict[int, Counter[str]] = {level.pk: Counter() for level in levels}
    for part in parts:
        rows = part.order_by().values_list("level", "reasons")
        for level, reasons, n, n_with_comment in rows.annotate(Count("pk"), Count("comment")):
            n_labels[level] += n
            n_comments[level] += n_with_comment
            n_with_reasons[level] += n if reasons else 0
            n_by_reason[level] += Counter(dict.fromkeys(reasons, n))
    rows_by_level = []
    for level in levels:
        offer, counts = level_reasons.codes(level.reasons), n_by_reason[level.pk]
        # as the level offers them; those that it does not offer any more are last
        further = sorted(set(counts) - set(offer))
        reasons = [reason for reason in (*offer, *further) if reason in counts]
        n = n_with_reasons[level.pk]
        rows_by_level.append(
            LevelLabels(
                level,
                n_labels[level.pk],
                n_comments[level.pk],
                n,
                [ReasonCount(reason, counts[reason], n) for reason in reasons],
            )
        )
    return ReasonTable(rows_by_level)
