"""What waits for a lead: batches, pairs and golds, counted in one query and listed a page at a time."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextChoices

from annotate.models import Batch, Collection, Level, Pair, Report, Resolution, RoundPair, Seat

PAGE_SIZE = 50
# Each part is answered by a partial index: this is asked on every page that a lead opens.
_COUNT = """
    SELECT asked.id,
           (SELECT count(*) FROM annotate_batch WHERE collection_id = asked.id
            AND (verdict = 'held' OR (verdict = '' AND NOT gold_action = ''))),
           (SELECT count(*) FROM annotate_resolution disputed WHERE collection_id = asked.id AND status = 'disputed'
            AND EXISTS (SELECT FROM annotate_roundpair wish
                        WHERE wish.pair_id = disputed.pair_id AND wish.dropped_at IS NULL)),
           reported.escalated, reported.cannot
    FROM unnest(%(collections)s::bigint[]) AS asked(id)
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT pair_id) FILTER (WHERE kind = 'escalated') AS escalated,
               count(DISTINCT pair_id) FILTER (WHERE kind = 'cannot_judge') AS cannot
        FROM annotate_report report WHERE collection_id = asked.id AND state = 'open'
        AND (EXISTS (SELECT FROM annotate_roundpair wish
                     WHERE wish.pair_id = report.pair_id AND wish.dropped_at IS NULL)
             OR NOT EXISTS (SELECT FROM annotate_roundpair wish WHERE wish.pair_id = report.pair_id))) reported
"""


class Tab(TextChoices):
    """One kind of thing that waits."""

    BATCHES = "batches", "Failed batches"
    DISPUTED = "disputed", "Disputed"
    ESCALATED = "escalated", "Escalated"
    CANNOT = "cannot", "Cannot judge"
    GOLDS = "golds", "Doubtful golds"


OF_PAIRS = (Tab.DISPUTED, Tab.ESCALATED, Tab.CANNOT)
# What every round left out, since retired runs alone held it, waits for nobody. A gold may be of no round at all.
_WISHES = RoundPair.objects.filter(pair=OuterRef("pair"))
STILL_WANTED = Exists(_WISHES.filter(dropped_at=None)) | ~Exists(_WISHES)
_REPORTED = {Tab.ESCALATED: Report.Kind.ESCALATED, Tab.CANNOT: Report.Kind.CANNOT_JUDGE}


class Waiting(NamedTuple):
    """How many batches and pairs wait, by tab; a pair may wait in several."""

    batches: int
    disputed: int
    escalated: int
    cannot: int

    @property
    def n(self) -> int:
        """All together."""
        return sum(self)


class WaitingPair(NamedTuple):
    """A pair that waits: the levels people gave it by seat, and its open reports of the tab's kind."""

    pair: Pair
    given: list[Level]
    reports: list[Report]

    @property
    def n_people(self) -> int:
        """How many people reported it."""
        return len({report.annotator_id for report in self.reports})


def count(*, collection: Collection) -> Waiting:
    """How much waits; one query."""
    return counts(collections=[collection.pk])[collection.pk]


def counts(*, collections: Sequence[int]) -> dict[int, Waiting]:
    """How much waits in each of these collections; one query."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"collections": list(collections)})
        return {key: Waiting(*found) for key, *found in cursor.fetchall()}


def waiting_batches(*, collection: Collection) -> QuerySet[Batch]:
    """Batches held for a lead, and those whose golds were missed and that have no verdict; the oldest first."""
    missed = Q(verdict="") & ~Q(gold_action="")
    rows = Batch.objects.filter(Q(verdict=Batch.Verdict.HELD) | missed, collection=collection)
    rows = rows.select_related("annotator__user").annotate(n_pairs=Count("hand_outs"))
    return rows.order_by("pk")


def batch_page(*, collection: Collection, number: str | None) -> Page:
    """Some of them."""
    return Paginator(waiting_batches(collection=collection), PAGE_SIZE).get_page(number)


def pair_page(*, collection: Collection, tab: Tab, number: str | None) -> tuple[Page, list[WaitingPair]]:
    """Some of a tab's pairs in the order of their keys, and what is shown of each; six queries, however many."""
    page = Paginator(_keys(collection, tab), PAGE_SIZE).get_page(number)
    keys = list(page.object_list)
    pairs = Pair.objects.select_related("query", "document").prefetch_related("query__parts", "document__parts")
    known = pairs.in_bulk(keys)
    given, reports = _given(keys), _reports(keys, tab)
    return page, [WaitingPair(known[key], given[key], reports[key]) for key in keys]


def next_pair(*, collection: Collection, tab: Tab, after: Pair) -> int | None:
    """The key of the tab's pair that comes after this one, or of its first one; None when no other is left."""
    keys = _keys(collection, tab).exclude(pair=after)
    return keys.filter(pair__gt=after).first() or keys.first()


def _keys(collection: Collection, tab: Tab) -> QuerySet:
    if tab == Tab.DISPUTED:
        disputed = Resolution.objects.filter(STILL_WANTED, collection=collection, status=Resolution.Status.DISPUTED)
        return disputed.order_by("pair").values_list("pair_id", flat=True)
    reports = Report.objects.filter(STILL_WANTED, collection=collection, state=Report.State.OPEN, kind=_REPORTED[tab])
    return reports.order_by("pair").values_list("pair_id", flat=True).distinct()


def _given(pairs: Sequence[int]) -> dict[int, list[Level]]:
    done = Seat.objects.filter(pair__in=pairs, purpose__in=Seat.COUNTING, state=Seat.State.DONE)
    found: dict[int, list[Level]] = defaultdict(list)
    for seat in done.select_related("judgment__level").order_by("number", "pk"):
        found[seat.pair_id].append(seat.judgment.level)
    return found


def _reports(pairs: Iterable[int], tab: Tab) -> dict[int, list[Report]]:
    found: dict[int, list[Report]] = defaultdict(list)
    if tab in _REPORTED:
        rows = Report.objects.filter(pair__in=pairs, state=Report.State.OPEN, kind=_REPORTED[tab])
        for report in rows.select_related("annotator__user").order_by("pk"):
            found[report.pair_id].append(report)
    return found
