"""The inbox of a lead: batches, pairs and golds, counted in one query and listed page by page."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextChoices

from annotate.models import (
    Batch,
    Collection,
    CountingJudgment,
    Level,
    Pair,
    Report,
    Resolution,
    RoundPair,
)

PAGE_SIZE = 50
# Each part is answered by a partial index: this runs on every page that a lead opens.
_COUNT = """
    SELECT requested.id,
           (SELECT count(*) FROM annotate_batch WHERE collection_id = requested.id
            AND (verdict = 'held' OR (verdict = '' AND NOT gold_action = ''))),
           (SELECT count(*) FROM annotate_resolution disputed
            WHERE collection_id = requested.id AND status = 'disputed'
            AND EXISTS (SELECT FROM annotate_roundpair round_pair
                        WHERE round_pair.pair_id = disputed.pair_id
                          AND round_pair.dropped_at IS NULL)),
           reported.escalated, reported.cannot
    FROM unnest(%(collections)s::bigint[]) AS requested(id)
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT pair_id) FILTER (WHERE kind = 'escalated') AS escalated,
               count(DISTINCT pair_id) FILTER (WHERE kind = 'cannot_judge') AS cannot
        FROM annotate_report report WHERE collection_id = requested.id AND state = 'open'
        AND (EXISTS (SELECT FROM annotate_roundpair round_pair
                     WHERE round_pair.pair_id = report.pair_id AND round_pair.dropped_at IS NULL)
             OR NOT EXISTS (SELECT FROM annotate_roundpair round_pair
               WHERE round_pair.pair_id = report.pair_id))) reported
"""


class Tab(TextChoices):
    """One tab of the inbox."""

    BATCHES = "batches", "Failed batches"
    DISPUTED = "disputed", "Disputed"
    ESCALATED = "escalated", "Escalated"
    CANNOT = "cannot", "Cannot judge"
    GOLDS = "golds", "Doubtful golds"


OF_PAIRS = (Tab.DISPUTED, Tab.ESCALATED, Tab.CANNOT)
# A pair dropped by every round, since retired runs alone held it, waits for nobody; a gold may be
# of no round at all.
_ROUND_PAIRS = RoundPair.objects.filter(pair=OuterRef("pair"))
STILL_WANTED = Exists(_ROUND_PAIRS.filter(dropped_at=None)) | ~Exists(_ROUND_PAIRS)
_REPORTED = {Tab.ESCALATED: Report.Kind.ESCALATED, Tab.CANNOT: Report.Kind.CANNOT_JUDGE}


class Waiting(NamedTuple):
    """Numbers of batches and pairs that wait, by tab; a pair may wait in several."""

    batches: int
    disputed: int
    escalated: int
    cannot: int

    @property
    def n(self) -> int:
        """The sum of all tabs."""
        return sum(self)


class WaitingPair(NamedTuple):
    """A pair that waits: people's levels of it by seat, and its open reports of the tab's kind."""

    pair: Pair
    levels: list[Level]
    reports: list[Report]

    @property
    def n_people(self) -> int:
        """Number of people who reported it."""
        return len({report.annotator_id for report in self.reports})


def count(*, collection: Collection) -> Waiting:
    """Return the numbers of one collection; one query."""
    return waiting_counts(collection_keys=[collection.pk])[collection.pk]


def waiting_counts(*, collection_keys: Sequence[int]) -> dict[int, Waiting]:
    """Count the waiting batches, pairs and golds of each collection, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"collections": list(collection_keys)})
        return {key: Waiting(*numbers) for key, *numbers in cursor.fetchall()}


def waiting_batches(*, collection: Collection) -> QuerySet[Batch]:
    """Return batches held for a lead, or with missed golds and no verdict; the oldest first."""
    missed = Q(verdict="") & ~Q(gold_action="")
    rows = Batch.objects.filter(Q(verdict=Batch.Verdict.HELD) | missed, collection=collection)
    rows = rows.select_related("annotator__user").annotate(n_pairs=Count("hand_outs"))
    return rows.order_by("pk")


def batch_page(*, collection: Collection, number: str | None) -> Page:
    """Return one page of the waiting batches."""
    return Paginator(waiting_batches(collection=collection), PAGE_SIZE).get_page(number)


def pair_page(
    *, collection: Collection, tab: Tab, number: str | None
) -> tuple[Page, list[WaitingPair]]:
    """Return one page of a tab's pairs by key, with their levels and reports; six queries."""
    page = Paginator(_keys(collection, tab), PAGE_SIZE).get_page(number)
    keys = list(page.object_list)
    pairs = Pair.objects.select_related("query", "document").prefetch_related(
        "query__parts", "document__parts"
    )
    pairs_by_id = pairs.in_bulk(keys)
    levels, reports = _levels(keys), _reports(keys, tab)
    return page, [WaitingPair(pairs_by_id[key], levels[key], reports[key]) for key in keys]


def next_pair(*, collection: Collection, tab: Tab, after: Pair) -> int | None:
    """Return the key of the tab's next pair, or of its first one; None when no other is left."""
    keys = _keys(collection, tab).exclude(pair=after)
    return keys.filter(pair__gt=after).first() or keys.first()


def _keys(collection: Collection, tab: Tab) -> QuerySet:
    if tab == Tab.DISPUTED:
        disputed = Resolution.objects.filter(
            STILL_WANTED, collection=collection, status=Resolution.Status.DISPUTED
        )
        return disputed.order_by("pair").values_list("pair_id", flat=True)
    reports = Report.objects.filter(
        STILL_WANTED, collection=collection, state=Report.State.OPEN, kind=_REPORTED[tab]
    )
    return reports.order_by("pair").values_list("pair_id", flat=True).distinct()


def _levels(pairs: Sequence[int]) -> dict[int, list[Level]]:
    labels = CountingJudgment.objects.labels().filter(pair__in=pairs)
    levels: dict[int, list[Level]] = defaultdict(list)
    for label in labels.select_related("judgment__level").order_by("number", "seat"):
        levels[label.pair_id].append(label.judgment.level)
    return levels


def _reports(pairs: Iterable[int], tab: Tab) -> dict[int, list[Report]]:
    reports_by_pair: dict[int, list[Report]] = defaultdict(list)
    if tab in _REPORTED:
        rows = Report.objects.filter(pair__in=pairs, state=Report.State.OPEN, kind=_REPORTED[tab])
        for report in rows.select_related("annotator__user").order_by("pk"):
            reports_by_pair[report.pair_id].append(report)
    return reports_by_pair
