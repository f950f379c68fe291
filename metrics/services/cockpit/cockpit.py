"""The four answers of the dashboard's first page, from the numbers of the dashboard."""

from typing import Any, NamedTuple

from annotate.models import Round
from metrics.services.cockpit.how_far import HowFar, how_far
from metrics.services.cockpit.how_good import HowGood
from metrics.services.dashboard.dashboard import Dashboard


class Cockpit(NamedTuple):
    """The four answers.

    progress : of the labels; agreement : between people's labels
    people : a row for each who gives labels; waits : a row for each thing that waits for a lead
    """

    progress: HowFar
    agreement: HowGood
    people: list[dict[str, Any]]
    waits: list[Any]


def cockpit(*, dashboard: Dashboard) -> Cockpit | None:
    """The four answers; None until the first numbers are written."""
    if dashboard.totals is None or dashboard.agreement is None:
        return None
    n_pools = sum(row["kind"] == Round.Kind.POOL for row in dashboard.rounds)
    return Cockpit(
        progress=how_far(totals=dashboard.totals, n_pools=n_pools),
        agreement=HowGood(dashboard.agreement),
        people=dashboard.people,
        waits=[],
    )
