"""How often a collection's numbers were tried to be refreshed in vain, and when they are tried next.

A worker ends a task after some ten minutes, and may be killed before. The changes stay, the sweep finds them, and so a
refresh that takes longer would be begun for ever, and nothing else be done. A try is counted before it begins, so that
those count too of which nobody could say how they ended.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db.models import F

from annotate.models import ClockTimestamp, Collection
from annotate.services.background import works
from metrics.models import RefreshTries

log = logging.getLogger(__name__)

AT_ONCE = 3  # tries that follow one another without a pause
FIRST_PAUSE = timedelta(seconds=2 * settings.TASK_SECONDS)  # from a try's beginning; doubled with each further one
LONGEST_PAUSE = timedelta(hours=12)
REMEDY = "python3 manage.py rebuild --numbers {}"


class Delay(NamedTuple):
    """That numbers could not be refreshed: since when, how often, when they are tried next, and how a page says it."""

    since: datetime
    n: int
    next_at: datetime
    is_slow: bool
    slug: str

    @property
    def why(self) -> str:
        """What keeps them from being refreshed."""
        if self.is_slow:
            return f"they take longer than {settings.CELERY_TASK_SOFT_TIME_LIMIT / 60:.0f} minutes"
        return f"{self.n} tries came to no end, and the worker's log says why"

    @property
    def pauses(self) -> bool:
        """Whether the next try waits, instead of following at once."""
        return self.n >= AT_ONCE

    @property
    def remedy(self) -> str:
        """The command that refreshes them however long it takes."""
        return REMEDY.format(self.slug)


@contextmanager
def counted(collection: Collection) -> Iterator[None]:
    """Around a try: it counts until it comes to its end, and then all before it are forgotten."""
    _count(collection)
    try:
        yield
    except SoftTimeLimitExceeded:
        _note_slow(collection)
        raise
    except works.FAILURES as error:
        if works.is_outage(error):
            _give_back(collection)
        raise
    RefreshTries.objects.filter(collection=collection).delete()


def waiting() -> list[int]:
    """The collections that are left alone for a while."""
    return list(RefreshTries.objects.filter(next_at__gt=ClockTimestamp()).values_list("collection", flat=True))


def delay_of(*, collection: Collection) -> Delay | None:
    """What is said of a collection whose numbers could not be refreshed several times; None where they can be."""
    tries = RefreshTries.objects.filter(collection=collection).first()
    if tries is None or not (tries.is_slow or tries.n > AT_ONCE):
        return None
    return Delay(tries.since, tries.n, tries.next_at, tries.is_slow, collection.slug)


def _count(collection: Collection) -> None:
    """One try more; the pause is written before it begins, as a killed one writes nothing."""
    new = {"n": 1, "since": ClockTimestamp(), "next_at": ClockTimestamp()}
    tries, is_first = RefreshTries.objects.get_or_create(collection=collection, defaults=new)
    if not is_first:
        n = tries.n + 1
        pause = min(FIRST_PAUSE * 2 ** min(n - AT_ONCE, 10), LONGEST_PAUSE) if n >= AT_ONCE else timedelta()
        RefreshTries.objects.filter(pk=tries.pk).update(n=F("n") + 1, next_at=ClockTimestamp() + pause)


def _give_back(collection: Collection) -> None:
    """Count a try that an outage ended for none, unless the database is away still: then it counts."""
    with suppress(*works.FAILURES):
        RefreshTries.objects.filter(collection=collection, n__gte=1).update(n=F("n") - 1, next_at=ClockTimestamp())


def _note_slow(collection: Collection) -> None:
    """Remember that a try was cut off, and say so in the log."""
    RefreshTries.objects.filter(collection=collection).update(is_slow=True)
    delay = delay_of(collection=collection)
    if delay:
        words = "%s: the numbers could not be refreshed since %s: %s. Tried %s times, next at %s, or at once by `%s`."
        since, next_at = (at.isoformat(timespec="seconds") for at in (delay.since, delay.next_at))
        log.error(words, collection.slug, since, delay.why, delay.n, next_at, delay.remedy)
