"""The four answers of the dashboard's first page, from the numbers of the dashboard."""

from datetime import date
from typing import NamedTuple

from annotate.core.phrases import counted
from annotate.models import Collection, Round
from annotate.services.pages.stuck_labels import StuckLabels
from metrics.services.cockpit.how_far import HowFar
from metrics.services.cockpit.how_good import HowGood
from metrics.services.cockpit.people_rows import PersonRow, people_rows
from metrics.services.cockpit.since_yesterday import SinceYesterday, alpha_at
from metrics.services.cockpit.waiting import WaitingRow, waiting_rows
from metrics.services.dashboard.dashboard import Dashboard, DashboardState

N_PEOPLE, N_WAITS = 5, 5  # rows that fit the first screen with the other answers


class Cockpit(NamedTuple):
    """The four answers.

    progress : of the labels; agreement : between people's labels
    people : a row for each who gives labels; waits : a row for each kind of things that wait
    since_yesterday : the events of the last day; None where they were not read
    """

    progress: HowFar
    agreement: HowGood
    people: list[PersonRow]
    waits: list[WaitingRow]
    since_yesterday: SinceYesterday | None = None

    @property
    def first_people(self) -> list[PersonRow]:
        """The people of the first page."""
        return self.people[:N_PEOPLE]

    @property
    def has_more_people(self) -> bool:
        """True if the first page has not everybody's row."""
        return len(self.people) > N_PEOPLE

    @property
    def first_waits(self) -> list[WaitingRow]:
        """The kinds of things that have a row, the worst first."""
        return self.waits[: self._n_waits]

    @property
    def more_waits(self) -> list[WaitingRow]:
        """The kinds of things that share one line beneath the rows."""
        return self.waits[self._n_waits :]

    @property
    def _n_waits(self) -> int:
        return N_WAITS if len(self.waits) <= N_WAITS else N_WAITS - 1  # the line needs room

    @property
    def more_waits_text(self) -> str:
        """The beginning of that line; empty without one."""
        return f"And {counted(len(self.more_waits), 'more kind')}:" if self.more_waits else ""

    @property
    def people_title(self) -> str:
        """The heading of the people, with their number where not all have a row."""
        if not self.has_more_people:
            return "Who"
        return f"Who \N{MIDDLE DOT} {N_PEOPLE} of {len(self.people)} people, those with flags first"


def progress_of(*, dashboard: Dashboard, stuck: StuckLabels | None, today: date) -> HowFar | None:
    """Progress of the labels, and when they are done; None until the first numbers are written.

    stuck : labels that nobody present can give; None where there are none
    """
    if dashboard.totals is None:
        return None
    return HowFar(
        states=dashboard.totals.states,
        n_pools=sum(row["kind"] == Round.Kind.POOL for row in dashboard.rounds),
        n_done=dashboard.totals.n_done,
        n_left=dashboard.totals.n_left,
        stuck=stuck,
        forecast=dashboard.details.forecast if dashboard.details else None,
        pay=dashboard.pay,
        today=today,
        archived_text=dashboard.archived_text,
    )


def cockpit(
    *,
    collection: Collection,
    dashboard: Dashboard,
    state: DashboardState,
) -> Cockpit | None:
    """The four answers; None on other pages, and until the first numbers are written."""
    if state.waits is None or dashboard.agreement is None:
        return None
    progress = progress_of(dashboard=dashboard, stuck=state.waits.stuck, today=state.today)
    if progress is None:
        return None
    waits = waiting_rows(facts=state.waits, n_alarms=len(state.raising_events))
    since = state.recent.since if state.recent else None
    people = people_rows(collection=collection, dashboard=dashboard, since=since)
    agreement = HowGood(dashboard.agreement, dashboard.alphas)
    return Cockpit(
        progress,
        agreement,
        people=people,
        waits=waits,
        since_yesterday=state.recent
        and SinceYesterday(
            state.recent,
            n_labels_by_person=[row.n_recent for row in people],
            n_pairs_by_round={row["round"]: row["states"].n_pairs for row in dashboard.rounds},
            alpha_before=alpha_at(
                collection=collection, level=dashboard.agreement.level, moment=state.recent.since
            ),
            alpha=dashboard.agreement.planned.alpha["value"],
        ),
    )
