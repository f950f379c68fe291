"""The order in which the explorer shows queries, from stored values for each query."""

from typing import NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Exists, OuterRef
from numpy.typing import NDArray

from annotate.models import Collection, Direction, QuerySet, QuerySetItem, Resolution
from annotate.services.background import kept
from metrics.core.labels.label_sources import LabelSource
from metrics.explorer_state import ExplorerState, QueryOrder
from metrics.models import Score
from metrics.services.explorer import disagreement
from metrics.services.scores.labels import Ids, ends

JUDGED = "Judged@10"
_SOURCES = """
    SELECT array_agg(member.item_id ORDER BY member.item_id)
    FROM annotate_querysetitem member JOIN annotate_item item ON item.id = member.item_id
    WHERE member.query_set_id = %s AND member.part = 'source' AND item.excluded_at IS NULL
"""


class OrderedQueries(NamedTuple):
    """The queries of a query set in an order.

    sources : (Q,) ascending keys, without the excluded ones; scores store a value for each
    order : (Q,) their indices, first to last
    missing_input : what the order waits for, in words; until then it is the order of loading. Empty
        where complete
    """

    sources: Ids
    order: NDArray[np.int64]
    missing_input: str = ""

    def rank(self, source: int) -> int | None:
        """Rank of a source in the order, from 0; None where the set does not hold it."""
        query_index = int(np.searchsorted(self.sources, source))
        if query_index == len(self.sources) or self.sources[query_index] != source:
            return None
        return int(np.flatnonzero(self.order == query_index)[0])

    def at(self, rank: int) -> int | None:
        """The source at a rank of the order; None before the first and after the last."""
        return int(self.sources[self.order[rank]]) if 0 <= rank < len(self.order) else None


def sources_of(query_set: QuerySet) -> Ids:
    """Keys of the query set's sources that no lead excluded, ascending."""
    with connection.cursor() as cursor:
        cursor.execute(_SOURCES, [query_set.pk])
        (sources,) = cursor.fetchone()
    return np.array(sources or [], dtype=np.int64)


def first_labelled_source(query_set: QuerySet) -> int | None:
    """Key of the first source, as loaded, with a pair that people labelled; None without one."""
    end, _ = ends(Direction(query_set.direction))
    resolutions = Resolution.objects.filter(n_labels__gt=0, **{f"pair__{end}": OuterRef("item")})
    sources = query_set.members.filter(
        Exists(resolutions), part=QuerySetItem.Part.SOURCE, item__excluded_at=None
    )
    return sources.order_by("item").values_list("item_id", flat=True).first()


def order_queries(
    *, collection: Collection, query_set: QuerySet, state: ExplorerState
) -> OrderedQueries:
    """The query set in the order of the state; three database queries at most."""
    sources = sources_of(query_set)
    as_loaded = OrderedQueries(sources, np.arange(len(sources)))
    if state.order == QueryOrder.RANDOM:
        return as_loaded._replace(order=np.random.default_rng(state.seed).permutation(len(sources)))
    if state.order == QueryOrder.DISAGREED:
        row = kept.find(inquiry=disagreement.inquiry_of(collection=collection))
        if row is None:
            return as_loaded._replace(missing_input="the count of differing labels")
        return as_loaded._replace(order=disagreement.disagreement_of(row).order(sources))
    if state.order == QueryOrder.LOADED:
        return as_loaded
    values = _values(query_set, state, len(sources))
    if values is None:
        return as_loaded._replace(missing_input="the scores of the runs")
    return as_loaded._replace(order=np.argsort(-values, kind="stable"))


def _values(
    query_set: QuerySet, state: ExplorerState, n_queries: int
) -> NDArray[np.float64] | None:
    """The values by which queries are ordered, largest first; None without scores.

    They are means over the runs shown.
    """
    if state.order == QueryOrder.UNJUDGED:
        judged_share = _mean(query_set, state, JUDGED, state.label_source, n_queries)
        return None if judged_share is None else 1 - judged_share
    whole = _mean(query_set, state, state.measure, state.label_source, n_queries)
    reference = _mean(query_set, state, state.measure, state.label_source.reference, n_queries)
    return None if whole is None or reference is None else whole - reference


def _mean(
    query_set: QuerySet,
    state: ExplorerState,
    measure: str,
    source: LabelSource | None,
    n_queries: int,
) -> NDArray[np.float64] | None:
    scores = Score.objects.filter(
        query_set=query_set, run__in=state.runs, label_source=str(source), measure=measure
    )
    # A set that shrank or grew since it was scored has values for other queries.
    stored_values = scores.filter(n_queries=n_queries).values_list("per_query", flat=True)
    values = [np.frombuffer(value, dtype="<f8") for value in stored_values]
    return np.mean(values, axis=0) if values else None
