"""Failed refreshes of a collection: their number, and the time of the next try.

A worker ends a task after some ten minutes, and may be killed before. The changes stay, the sweep
finds them, and so a refresh that takes longer would be begun for ever, and nothing else be done. A
try is counted before it begins, so that tries count, too, whose end could not be recorded.
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

TRIES_WITHOUT_PAUSE = 3  # tries that follow one another without a pause
# from a try's beginning; doubled with each further one
FIRST_PAUSE = timedelta(seconds=2 * settings.TASK_SECONDS)
LONGEST_PAUSE = timedelta(hours=12)
COMMAND = "python3 manage.py rebuild --numbers {}"


class RefreshDelay(NamedTuple):
    """Failed refreshes of a collection, with texts for pages.

    since, n : since when, and how many; next_at : time of the next
    """

    since: datetime
    n: int
    next_at: datetime
    is_slow: bool
    slug: str

    @property
    def reason(self) -> str:
        """The reason why the refreshes fail."""
        if self.is_slow:
            return f"they take longer than {settings.CELERY_TASK_SOFT_TIME_LIMIT / 60:.0f} minutes"
        return f"{self.n} tries came to no end, and the worker's log says why"

    @property
    def has_pause(self) -> bool:
        """True if there is a pause before the next try."""
        return self.n >= TRIES_WITHOUT_PAUSE

    @property
    def next_try_text(self) -> str:
        """The moment at which the numbers are tried again."""
        if not self.has_pause:
            return "They are tried again"
        return f"The next try is not before {self.next_at:%-d %b %Y %H:%M} UTC"

    @property
    def command(self) -> str:
        """The command that refreshes the numbers without a time limit."""
        return COMMAND.format(self.slug)


@contextmanager
def count_try(collection: Collection) -> Iterator[None]:
    """Count the try made inside; when it succeeds, delete its count and that of those before it."""
    _add_try(collection)
    try:
        yield
    except SoftTimeLimitExceeded:
        _note_slow(collection)
        raise
    except works.FAILURES as error:
        if works.is_outage(error):
            # The try does not count; while the database is still away, it does.
            with suppress(*works.FAILURES):
                RefreshTries.objects.filter(collection=collection, n__gte=1).update(
                    n=F("n") - 1, next_at=ClockTimestamp()
                )
        raise
    RefreshTries.objects.filter(collection=collection).delete()


def paused_collections() -> list[int]:
    """Keys of the collections in a pause between tries."""
    return list(
        RefreshTries.objects.filter(next_at__gt=ClockTimestamp()).values_list(
            "collection", flat=True
        )
    )


def delay_of(*, collection: Collection) -> RefreshDelay | None:
    """The delay of a collection whose refreshes failed several times or are too slow, else None."""
    tries = RefreshTries.objects.filter(collection=collection).first()
    if tries is None or not (tries.is_slow or tries.n > TRIES_WITHOUT_PAUSE):
        return None
    return RefreshDelay(tries.since, tries.n, tries.next_at, tries.is_slow, collection.slug)


def _add_try(collection: Collection) -> None:
    """Count one more try.

    The pause is written before the try begins, as a killed one writes nothing.
    """
    new = {"n": 1, "since": ClockTimestamp(), "next_at": ClockTimestamp()}
    tries, is_first = RefreshTries.objects.get_or_create(collection=collection, defaults=new)
    if not is_first:
        n = tries.n + 1
        pause = (
            min(FIRST_PAUSE * 2 ** min(n - TRIES_WITHOUT_PAUSE, 10), LONGEST_PAUSE)
            if n >= TRIES_WITHOUT_PAUSE
            else timedelta()
        )
        RefreshTries.objects.filter(pk=tries.pk).update(
            n=F("n") + 1, next_at=ClockTimestamp() + pause
        )


def _note_slow(collection: Collection) -> None:
    """Store that a try ran into the time limit, and log it."""
    RefreshTries.objects.filter(collection=collection).update(is_slow=True)
    delay = delay_of(collection=collection)
    if delay:
        message = (
            "%s: the numbers could not be refreshed since %s: %s. Tried %s times, next at %s, or "
            "at once by `%s`."
        )
        since, next_at = (at.isoformat(timespec="seconds") for at in (delay.since, delay.next_at))
        log.error(message, collection.slug, since, delay.reason, delay.n, next_at, delay.command)
