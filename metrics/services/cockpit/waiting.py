"""The things that wait for a lead, with the page on which each is dealt with; the worst first."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import Min, Q
from django.utils import timezone

from annotate.core.phrases import time_since
from annotate.models import Collection, Report
from annotate.services.pages.stuck_labels import StuckLabels
from annotate.services.review import inbox
from annotate.services.review.inbox import Tab
from annotate.services.supervision import bulk_decisions


class WaitingRow(NamedTuple):
    """Things of one kind that wait.

    address, query : the page that shows exactly these
    act : the word on its button
    oldest_at : since when the first of them waits, where that is known
    """

    n: int
    noun: str
    nouns: str
    act: str
    address: str
    query: str = ""
    note: str = ""
    oldest_at: datetime | None = None

    @property
    def text(self) -> str:
        """The things, after their number."""
        return self.noun if self.n == 1 else self.nouns

    @property
    def note_text(self) -> str:
        """A word more: since when the oldest waits, or why."""
        if self.oldest_at is None:
            return self.note
        since = time_since(self.oldest_at, timezone.now())
        return f"oldest {since}, {self.oldest_at:%-d %b %H:%M} UTC"


def waiting_rows(
    *, collection: Collection, stuck: StuckLabels | None, n_alarms: int = 0
) -> list[WaitingRow]:
    """The kinds of which something waits, in a constant number of queries.

    stuck : labels that nobody present can give
    n_alarms : those that are up
    """
    counts = inbox.count(collection=collection)
    oldest = Report.objects.open().filter(collection=collection)
    oldest_at = oldest.aggregate(
        escalated=Min("at", filter=Q(kind=Report.Kind.ESCALATED)),
        cannot=Min("at", filter=Q(kind=Report.Kind.CANNOT_JUDGE)),
    )
    page = "annotate:inbox"
    rows = [
        WaitingRow(
            counts.batches,
            "batch that failed its golds",
            "batches that failed their golds",
            "Review",
            page,
            f"?tab={Tab.BATCHES}",
        ),
        WaitingRow(
            counts.disputed,
            "disputed pair",
            "disputed pairs",
            "Decide",
            page,
            f"?tab={Tab.DISPUTED}",
        ),
        WaitingRow(
            counts.escalated,
            "pair passed on to you",
            "pairs passed on to you",
            "Answer",
            page,
            f"?tab={Tab.ESCALATED}",
            oldest_at=oldest_at["escalated"],
        ),
        WaitingRow(
            counts.cannot,
            "pair that cannot be judged",
            "pairs that cannot be judged",
            "Look",
            page,
            f"?tab={Tab.CANNOT}",
            oldest_at=oldest_at["cannot"],
        ),
        WaitingRow(
            n_alarms,
            "alarm that is up",
            "alarms that are up",
            "Look",
            "metrics:alarms",
        ),
        WaitingRow(
            stuck.n_labels if stuck else 0,
            "label that nobody here can give",
            "labels that nobody here can give",
            "Invite one more",
            "annotate:members",
            "#invite",
            note="everybody here has judged these pairs" if stuck and stuck.n_people else "",
        ),
        WaitingRow(
            len(bulk_decisions.failed(collection=collection)),
            "decision that stopped half-way",
            "decisions that stopped half-way",
            "Look",
            "annotate:review-log",
        ),
    ]
    return [row for row in rows if row.n]
