"""Counts of the labels that meet the filters, by level and by reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Count

from annotate.core.levels import level_reasons
from annotate.core.phrases import counted
from annotate.models import Level
from annotate.models.judgments import JudgmentQuerySet


class LevelCounts(NamedTuple):
    """Labels of a level: all, those with a comment, those with reasons, and by reason."""

    n_labels: int
    n_comments: int
    n_with_reasons: int
    by_reason: dict[str, int]


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


def level_counts(parts: Sequence[JudgmentQuerySet]) -> dict[str, LevelCounts]:
    """Count by the key of the level and by the whole list of reasons, of which there are few.

    As JSON holds them: of each level with labels all, those with a comment, those with reasons, and
    those that name each reason.
    """
    counts: dict[str, LevelCounts] = {}
    for part in parts:
        rows = part.order_by().values_list("level", "reasons")
        for level, reasons, n, n_with_comment in rows.annotate(Count("pk"), Count("comment")):
            level_row = counts.setdefault(str(level), LevelCounts(0, 0, 0, {}))
            by_reason = Counter(level_row.by_reason) + Counter(dict.fromkeys(reasons, n))
            counts[str(level)] = LevelCounts(
                level_row.n_labels + n,
                level_row.n_comments + n_with_comment,
                level_row.n_with_reasons + (n if reasons else 0),
                dict(by_reason),
            )
    return counts


def table_of(counts: Mapping[str, Sequence[Any]], levels: Sequence[Level]) -> ReasonTable:
    """Put counts beside the levels as they are now.

    counts : as `level_counts` returns them, or read from JSON
    """
    rows = []
    for level in levels:
        n_labels, n_comments, n_with_reasons, by_reason = counts.get(str(level.pk), (0, 0, 0, {}))
        offer = level_reasons.codes(level.reasons)
        # as the level offers them; those that it does not offer any more are last
        further = sorted(set(by_reason) - set(offer))
        reasons = [
            ReasonCount(reason, by_reason[reason], n_with_reasons)
            for reason in (*offer, *further)
            if reason in by_reason
        ]
        rows.append(LevelLabels(level, n_labels, n_comments, n_with_reasons, reasons))
    return ReasonTable(rows)
