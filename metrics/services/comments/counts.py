"""Counts of the labels that meet the filters, by level and by reason."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count

from annotate.core.labels import level_reasons
from annotate.core.phrases import counted
from annotate.models import Level
from annotate.models.judgments import JudgmentQuerySet


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


def table_of(parts: Sequence[JudgmentQuerySet], levels: Sequence[Level]) -> ReasonTable:
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
