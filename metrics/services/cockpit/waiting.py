"""The things that wait for a lead, with the page on which each is dealt with; the worst first."""

from datetime import datetime
from typing import NamedTuple

from django.utils import timezone

from annotate.core.phrases import days_since, time_since
from annotate.services.pages.stuck_labels import StuckLabels
from annotate.services.review.inbox import Tab
from metrics.services.dashboard.waiting_facts import WaitingFacts


class WaitingRow(NamedTuple):
    """Things of one kind that wait.

    address, query : the page that shows exactly these
    act : the verb that begins its button
    oldest_at : since when the first of them waits, where that is known
    is_more : whether there may be more than were counted
    """

    n: int
    noun: str
    nouns: str
    act: str
    address: str
    query: str = ""
    oldest_at: datetime | None = None
    is_more: bool = False

    @property
    def count_text(self) -> str:
        """The number of the things, or that there may be more."""
        return f"{self.n:,}{' or more' * self.is_more}"

    @property
    def text(self) -> str:
        """The things, after their number."""
        return self.noun if self.n == 1 and not self.is_more else self.nouns

    @property
    def button(self) -> str:
        """The words of its button: the act, the number and the things."""
        return f"{self.act} {self.count_text} {self.text}"

    @property
    def oldest_text(self) -> str:
        """The time since the oldest came, where that is known."""
        return time_since(self.oldest_at, timezone.now()) if self.oldest_at else ""

    @property
    def oldest_day_text(self) -> str:
        """The days since the oldest came, for those who may not learn who it is of."""
        return days_since(self.oldest_at, timezone.now()) if self.oldest_at else ""


INBOX = "annotate:inbox"
PEOPLE = WaitingRow(
    0,
    "flag about a person",
    "flags about people",
    "See",
    INBOX,
    f"?tab={Tab.PEOPLE}",
)
BATCHES = WaitingRow(
    0,
    "batch that failed its golds",
    "batches that failed their golds",
    "Review",
    INBOX,
    f"?tab={Tab.BATCHES}",
)
DISPUTED = WaitingRow(0, "disputed pair", "disputed pairs", "Decide", INBOX, f"?tab={Tab.DISPUTED}")
ESCALATED = WaitingRow(
    0, "escalated pair", "escalated pairs", "Answer", INBOX, f"?tab={Tab.ESCALATED}"
)
CANNOT = WaitingRow(
    0,
    "pair that cannot be judged",
    "pairs that cannot be judged",
    "See",
    INBOX,
    f"?tab={Tab.CANNOT}",
)
ALARMS = WaitingRow(0, "alarm that is up", "alarms that are up", "See", "metrics:alarms")
STUCK = WaitingRow(
    0,
    "label that nobody here can give",
    "labels that nobody here can give",
    "Invite one more for",
    "annotate:members",
    "#invite",
)
HALF_DONE = WaitingRow(
    0,
    "decision that stopped half-way",
    "decisions that stopped half-way",
    "See",
    "annotate:review-log",
)


def waiting_rows(*, facts: WaitingFacts, n_alarms: int = 0) -> list[WaitingRow]:
    """The kinds of which something waits.

    n_alarms : those that are up
    """
    counts, stuck = facts.counts, facts.stuck
    rows = [
        ALARMS._replace(n=n_alarms),
        PEOPLE._replace(n=counts.people),
        BATCHES._replace(n=counts.batches),
        DISPUTED._replace(n=counts.disputed),
        ESCALATED._replace(n=counts.escalated, oldest_at=facts.escalated_at),
        CANNOT._replace(n=counts.cannot, oldest_at=facts.cannot_at),
        _stuck_row(stuck) if stuck else STUCK,
        HALF_DONE._replace(n=facts.n_stopped),
    ]
    return [row for row in rows if row.n]


def _stuck_row(stuck: StuckLabels) -> WaitingRow:
    """The labels that nobody can give, with the number of people who would have to come."""
    act = STUCK.act if stuck.n_newcomers == 1 else f"Invite {stuck.n_newcomers} more for"
    return STUCK._replace(n=stuck.n_labels, is_more=stuck.is_more, act=act)
