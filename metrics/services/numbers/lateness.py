"""The reasons that keep newer numbers away, for pages that show older ones."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone

from annotate.models import Collection
from annotate.services.background.workers import worker_is_missing
from metrics.services.numbers import refresh_tries
from metrics.services.numbers.refresh_tries import RefreshDelay

OLD_AFTER = timedelta(minutes=1)


class Lateness(NamedTuple):
    """A reason that keeps newer numbers away: no worker is there, or refreshes have failed."""

    worker_missing: bool
    delay: RefreshDelay | None


def lateness_of(*, collection: Collection) -> Lateness | None:
    """Return the reason that keeps newer numbers of a collection away, or None; two queries."""
    lateness = Lateness(worker_is_missing(), refresh_tries.delay_of(collection=collection))
    return lateness if any(lateness) else None


def are_old(computed_at: datetime | None) -> bool:
    """True for numbers of more than a minute ago: while people judge, newer ones are always due."""
    return computed_at is None or timezone.now() - computed_at > OLD_AFTER
