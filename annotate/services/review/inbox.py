"""The inbox of a lead: what waits, counted in one query and listed page by page."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, Self

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet, Subquery, TextChoices
from django.db.models.functions import Coalesce

from annotate.models import (
    Batch,
    Collection,
    Concern,
    CountingJudgment,
    Level,
    Pair,
    Report,
    Resolution,
    RoundPair,
)
from annotate.services.supervision import concerns

PAGE_SIZE = 50


class Tab(TextChoices):
    """One tab of the inbox."""

    PEOPLE = "people", "People"
    BATCHES = "batches", "Failed batches"
    DISPUTED = "disputed", "Disputed"
    ESCALATED = "escalated", "Escalated"
    CANNOT = "cannot", "Cannot judge"
    GOLDS = "golds", "Doubtful golds"


OF_PAIRS = (Tab.DISPUTED, Tab.ESCALATED, Tab.CANNOT)
# A pair dropped by every round, since retired runs alone held it, waits for nobody. One that has a
# resolution is of some round; a gold, which may be reported, may be of none.
_ROUND_PAIRS = RoundPair.objects.filter(pair=OuterRef("pair"))
IS_WANTED = Exists(_ROUND_PAIRS.filter(dropped_at=None))
_IS_NOT_DROPPED = IS_WANTED | ~Exists(_ROUND_PAIRS)
# a gold of no round may be reported by who has it on screen while it is excluded
_IS_LEFT_OUT = Exists(Pair.objects.filter(pk=OuterRef("pair")).left_out())
_REPORTED = {Tab.ESCALATED: [Report.Kind.ESCALATED], Tab.CANNOT: [Report.Kind.CANNOT_JUDGE]}


class Waiting(NamedTuple):
    """Numbers of concerns, batches and pairs that wait, by tab; a pair may wait in several."""

    people: int
    batches: int
    disputed: int
    escalated: int
    cannot: int

    @property
    def n(self) -> int:
        """The sum of all tabs."""
        return sum(self)


NOTHING = Waiting(0, 0, 0, 0, 0)


class WaitingPair(NamedTuple):
    """A pair that waits: people's levels of it by seat, and its open reports of the tab's kind."""

    pair: Pair
    levels: list[Level]
    reports: list[Report]

    @classmethod
    def of(cls, pair: Any) -> Self:
        """Make it of a pair that was read with `with_labels_and_reports`."""
        return cls(pair, [label.judgment.level for label in pair.labels], pair.open_reports)

    @property
    def n_people(self) -> int:
        """Number of people who reported it."""
        return len({report.annotator_id for report in self.reports})


def count(*, collection: Collection) -> Waiting:
    """Return the numbers of one collection; one query."""
    return waiting_counts(collection_keys=[collection.pk])[collection.pk]


def waiting_counts(*, collection_keys: Sequence[int]) -> dict[int, Waiting]:
    """Count what waits in each collection, in one query.

    Each part is answered by a partial index: this runs on every page that a lead opens.
    """
    counts, parameters = _counts()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT * FROM ({counts}) counted WHERE id = ANY(%s)",  # noqa: S608 - of the ORM
            [*parameters, list(collection_keys)],
        )
        counts_by_key = {key: Waiting(*numbers) for key, *numbers in cursor.fetchall()}
    # one may be gone by now
    return {key: counts_by_key.get(key, NOTHING) for key in collection_keys}


@cache
def _counts() -> tuple[str, tuple[Any, ...]]:
    """The statement that counts what waits in each collection, and its parameters.

    It has the filters of the lists. Composing it anew each time would take longer than running it.
    """
    collection = OuterRef("pk")
    numbers = [
        _number(Concern.objects.filter(collection=collection).open(), "pk"),
        _number(Batch.objects.filter(collection=collection).waiting(), "pk"),
        *(_number(_rows(collection, tab), "pair") for tab in OF_PAIRS),
    ]
    return Collection.objects.order_by().values_list("id", *numbers).query.sql_with_params()


def _number(rows: QuerySet, column: str) -> Coalesce:
    """The number of a collection's rows that differ in a column, in a query for collections."""
    numbers = rows.values("collection").annotate(n=Count(column, distinct=True)).values("n")
    return Coalesce(Subquery(numbers), 0)


def waiting_batches(*, collection: Collection) -> QuerySet[Batch]:
    """Return batches held for a lead, or with missed golds and no verdict; the oldest first."""
    rows = Batch.objects.filter(collection=collection).waiting().with_judging_numbers()
    rows = rows.select_related("annotator__user").annotate(n_pairs=Count("hand_outs"))
    return rows.order_by("pk")


def work_page(*, collection: Collection, tab: Tab, number: str | None) -> dict[str, Any]:
    """Return one page of people or batches that wait; of people with what was settled lately."""
    if tab == Tab.BATCHES:
        rows = waiting_batches(collection=collection)
        return {"page": Paginator(rows, PAGE_SIZE).get_page(number)}
    page = Paginator(concerns.waiting_concerns(collection=collection), PAGE_SIZE).get_page(number)
    return {"page": page, "settled": concerns.settled_lately(collection=collection)}


def pair_page(
    *, collection: Collection, tab: Tab, number: str | None
) -> tuple[Page, list[WaitingPair]]:
    """Return one page of a tab's pairs by key, with their levels and reports; six queries."""
    page = Paginator(_keys(collection, tab), PAGE_SIZE).get_page(number)
    pairs_by_key = with_labels_and_reports(Pair.objects.all(), tab=tab).in_bulk(page.object_list)
    return page, [WaitingPair.of(pairs_by_key[key]) for key in page.object_list]


def waiting_pairs(*, collection: Collection, tab: Tab) -> QuerySet[Pair]:
    """Return the pairs of a tab, for WaitingPair."""
    pairs = Pair.objects.filter(pk__in=_rows(collection, tab).values("pair"))
    return with_labels_and_reports(pairs, tab=tab)


def with_labels_and_reports(pairs: QuerySet[Pair], *, tab: Tab) -> QuerySet[Pair]:
    """Read pairs with what WaitingPair has of them, in a constant number of queries."""
    labels = CountingJudgment.objects.labels().select_related("judgment__level")
    reports = Report.objects.open().filter(kind__in=_REPORTED.get(tab, []))
    return pairs.select_related("query", "document").prefetch_related(
        "query__parts",
        "document__parts",
        Prefetch("counting_judgments", labels.order_by("number", "seat"), to_attr="labels"),
        Prefetch(
            "reports",
            reports.select_related("annotator__user").order_by("pk"),
            to_attr="open_reports",
        ),
    )


def next_pair(*, collection: Collection, tab: Tab, after: Pair) -> int | None:
    """Return the key of the tab's next pair, or of its first one; None when no other is left."""
    keys = _keys(collection, tab).exclude(pair=after)
    return keys.filter(pair__gt=after).first() or keys.first()


def _keys(collection: Collection, tab: Tab) -> QuerySet:
    return _rows(collection, tab).order_by("pair").values_list("pair_id", flat=True).distinct()


def _rows(collection: Collection | OuterRef, tab: Tab) -> QuerySet:
    """The resolutions or reports, by tab, whose pairs wait; a pair may have several reports."""
    if tab == Tab.DISPUTED:
        return Resolution.objects.filter(
            IS_WANTED, collection=collection, status=Resolution.Status.DISPUTED
        )
    return Report.objects.filter(
        _IS_NOT_DROPPED,
        ~_IS_LEFT_OUT,
        collection=collection,
        state=Report.State.OPEN,
        kind__in=_REPORTED[tab],
    )
