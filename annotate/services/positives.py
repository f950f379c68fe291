"""How many relevant pairs each reference set holds for the sources of each query set."""

from itertools import chain
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from django.core.cache import cache
from django.db.models import QuerySet as Rows
from numpy.typing import NDArray

from annotate.models import Collection, Direction, Item, QuerySet, QuerySetItem, ReferenceSet

KEPT_SECONDS = 24 * 3600
Ids = NDArray[np.int64]


class Positives(NamedTuple):
    """A query set, and how many relevant pairs each reference set holds for its sources, in the order asked for."""

    query_set: QuerySet
    counts: list[int]


def positives(
    *, collection: Collection, reference_sets: list[ReferenceSet], query_sets: list[QuerySet], n_excluded: int
) -> list[Positives]:
    """The counts for a page. They are kept: neither kind of set ever changes, but for the set of all items.

    n_excluded : items left out of evaluation; with another number the counts are others
    """
    if not reference_sets:
        return [Positives(chosen, []) for chosen in query_sets]
    sets = [each.pk for each in reference_sets], [each.pk for each in query_sets]
    n_members = QuerySetItem.objects.filter(query_set__collection=collection).count()
    asked = (collection.pk, collection.positive_from, n_excluded, n_members, crc32(str(sets).encode()))
    key = f"positives-{'-'.join(map(str, asked))}"
    found = cache.get(key)
    if found is None:
        found = _counted(collection)
        cache.set(key, found, KEPT_SECONDS)
    return [
        Positives(chosen, [found.get((reference.pk, chosen.pk), 0) for reference in reference_sets])
        for chosen in query_sets
    ]


def _counted(collection: Collection) -> dict[tuple[int, int], int]:
    """As scores count them: without items left out and, where a query set has a gallery, with its targets alone.

    Sets are compared here: right after a load the database has no statistics, and its plan can take 100 times as long.
    """
    left_out = _table(Item.objects.filter(collection=collection).left_out().values_list("pk"), 1)[:, 0]
    chosen = [(each, *_members(each)) for each in QuerySet.objects.filter(collection=collection)]
    counts = {}
    for reference in ReferenceSet.objects.filter(collection=collection):
        labels = reference.labels.filter(grade__gte=collection.positive_from)
        pairs = _table(labels.values_list("query_id", "document_id"), 2)
        pairs = pairs[~np.isin(pairs, left_out).any(axis=1)]
        for each, sources, gallery in chosen:
            source, target = pairs.T if each.direction == Direction.FORWARD else pairs.T[::-1]
            inside = np.isin(source, sources)
            counts[reference.pk, each.pk] = int((inside & np.isin(target, gallery) if len(gallery) else inside).sum())
    return counts


def _members(query_set: QuerySet) -> tuple[Ids, Ids]:
    """The keys of its sources, and of its gallery."""
    parts = (query_set.members.filter(part=part).values_list("item_id") for part in QuerySetItem.Part)
    sources, gallery = (_table(rows, 1)[:, 0] for rows in parts)
    return sources, gallery


def _table(rows: Rows[Any, tuple[int, ...]], width: int) -> Ids:
    numbers = np.fromiter(chain.from_iterable(rows.iterator(chunk_size=20_000)), dtype=np.int64)
    return numbers.reshape(-1, width)
