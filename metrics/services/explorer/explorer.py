"""One page of the explorer: a query, and each run's results with labels of people and reference.

Orders and scores come from stored values; nothing is measured here.
"""

from collections import defaultdict
from typing import NamedTuple

from annotate.core.phrases import counted
from annotate.http import ItemContent, item_content
from annotate.models import Collection, Direction, Item, QuerySet
from annotate.services.collection.duplicates import original_names
from annotate.services.collection.query_sets import SOURCE_SIDES
from metrics.explorer_state import ExplorerState, QueryOrder
from metrics.services.explorer.order import (
    JUDGED,
    OrderedQueries,
    first_labelled_source,
    order_queries,
)
from metrics.services.explorer.query_labels import (
    PairSummary,
    QueryAgreement,
    QueryLabels,
    labels_of,
)
from metrics.services.explorer.runs import (
    QueryRanking,
    QueryScore,
    counting_targets,
    rankings_of,
    scores_of,
    with_matrix_ranks,
)
from metrics.services.explorer.search import SearchResults, search
from metrics.services.scores.measuring import AUXILIARY, MEASURES
from pooling.models import Pool, PoolPair, Run

MAX_MISSED = 30  # known positives that are listed
MEASURE_NAMES = [measure.name for measure in MEASURES if measure.name not in AUXILIARY]
GAIN_MEASURES = [name for name in MEASURE_NAMES if name != JUDGED]


class QueryPosition(NamedTuple):
    """Position of the query in the order, from 1, and the ids of its neighbours, None at the ends.

    missing_input : what the order waits for, in words; empty where nothing is missing
    """

    number: int
    n_queries: int
    previous: str | None
    next: str | None
    missing_input: str


class RunResult(NamedTuple):
    """One target of a run.

    item_content : None where the collection lacks the item; pools : those that hold its pair
    """

    rank: int
    item_content: ItemContent | None
    labels: PairSummary
    pools: list[Pool]
    query_id: str


class RunColumn(NamedTuple):
    """One run and its first results that pass the filter; `n_top` is their number without it."""

    run: Run
    is_missing: bool
    results: list[RunResult]
    n_top: int
    values: list[QueryScore | None]


class MissedPositive(NamedTuple):
    """A known positive that some run does not have at the top.

    ranks : in each run, None where it is not in it
    """

    item_content: ItemContent
    labels: PairSummary
    ranks: list[int | None]


class QueryPanel(NamedTuple):
    """The query with its results, scores, missed positives and agreement."""

    item_content: ItemContent
    position: QueryPosition
    columns: list[RunColumn]
    measures: list[str]
    n_positives: int
    missed_positives: list[MissedPositive]
    n_missed: int
    agreement: QueryAgreement | None

    @property
    def original(self) -> str:
        """The id of the query that it repeats, "" for none; one query of the database."""
        return original_names(self.item_content.item)


class ExplorerPage(NamedTuple):
    """The page of the explorer.

    query : None where there is none to show
    is_unknown_id : whether the requested id is not in the query set
    search_results : None without a search
    outside_item : the requested item where it is in use but not in the query set
    """

    state: ExplorerState
    query: QueryPanel | None
    is_unknown_id: bool
    search_results: SearchResults | None
    outside_item: ItemContent | None = None

    @property
    def position_text(self) -> str:
        """The position of the query in the order; empty without a query."""
        if self.query is None:
            return ""
        position = self.query.position
        order = "in the order of the file" if position.missing_input else self.state.order_text
        return f"{position.number:,} of {position.n_queries:,}, {order}"

    @property
    def labels_text(self) -> str:
        """The known positives of the query, and how far people agree; empty without a query."""
        if self.query is None:
            return ""
        reference_set, agreement = self.state.reference_set, self.query.agreement
        source = (
            f" with people's labels over reference “{reference_set.name}”" if reference_set else ""
        )
        return (
            f"{counted(self.query.n_positives, 'known positive')}{source}. "
            f"{agreement.text if agreement else 'Nobody has labelled a pair of it yet.'}"
        )

    @property
    def missed_text(self) -> str:
        """The number of known positives that some run lacks at the top; empty without a query."""
        if self.query is None:
            return ""
        n, n_listed = self.query.n_missed, len(self.query.missed_positives)
        end = f"; the first {n_listed}, larger grades first" if n > n_listed else ""
        return (
            f"{n:,} of {self.query.n_positives:,} {'stands' if n == 1 else 'stand'} below rank "
            f"{self.state.depth} of some run shown, or not in it at all{end}."
        )


def page_of(*, collection: Collection, state: ExplorerState) -> ExplorerPage:
    """The page of a state.

    The number of database queries depends neither on the query nor on runs and labels.
    """
    query_set = state.query_set
    if query_set is None:
        return _page_without_query(collection, state, state.query_id, search_results=None)
    search_results = search(query_set=query_set, text=state.search) if state.search else None
    source_id = state.query_id or (
        search_results.items[0].external_id
        if search_results and len(search_results.items) == 1
        else ""
    )
    order = order_queries(collection=collection, query_set=query_set, state=state)
    source = _source(query_set, order, source_id, state.order)
    if source is None or (search_results and not source_id):
        return _page_without_query(collection, state, source_id, search_results=search_results)
    return ExplorerPage(
        state,
        _query_panel(collection, query_set, state, order, source),
        is_unknown_id=False,
        search_results=search_results,
    )


def _page_without_query(
    collection: Collection,
    state: ExplorerState,
    external_id: str,
    *,
    search_results: SearchResults | None,
) -> ExplorerPage:
    """The page where the query set holds no query to show; with the item of the id if it is in use.

    external_id : empty for none
    """
    items = Item.objects.in_use().filter(
        collection=collection, side=SOURCE_SIDES[state.direction], external_id=external_id
    )
    item = items.prefetch_related("parts").first() if external_id else None
    return ExplorerPage(
        state,
        None,
        is_unknown_id=bool(state.query_id) and item is None,
        search_results=search_results,
        outside_item=ItemContent(item, item_content(item, collection.slug)) if item else None,
    )


def _source(
    query_set: QuerySet, order: OrderedQueries, external_id: str, kind: QueryOrder
) -> Item | None:
    """The query of that id; None if it is not in the set.

    For an empty id the first in order; as loaded, the first with labels of people if there is one.
    """
    items = Item.objects.prefetch_related("parts")
    if not external_id:
        first = first_labelled_source(query_set) if kind == QueryOrder.LOADED else None
        first = order.at(0) if first is None else first
        return None if first is None else items.get(pk=first)
    side = "query" if query_set.direction == Direction.FORWARD else "document"
    item = items.filter(
        collection=query_set.collection_id, side=side, external_id=external_id
    ).first()
    return item if item and order.rank(item.pk) is not None else None


def _query_panel(
    collection: Collection,
    query_set: QuerySet,
    state: ExplorerState,
    order: OrderedQueries,
    source: Item,
) -> QueryPanel:
    labels = labels_of(collection=collection, query_set=query_set, source=source, state=state)
    rankings = rankings_of(query_set=query_set, source=source, runs=state.runs)
    positives = counting_targets(query_set=query_set, targets=labels.positives())
    rankings = with_matrix_ranks(rankings, query_set=query_set, source=source, targets=positives)
    missed_positives = [
        target
        for target in positives
        if any((ranking.rank(target) or state.depth + 1) > state.depth for ranking in rankings)
    ]
    top_targets = [(ranking.targets or [])[: state.depth] for ranking in rankings]
    targets = {*missed_positives[:MAX_MISSED], *(target for top in top_targets for target in top)}
    rows = Item.objects.filter(pk__in=targets).prefetch_related("parts")
    items = {item.pk: ItemContent(item, item_content(item, collection.slug)) for item in rows}
    pools = _pools(labels, items)
    values = scores_of(
        collection=collection,
        query_set=query_set,
        state=state,
        query_index=int(order.sources.searchsorted(source.pk)),
        n_queries=len(order.sources),
    )
    results = _ResultBuilder(
        state, labels, items, pools, source, is_forward=query_set.direction == Direction.FORWARD
    )
    columns = [
        _run_column(ranking, top, results, values.get(ranking.run.pk, {}))
        for ranking, top in zip(rankings, top_targets, strict=True)
    ]
    return QueryPanel(
        item_content=ItemContent(source, item_content(source, collection.slug)),
        position=_position(order, source),
        columns=columns,
        measures=MEASURE_NAMES,
        n_positives=len(positives),
        missed_positives=[
            MissedPositive(
                items[target], labels.of(target), [ranking.rank(target) for ranking in rankings]
            )
            for target in missed_positives[:MAX_MISSED]
        ],
        n_missed=len(missed_positives),
        agreement=labels.agreement,
    )


class _ResultBuilder(NamedTuple):
    """The inputs from which the results of each run are built."""

    state: ExplorerState
    labels: QueryLabels
    items: dict[int, ItemContent]
    pools: dict[int, list[Pool]]
    source: Item
    is_forward: bool

    def of(self, targets: list[int]) -> list[RunResult]:
        """The results of one run that pass the filter."""
        results = []
        for rank, target in enumerate(targets, start=1):
            labels, content = self.labels.of(target), self.items.get(target)
            if labels.passes(self.state.result_filter):
                # in the reverse direction the pair's query item is the target
                query_id = content.item.external_id if content else ""
                if self.is_forward:
                    query_id = self.source.external_id
                pools = self.pools.get(target, [])
                results.append(RunResult(rank, content, labels, pools, query_id))
        return results


def _run_column(
    ranking: QueryRanking,
    top_targets: list[int],
    results: _ResultBuilder,
    scores: dict[str, QueryScore],
) -> RunColumn:
    return RunColumn(
        run=ranking.run,
        is_missing=ranking.targets is None,
        results=results.of(top_targets),
        n_top=len(top_targets),
        values=[scores.get(name) for name in MEASURE_NAMES],
    )


def _pools(labels: QueryLabels, items: dict[int, ItemContent]) -> dict[int, list[Pool]]:
    """The opened pools that hold the shown pairs, by target."""
    target_of = {
        summary.pair: target
        for target, summary in labels.by_target.items()
        if summary.pair and target in items
    }
    rows = PoolPair.objects.filter(pair__in=list(target_of), pool__opened_at__isnull=False)
    pools_of: dict[int, list[Pool]] = defaultdict(list)
    for row in rows.select_related("pool").order_by("pool_id"):
        pools_of[target_of[row.pair_id]].append(row.pool)
    return pools_of


def _position(order: OrderedQueries, source: Item) -> QueryPosition:
    rank = order.rank(source.pk) or 0
    before, after = order.at(rank - 1), order.at(rank + 1)
    neighbours = Item.objects.filter(pk__in=[before, after])
    external_ids: dict[int | None, str] = dict(neighbours.values_list("pk", "external_id"))
    return QueryPosition(
        number=rank + 1,
        n_queries=len(order.order),
        previous=external_ids.get(before),
        next=external_ids.get(after),
        missing_input=order.missing_input,
    )
