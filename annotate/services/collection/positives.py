"""Counts of the relevant pairs each reference set holds for the sources of each query set."""

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from django.core.cache import cache

from annotate.models import Collection, Direction, Item, QuerySet, QuerySetItem, ReferenceSet
from annotate.services.storage.number_arrays import column, table

KEPT_SECONDS = 24 * 3600


class QuerySetPositives(NamedTuple):
    """A query set, and of each reference set its name and its number of relevant pairs."""

    query_set: QuerySet
    counts: list[tuple[str, int]]


def positive_counts(
    *,
    collection: Collection,
    reference_sets: Sequence[ReferenceSet],
    query_sets: Sequence[QuerySet],
    n_excluded: int,
) -> list[QuerySetPositives]:
    """Count the positive pairs of each reference set per query set; counts are cached.

    No set ever changes, except the set of all items.

    n_excluded : items left out of evaluation; another number makes other counts
    """
    if not reference_sets:
        return [QuerySetPositives(query_set, []) for query_set in query_sets]
    sets = (
        [reference.pk for reference in reference_sets],
        [query_set.pk for query_set in query_sets],
    )
    n_members = QuerySetItem.objects.filter(query_set__collection=collection).count()
    inputs = (
        collection.pk,
        collection.positive_from,
        n_excluded,
        n_members,
        crc32(str(sets).encode()),
    )
    key = f"positives-{'-'.join(map(str, inputs))}"
    counts = cache.get(key)
    if counts is None:
        counts = _count(collection)
        cache.set(key, counts, KEPT_SECONDS)
    return [
        QuerySetPositives(
            query_set,
            [
                (reference.name, counts.get((reference.pk, query_set.pk), 0))
                for reference in reference_sets
            ],
        )
        for query_set in query_sets
    ]


def _count(collection: Collection) -> dict[tuple[int, int], int]:
    """Count pairs as scores do: without excluded items, and with a gallery's targets alone, if any.

    Sets are compared here: right after a load the database has no statistics, and its plan can take
    100 times as long.
    """
    excluded_ids = column(Item.objects.filter(collection=collection).left_out().values_list("pk"))
    query_sets = []
    for query_set in QuerySet.objects.filter(collection=collection):
        sources, gallery = (
            column(query_set.members.filter(part=part).values_list("item_id"))
            for part in QuerySetItem.Part
        )
        query_sets.append((query_set, sources, gallery))
    counts = {}
    for reference in ReferenceSet.objects.filter(collection=collection):
        labels = reference.labels.filter(grade__gte=collection.positive_from)
        pairs = table(labels.values_list("query_id", "document_id"), 2)
        pairs = pairs[~np.isin(pairs, excluded_ids).any(axis=1)]
        for query_set, sources, gallery in query_sets:
            source, target = pairs.T if query_set.direction == Direction.FORWARD else pairs.T[::-1]
            is_source_member = np.isin(source, sources)
            counts[reference.pk, query_set.pk] = int(
                (
                    is_source_member & np.isin(target, gallery)
                    if len(gallery)
                    else is_source_member
                ).sum()
            )
    return counts
