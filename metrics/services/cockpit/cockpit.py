"""The four answers of the dashboard's first page, from the numbers of the dashboard."""

from typing import Any, NamedTuple

from annotate.models import Round
from metrics.services.cockpit.how_far import HowFar
from metrics.services.cockpit.how_good import HowGood
from metrics.services.dashboard.dashboard import Dashboard, DashboardState


class Cockpit(NamedTuple):
    """The four answers.

    progress : of the labels; agreement : between people's labels
    people : a row for each who gives labels; waits : a row for each thing that waits for a lead
    """

    progress: HowFar
    agreement: HowGood
    people: list[dict[str, Any]]
    waits: list[Any]


def cockpit(*, dashboard: Dashboard, state: DashboardState, n_stuck: int) -> Cockpit | None:
    """The four answers; None until the first numbers are written.

    n_stuck : labels that nobody present can give
    """
    if dashboard.totals is None or dashboard.agreement is None:
        return None
    progress = HowFar(
        states=dashboard.totals.states,
        n_pools=sum(row["kind"] == Round.Kind.POOL for row in dashboard.rounds),
        n_done=dashboard.totals.n_done,
        n_left=dashboard.totals.n_left,
        n_stuck=n_stuck,
        forecast=dashboard.details.forecast if dashboard.details else None,
        pay=dashboard.pay,
        today=state.today,
    )
    agreement = HowGood(dashboard.agreement, dashboard.alphas)
    return Cockpit(progress, agreement, people=dashboard.people, waits=[])
