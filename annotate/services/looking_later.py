"""Looking, by turns of a worker, into clips and recordings that were not looked into when their items were loaded.

These lie in a bucket, of whose files only the heads are fetched, or were here before anybody looked. The sweep sends a
worker until none are left; what is put by here is throw-away: without it files are asked again sooner.
"""

from django.core.cache import cache

from annotate.models import Collection, Part
from annotate.services.background import progress
from annotate.services.background.workers import alone_with
from annotate.services.looking import FileTypes, PartTypes, store, waiting

TURN_SECONDS = 60
MOST_UNANSWERED = 3  # files one after another without an answer, and the bucket counts as away
REST_SECONDS = 600  # before what did not answer is asked again
KEPT_SECONDS = 86_400
AT_ONCE = 50  # parts that are written down together


def take_turn(*, collection: Collection) -> int:
    """Look into what waits, for about a minute; how many parts. One worker at a time does, and none while it rests.

    A file that its bucket does not give is left behind, and the next turn begins behind it. Once all have been asked,
    or the bucket is away, the collection rests before what is left is asked again.
    """
    with alone_with(collection) as is_ours:
        if not is_ours or cache.get(_rest(collection.pk)):
            return 0
        return _turn(collection)


def _turn(collection: Collection) -> int:
    types = FileTypes(collection, in_buckets=True)
    until = progress.clock() + TURN_SECONDS
    n_seen, after, is_over = 0, cache.get(_place(collection.pk)) or 0, False
    while not is_over and (chunk := list(waiting(collection=collection, after=after, n=AT_ONCE))):
        looked: list[PartTypes] = []
        try:
            for part in chunk:
                if seen := types.of(part):
                    looked.append(seen)
                after = part.pk
                is_over = types.n_unanswered >= MOST_UNANSWERED or progress.clock() >= until
                if is_over:
                    break
        finally:  # whatever comes in between, a file that was looked into is not asked again
            n_seen += store(looked)
    if is_over:
        cache.set(_place(collection.pk), after, KEPT_SECONDS)
    else:
        cache.delete(_place(collection.pk))
    if types.n_unanswered >= MOST_UNANSWERED or not (is_over or _is_done(collection)):
        cache.set(_rest(collection.pk), True, REST_SECONDS)
    return n_seen


def _is_done(collection: Collection) -> bool:
    return not waiting(collection=collection, n=1).exists()


def overdue() -> list[int]:
    """Collections with clips or recordings that nobody has looked into, but for those that rest."""
    left = Part.objects.not_looked_into().order_by().values_list("item__collection", flat=True).distinct()
    keys = {_rest(pk): pk for pk in left}
    resting = cache.get_many(keys)
    return sorted(pk for key, pk in keys.items() if key not in resting)


def _place(pk: int) -> str:
    """Where the next turn on a collection begins: behind this part."""
    return f"looking-place:{pk}"


def _rest(pk: int) -> str:
    """Whether a collection rests."""
    return f"looking-rest:{pk}"
