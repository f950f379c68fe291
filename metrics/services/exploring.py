"""One page of the explorer: a query, what each run returns for it, and what people and the reference say of that.

Orders and scores come from stored values; nothing is measured here.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from annotate.http import Shown, as_shown
from annotate.models import Collection, Direction, Item, QuerySet
from metrics.explorer_state import Asked
from metrics.services.exploring_labels import Agreement, Labels, Said, labels_of
from metrics.services.exploring_order import JUDGED, Ordered, ordered
from metrics.services.exploring_runs import Ranked, Value, counting, rankings_of, scores_of, with_matrix_ranks
from metrics.services.exploring_search import Found, search
from metrics.services.measuring import BESIDE, MEASURES
from pooling.models import Pool, PoolPair, Run

MAX_MISSED = 30  # known positives that are listed
NAMES = [measure.name for measure in MEASURES if measure.name not in BESIDE]
GAINING = [name for name in NAMES if name != JUDGED]


class Place(NamedTuple):
    """Where in the order the query stands, from 1; the ids of its neighbours, None at the ends."""

    number: int
    n_queries: int
    previous: str | None
    next: str | None
    lacks: str


class Result(NamedTuple):
    """One target of a run; `pools` are those that asked about it, `shown` is None where the collection lacks it."""

    rank: int
    shown: Shown | None
    said: Said
    pools: list[Pool]
    query_id: str


class Column(NamedTuple):
    """One run: those of its first results that the filter lets through; `n_top` is how many there are without it."""

    run: Run
    is_missing: bool
    results: list[Result]
    n_top: int
    values: list[Value | None]


class Missed(NamedTuple):
    """A known positive that some run does not have at the top: its rank in each, None where it is not there."""

    shown: Shown
    said: Said
    ranks: list[int | None]


class Query(NamedTuple):
    """The query with all that is shown of it."""

    shown: Shown
    place: Place
    columns: list[Column]
    measures: list[str]
    n_positives: int
    missed: list[Missed]
    n_missed: int
    agreement: Agreement | None


class Page(NamedTuple):
    """What the explorer shows.

    query : None where there is none to show
    unknown : that the id asked for is not in the query set
    found : what a search found, None without a search
    """

    asked: Asked
    query: Query | None
    unknown: bool
    found: Found | None


def page_of(*, collection: Collection, asked: Asked) -> Page:
    """The page asked for; as many queries whatever the query, and however many runs and labels there are."""
    query_set = asked.query_set
    if query_set is None:
        return Page(asked, None, unknown=bool(asked.query), found=None)
    found = search(query_set=query_set, text=asked.search) if asked.search else None
    source_id = asked.query or (found.items[0].external_id if found and len(found.items) == 1 else "")
    order = ordered(collection=collection, query_set=query_set, asked=asked)
    source = _source(query_set, order, source_id)
    if source is None or (found and not source_id):
        return Page(asked, None, unknown=bool(asked.query), found=found)
    return Page(asked, _query(collection, query_set, asked, order, source), unknown=False, found=found)


def _source(query_set: QuerySet, order: Ordered, external_id: str) -> Item | None:
    """The query of that id, the first in the order for an empty one; None where the set does not hold it."""
    items = Item.objects.prefetch_related("parts")
    if not external_id:
        first = order.at(0)
        return None if first is None else items.get(pk=first)
    side = "query" if query_set.direction == Direction.FORWARD else "document"
    found = items.filter(collection=query_set.collection_id, side=side, external_id=external_id).first()
    return found if found and order.rank(found.pk) is not None else None


def _query(collection: Collection, query_set: QuerySet, asked: Asked, order: Ordered, source: Item) -> Query:
    labels = labels_of(collection=collection, query_set=query_set, source=source, asked=asked)
    ranked = rankings_of(query_set=query_set, source=source, runs=asked.runs)
    positives = counting(query_set=query_set, targets=labels.positives())
    ranked = with_matrix_ranks(ranked, query_set=query_set, source=source, targets=positives)
    missed = [target for target in positives if any((each.rank(target) or asked.depth + 1) > asked.depth
                                                    for each in ranked)]  # fmt: skip
    tops = [(each.targets or [])[: asked.depth] for each in ranked]
    items = _items([*missed[:MAX_MISSED], *(target for top in tops for target in top)], collection)
    pools = _pools(labels, items)
    values = scores_of(
        collection=collection, query_set=query_set, asked=asked,
        place=int(order.sources.searchsorted(source.pk)), n_queries=len(order.sources),
    )  # fmt: skip
    results = _Results(asked, labels, items, pools, source, is_forward=query_set.direction == Direction.FORWARD)
    return Query(
        shown=Shown(source, as_shown(source, collection.slug)),
        place=_place(order, source),
        columns=[
            Column(each.run, each.targets is None, results.of(top), len(top), _values(values.get(each.run.pk, {})))
            for each, top in zip(ranked, tops, strict=True)
        ],
        measures=NAMES,
        n_positives=len(positives),
        missed=[Missed(items[target], labels.of(target), _ranks(ranked, target)) for target in missed[:MAX_MISSED]],
        n_missed=len(missed),
        agreement=labels.agreement,
    )


class _Results(NamedTuple):
    """What results are made of."""

    asked: Asked
    labels: Labels
    items: dict[int, Shown]
    pools: dict[int, list[Pool]]
    source: Item
    is_forward: bool

    def of(self, top: list[int]) -> list[Result]:
        """The results of one run that the filter lets through."""
        return [
            Result(rank, self.items.get(target), said, self.pools.get(target, []), self._query_id(target))
            for rank, target in enumerate(top, start=1)
            if (said := self.labels.of(target)).is_shown(self.asked.show)
        ]

    def _query_id(self, target: int) -> str:
        """The id of the pair's query item, which in the reverse direction is the target."""
        if self.is_forward:
            return self.source.external_id
        return self.items[target].item.external_id if target in self.items else ""


def _values(known: dict[str, Value]) -> list[Value | None]:
    return [known.get(name) for name in NAMES]


def _ranks(ranked: list[Ranked], target: int) -> list[int | None]:
    return [each.rank(target) for each in ranked]


def _items(targets: Iterable[int], collection: Collection) -> dict[int, Shown]:
    rows = Item.objects.filter(pk__in=set(targets)).prefetch_related("parts")
    return {item.pk: Shown(item, as_shown(item, collection.slug)) for item in rows}


def _pools(labels: Labels, items: dict[int, Shown]) -> dict[int, list[Pool]]:
    """The opened pools that hold the shown pairs, by target."""
    target_of = {said.pair: target for target, said in labels.by_target.items() if said.pair and target in items}
    rows = PoolPair.objects.filter(pair__in=list(target_of), pool__opened_at__isnull=False)
    found: dict[int, list[Pool]] = defaultdict(list)
    for row in rows.select_related("pool").order_by("pool_id"):
        found[target_of[row.pair_id]].append(row.pool)
    return found


def _place(order: Ordered, source: Item) -> Place:
    rank = order.rank(source.pk) or 0
    before, after = order.at(rank - 1), order.at(rank + 1)
    named = dict(Item.objects.filter(pk__in=[before, after]).values_list("pk", "external_id"))
    return Place(rank + 1, len(order.order), named.get(before), named.get(after), order.lacks)  # type: ignore[arg-type]
