"""Inspection, by turns of a worker, of clips and recordings not inspected when they were loaded.

These lie in a bucket, of whose files only the heads are fetched, or were here before inspections
were made. The sweep sends a worker until none are left; the cache entries are throw-away: without
them files are tried again sooner.
"""

from django.core.cache import cache

from annotate.models import Collection, Part
from annotate.services.background import progress
from annotate.services.background.workers import try_lock
from annotate.services.imports.media_inspection import (
    FileTypes,
    PartTypes,
    store_types,
    uninspected,
)

TURN_SECONDS = 60
MOST_UNANSWERED = 3  # files in a row without an answer, after which the bucket counts as away
REST_SECONDS = 600  # before files that did not answer are tried again
KEPT_SECONDS = 86_400
AT_ONCE = 50  # parts that are stored together


def take_turn(*, collection: Collection) -> int:
    """Inspect waiting parts for about a minute and return their number; 0 while it rests.

    One worker at a time does. A file that its bucket does not give is skipped, and the next turn
    begins after it. Once all have been tried, or the bucket is away, the collection rests before
    the remaining files are tried again.
    """
    with try_lock(collection) as is_ours:
        if not is_ours or cache.get(_rest_key(collection.pk)):
            return 0
        return _turn(collection)


def _turn(collection: Collection) -> int:
    types = FileTypes(collection, in_buckets=True)
    until = progress.clock() + TURN_SECONDS
    n_stored, last_pk, is_over = 0, cache.get(_position_key(collection.pk)) or 0, False
    while not is_over and (
        chunk := list(uninspected(collection=collection, after=last_pk, n=AT_ONCE))
    ):
        inspected_types: list[PartTypes] = []
        try:
            for part in chunk:
                if part_types := types.of(part):
                    inspected_types.append(part_types)
                last_pk = part.pk
                is_over = types.n_unanswered >= MOST_UNANSWERED or progress.clock() >= until
                if is_over:
                    break
        finally:  # whatever interrupts it, an inspected file is not fetched again
            n_stored += store_types(inspected_types)
    if is_over:
        cache.set(_position_key(collection.pk), last_pk, KEPT_SECONDS)
    else:
        cache.delete(_position_key(collection.pk))
    if types.n_unanswered >= MOST_UNANSWERED or (
        not is_over and uninspected(collection=collection, n=1).exists()
    ):
        cache.set(_rest_key(collection.pk), True, REST_SECONDS)
    return n_stored


def overdue() -> list[int]:
    """Return the keys of collections with uninspected parts, except those that rest."""
    collection_ids = (
        Part.objects.not_inspected()
        .order_by()
        .values_list("item__collection", flat=True)
        .distinct()
    )
    collection_by_key = {_rest_key(pk): pk for pk in collection_ids}
    resting_keys = cache.get_many(collection_by_key)
    return sorted(pk for key, pk in collection_by_key.items() if key not in resting_keys)


def _position_key(pk: int) -> str:
    """Return the cache key of the part after which the collection's next turn begins."""
    return f"looking-place:{pk}"


def _rest_key(pk: int) -> str:
    """Return the cache key that exists while a collection rests."""
    return f"looking-rest:{pk}"
