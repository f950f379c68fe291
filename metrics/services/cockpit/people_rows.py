"""The people of a collection as rows of the first page, those to look at first."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, OuterRef, Q, Subquery
from django.utils import timezone

from annotate.core.phrases import counted, days_since, time_since
from annotate.models import Annotator, Batch, Collection, CountingJudgment, Guard, Judgment
from metrics.services.dashboard.dashboard import Dashboard


class PersonRow(NamedTuple):
    """One person's row.

    numbers : her line of the dashboard (dashboard.person_row), with the flags of guards
    n_last_day : her labels of 24 hours
    n_recent : her labels since the moment that recent events are told from
    """

    numbers: dict[str, Any]
    n_last_day: int
    is_paused: bool
    n_rejected: int
    last_answer_at: datetime | None
    n_recent: int = 0

    @property
    def golds_text(self) -> str:
        """The golds that she got right; empty before the first."""
        n_gold = self.numbers["n_gold"]
        return f"{self.numbers['n_right']} of {n_gold}" if n_gold else ""

    @property
    def gold_width(self) -> float:
        """The width of the interval of her golds, in per cent."""
        return float(self.numbers["gold_high"] - self.numbers["gold_low"])

    @property
    def has_failed_golds(self) -> bool:
        """True if a guard names her for her golds."""
        return any(flag.guard == Guard.GOLD for flag in self.numbers["flags"])

    @property
    def batches_text(self) -> str:
        """Her rejected batches; empty without one."""
        return f"{counted(self.n_rejected, 'batch')} rejected" if self.n_rejected else ""

    @property
    def n_notes(self) -> int:
        """The number of reasons to look at her."""
        return len(self.numbers["flags"]) + bool(self.numbers["drift"]) + (self.n_rejected > 0)

    @property
    def seen_text(self) -> str:
        """The time since her last answer; empty before the first."""
        return time_since(self.last_answer_at, timezone.now()) if self.last_answer_at else ""

    @property
    def seen_day_text(self) -> str:
        """The days in UTC since her last answer, for those who know her by her pseudonym alone."""
        if self.last_answer_at is None:
            return ""
        return f"{days_since(self.last_answer_at, timezone.now())} (UTC)"


def people_rows(
    *, collection: Collection, dashboard: Dashboard, since: datetime | None = None
) -> list[PersonRow]:
    """A row for each line of the dashboard, those to look at first; three queries.

    Then by labels of the last 24 hours, and by all labels. Those of 24 hours and since a moment, by
    default the same, are of the moment of all labels, so that they are never more; pauses, rejected
    batches and last answers are live.
    """
    day_ago = timezone.now() - timedelta(days=1)
    last_answers = Judgment.objects.filter(annotator=OuterRef("pk")).order_by("-at")
    annotators = Annotator.objects.filter(collection=collection).annotate(
        n_rejected=Count("batches", filter=Q(batches__verdict=Batch.Verdict.REJECTED)),
        last_answer_at=Subquery(last_answers.values("at")[:1]),
    )
    annotators_by_key: dict[int, Any] = {annotator.pk: annotator for annotator in annotators}
    since = day_ago if since is None else since
    labels = CountingJudgment.objects.labels().filter(
        collection=collection, at__gte=min(day_ago, since)
    )
    if dashboard.moment and dashboard.moment.later.exist:
        labels = labels.filter(at__lte=dashboard.moment.at)
    rows_of_people = labels.order_by().values("annotator")
    counts = {
        row["annotator"]: (row["n_last_day"], row["n_recent"])
        for row in rows_of_people.annotate(
            n_last_day=Count("pk", filter=Q(at__gte=day_ago)),
            n_recent=Count("pk", filter=Q(at__gte=since)),
        )
    }
    rows = [
        PersonRow(
            numbers,
            # a label can come while the numbers are read
            min(counts.get(numbers["annotator"], (0, 0))[0], numbers["n_labels"]),
            annotators_by_key[numbers["annotator"]].paused_at is not None,
            annotators_by_key[numbers["annotator"]].n_rejected,
            annotators_by_key[numbers["annotator"]].last_answer_at,
            min(counts.get(numbers["annotator"], (0, 0))[1], numbers["n_labels"]),
        )
        for numbers in dashboard.people
        if numbers["annotator"] in annotators_by_key
    ]
    return sorted(rows, key=lambda row: (-row.n_notes, -row.n_last_day, -row.numbers["n_labels"]))
