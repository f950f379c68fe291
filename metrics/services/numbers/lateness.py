"""Why the numbers of a collection are not made just now, for pages that show older ones."""

from typing import NamedTuple

from annotate.models import Collection
from annotate.services.background.workers import worker_is_missing
from metrics.services.numbers import refresh_tries
from metrics.services.numbers.refresh_tries import RefreshDelay


class Lateness(NamedTuple):
    """What keeps newer numbers away: no worker is there, or refreshes have failed."""

    worker_missing: bool
    delay: RefreshDelay | None


def lateness_of(*, collection: Collection) -> Lateness | None:
    """Return what keeps newer numbers of a collection away; None if nothing does.

    Two queries.
    """
    lateness = Lateness(worker_is_missing(), refresh_tries.delay_of(collection=collection))
    return lateness if any(lateness) else None
