"""The order in which the explorer goes through queries, from values a query that were computed before."""

from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.core.label_sources import LabelSource
from metrics.explorer_state import Asked, Order
from metrics.models import Score
from metrics.services import exploring_disagreement as disagreement
from metrics.services.labels import Ids

JUDGED = "Judged@10"
_SOURCES = """
    SELECT array_agg(member.item_id ORDER BY member.item_id)
    FROM annotate_querysetitem member JOIN annotate_item item ON item.id = member.item_id
    WHERE member.query_set_id = %s AND member.part = 'source' AND item.excluded_at IS NULL
"""


class Ordered(NamedTuple):
    """The queries of a query set in an order.

    sources : (Q,) ascending keys, without the excluded ones; what scores keep a value for
    order : (Q,) their places, first to last
    lacks : what the order waits for, in words; then it is the order of loading. Empty where it lacks nothing
    """

    sources: Ids
    order: NDArray[np.int64]
    lacks: str = ""

    def rank(self, source: int) -> int | None:
        """Where in the order a source comes, from 0; None where the set does not hold it."""
        place = int(np.searchsorted(self.sources, source))
        if place == len(self.sources) or self.sources[place] != source:
            return None
        return int(np.flatnonzero(self.order == place)[0])

    def at(self, rank: int) -> int | None:
        """The source at a place in the order; None before the first and after the last."""
        return int(self.sources[self.order[rank]]) if 0 <= rank < len(self.order) else None


def sources_of(query_set: QuerySet) -> Ids:
    """Ascending keys of the sources that count."""
    with connection.cursor() as cursor:
        cursor.execute(_SOURCES, [query_set.pk])
        (found,) = cursor.fetchone()
    return np.array(found or [], dtype=np.int64)


def ordered(*, collection: Collection, query_set: QuerySet, asked: Asked) -> Ordered:
    """The query set in the order asked for; three queries at most."""
    sources = sources_of(query_set)
    plain = Ordered(sources, np.arange(len(sources)))
    if asked.order == Order.RANDOM:
        return plain._replace(order=np.random.default_rng(asked.seed).permutation(len(sources)))
    if asked.order == Order.DISAGREED:
        last = disagreement.snapshot_of(collection=collection)
        if last is None:
            return plain._replace(lacks="the count of differing labels")
        return plain._replace(order=disagreement.read(last).order(sources))
    if asked.order == Order.LOADED:
        return plain
    values = _values(query_set, asked, len(sources))
    if values is None:
        return plain._replace(lacks="the scores of the runs")
    return plain._replace(order=np.argsort(-values, kind="stable"))


def _values(query_set: QuerySet, asked: Asked, n_queries: int) -> NDArray[np.float64] | None:
    """What the order goes by, largest first: a value a query, a mean over the runs shown; None without scores."""
    if asked.order == Order.UNJUDGED:
        judged = _mean(query_set, asked, JUDGED, asked.label_source, n_queries)
        return None if judged is None else 1 - judged
    whole = _mean(query_set, asked, asked.measure, asked.label_source, n_queries)
    reference = _mean(query_set, asked, asked.measure, asked.label_source.reference, n_queries)
    return None if whole is None or reference is None else whole - reference


def _mean(
    query_set: QuerySet, asked: Asked, measure: str, source: LabelSource | None, n_queries: int
) -> NDArray[np.float64] | None:
    scores = Score.objects.filter(
        query_set=query_set, run__in=asked.runs, label_source=str(source), measure=measure
    )
    # A set that shrank or grew since it was scored has values for other queries.
    stored = scores.filter(n_queries=n_queries).values_list("per_query", flat=True)
    values = [np.frombuffer(value, dtype="<f8") for value in stored]
    return np.mean(values, axis=0) if values else None
