"""Stored rankings as arrays."""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from django.db import connection
from django.db.models import Q
from numpy.typing import NDArray

from annotate.models import Collection, Item, QuerySet
from pooling.core.rankings import Rankings, ranks
from pooling.core.strategies import RankedPairs
from pooling.models import Run

# Arrays as PostgreSQL sends them: numbers need not become Python objects one by one.
_TOPS = """
    SELECT ranking.source_id, cardinality(ranking.targets[1:%(depth)s]), array_send(ranking.targets[1:%(depth)s])
    FROM pooling_ranking ranking
    WHERE ranking.run_id = %(run)s AND cardinality(ranking.targets) > 0
      AND (%(query_set)s::bigint IS NULL OR ranking.source_id IN (
        SELECT member.item_id FROM annotate_querysetitem member
        WHERE member.query_set_id = %(query_set)s AND member.part = 'source'))
    ORDER BY ranking.source_id
"""
_HEADER = 20  # bytes before the elements of a one-dimensional array
_ELEMENT = np.dtype([("size", ">i4"), ("key", ">i8")])
_TO_THE_END = 2**31 - 1


def load_top(*, run: Run, depth: int, query_set: QuerySet | None = None, leave_out: NDArray[np.int64]) -> RankedPairs:
    """A run's first `depth` targets for each source item, as rows of item keys by source.

    query_set : only these source items
    leave_out : items that are not judged (see `left_out`); who stands below one of them moves up
    """
    reach = depth if not len(leave_out) else _TO_THE_END
    with connection.cursor() as cursor:
        cursor.execute(_TOPS, {"run": run.pk, "depth": reach, "query_set": query_set.pk if query_set else None})
        rows = cursor.fetchall()
    source = np.repeat([row[0] for row in rows], [row[1] for row in rows]).astype(np.int64)
    elements = np.frombuffer(b"".join(bytes(row[2])[_HEADER:] for row in rows), dtype=_ELEMENT)
    target = elements["key"].astype(np.int64)
    if len(leave_out):
        kept = ~(np.isin(source, leave_out) | np.isin(target, leave_out))
        source, target = source[kept], target[kept]
    _, lengths = np.unique(source, return_counts=True)
    rank = ranks(Rankings(np.append(0, np.cumsum(lengths)), target))
    near = rank <= depth
    return RankedPairs(source[near], target[near], rank[near])


def left_out(*, collection: Collection) -> NDArray[np.int64]:
    """Keys of items that are not judged: excluded, or of another split than test."""
    items = Item.objects.filter(collection=collection).filter(~Q(split="test") | Q(excluded_at__isnull=False))
    return np.array(items.values_list("pk", flat=True), dtype=np.int64)


def as_rankings(runs: Sequence[RankedPairs]) -> list[Rankings]:
    """Runs over the source items that all of them answer, ready to be compared."""
    common = reduce(np.intersect1d, (np.unique(run.source) for run in runs))
    aligned = []
    for run in runs:
        here = np.isin(run.source, common)
        counts = np.bincount(np.searchsorted(common, run.source[here]), minlength=len(common))
        aligned.append(Rankings(np.append(0, np.cumsum(counts)), run.target[here]))
    return aligned
