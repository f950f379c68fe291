"""Inspection, by turns of a worker, of media that were not read, or not wholly, when loaded.

It computes the checksums of all media, and finds the types of those clips and recordings that lie
in a bucket, of whose files only the heads are fetched, or were here before inspections were made.
The sweep sends a worker until none are left; the cache entries are throw-away: without them files
are tried again sooner.
"""

from django.core.cache import cache
from django.db.models import QuerySet

from annotate.models import Collection, Part
from annotate.services.background import progress
from annotate.services.background.workers import try_lock
from annotate.services.imports.media_files import MediaFiles, PartReading
from annotate.services.imports.media_inspection import store

TURN_SECONDS = 60
MOST_UNANSWERED = 3  # files in a row without an answer, after which the bucket counts as away
REST_SECONDS = 600  # before files that did not answer are tried again
KEPT_SECONDS = 86_400
AT_ONCE = 50  # parts that are stored together


def take_turn(*, collection: Collection) -> int:
    """Read the files of waiting parts for about a minute and return their number; 0 while it rests.

    One worker at a time does. A file that its bucket does not give is skipped, and the next turn
    begins after it. Once all have been tried, or the bucket is away, the collection rests before
    the remaining files are tried again.
    """
    with try_lock(collection) as is_ours:
        if not is_ours or cache.get(_rest_key(collection.pk)):
            return 0
        return _turn(collection)


def _turn(collection: Collection) -> int:
    files = MediaFiles(collection, in_buckets=True)
    until = progress.clock() + TURN_SECONDS
    n_stored, last_pk, is_over = 0, cache.get(_position_key(collection.pk)) or 0, False
    while not is_over and (chunk := list(_unread(collection, after=last_pk, n=AT_ONCE))):
        readings: list[PartReading] = []
        try:
            for part in chunk:
                if reading := files.read(part, with_checksum=True):
                    readings.append(reading)
                last_pk = part.pk
                is_over = files.n_unanswered >= MOST_UNANSWERED or progress.clock() >= until
                if is_over:
                    break
        finally:  # whatever interrupts it, a file that was read is not read again
            n_stored += store(readings)
    if is_over:
        cache.set(_position_key(collection.pk), last_pk, KEPT_SECONDS)
    else:
        cache.delete(_position_key(collection.pk))
    if files.n_unanswered >= MOST_UNANSWERED or (not is_over and _unread(collection, n=1).exists()):
        cache.set(_rest_key(collection.pk), True, REST_SECONDS)
    return n_stored


def _unread(collection: Collection, *, after: int = 0, n: int) -> QuerySet[Part]:
    """Return the next n unread parts, after the part of this key."""
    parts = Part.objects.unread().filter(item__collection=collection, pk__gt=after)
    return parts.order_by("pk")[:n]


def overdue() -> list[int]:
    """Return the keys of collections with unread parts, except those that rest."""
    collection_ids = (
        Part.objects.unread().order_by().values_list("item__collection", flat=True).distinct()
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
