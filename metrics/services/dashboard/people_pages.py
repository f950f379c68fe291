"""One person's page: her labels beside everybody else's, from the latest numbers."""

from datetime import datetime
from typing import Any, NamedTuple

from annotate.core.figures import decimals
from annotate.models import Annotator
from annotate.services.background import kept
from metrics.charts.charts import Chart
from metrics.charts.dashboard import (
    LevelUse,
    SharePoint,
    level_use,
    seconds_over_time,
    share_over_time,
)
from metrics.models import Snapshot
from metrics.services.dashboard import dashboard
from metrics.services.dashboard import details as dashboard_details
from metrics.services.dashboard.dashboard import DashboardOptions, DashboardState
from metrics.services.dashboard.details_page import per_cent
from metrics.services.dashboard.known_truth import KnownTruth, known_truth
from metrics.services.numbers.guards import PersonFlag

Value = dict[str, Any]


class PersonPage(NamedTuple):
    """One person's page.

    row : her line of the dashboard; details : of the dashboard details, None until there are any
    flags : of guards that name her; truth : what the known truth calls right; None without one
    """

    version: str
    worker_missing: bool
    annotator: Annotator
    name: str
    row: Value | None
    details: Value | None
    charts: list[Chart]
    at: datetime | None
    details_at: datetime | None
    flags: tuple[PersonFlag, ...] = ()
    truth: KnownTruth | None = None

    @property
    def truth_text(self) -> str:
        """The share of her labels that the known truth calls right; empty without one."""
        return self.row["truth"].text if self.row and self.row["truth"] else ""

    @property
    def agreement_text(self) -> str:
        """The interval of her agreement with the others; empty where nobody shares a pair."""
        if self.row is None or self.row["shared"] is None:
            return ""
        return f"95 %: {self.row['shared_low']:.0f} to {self.row['shared_high']:.0f}"

    @property
    def drag_text(self) -> str:
        """The effect of her labels on the alpha of all, or the reason that it is not known."""
        if not self.details:
            return "being computed"
        drag = self.details["drag"]
        if drag is None:
            return "alpha is not defined with or without them"
        size = decimals(drag, 3)
        if float(size) == 0:
            return f"{size}: these labels hardly change alpha"
        if drag > 0:
            return f"{size} higher: these labels lower alpha"
        return f"{size}: these labels raise alpha"

    @property
    def waiting_text(self) -> str:
        """A line that says that the closer look is on its way, and what it waits for."""
        condition = (
            " once a worker runs: none has been seen for a minute" if self.worker_missing else ""
        )
        return f"The closer look is being computed; it appears here{condition}."


def page(*, annotator: Annotator, options: DashboardOptions, state: DashboardState) -> PersonPage:
    """The page of one annotator, read with her collection and user."""
    collection, pk = annotator.collection, annotator.pk
    people_snapshot = Snapshot.objects.filter(collection=collection, kind="people").first()
    inquiry = dashboard_details.inquiry_of(collection=collection)
    details_value = kept.find(inquiry=inquiry)
    row = _row_of(people_snapshot.value["people"], pk) if people_snapshot else None
    details = _row_of(details_value.value["people"], pk) if details_value else None
    detail_names = ("n_labels", "n_shared", "alpha_without", "drag", "others_seconds")
    truth = known_truth(collection=collection)
    return PersonPage(
        version=state.version,
        worker_missing=state.worker_missing,
        annotator=annotator,
        name=annotator.user.username if options.with_names and annotator.user else "",
        row=dashboard.person_row(row, details, truth, state.flags) if row else None,
        details={name: details[name] for name in detail_names} if details else None,
        charts=_charts(annotator.pseudonym, details, details_value.value["levels"])
        if details and details_value
        else [],
        at=people_snapshot.computed_at if people_snapshot else None,
        details_at=details_value.computed_at if details_value else None,
        flags=state.flags.get(pk, ()),
        truth=truth,
    )


def _row_of(people: list[Value], pk: int) -> Value | None:
    return next((row for row in people if row["annotator"] == pk), None)


def _charts(pseudonym: str, row: Value, levels: list[list[Any]]) -> list[Chart]:
    own, n = row["shared_levels"], max(sum(row["shared_levels"]), 1)
    uses = [
        LevelUse(name, 100 * own_count / n, 100 * others_share)
        for (_, name, _), own_count, others_share in zip(levels, own, row["others"], strict=True)
    ]
    durations = [
        (step["at"], step["seconds"]) for step in row["steps"] if step["seconds"] is not None
    ]
    return [
        share_over_time(
            _share_points(row["gold_steps"]),
            id="gold-over-time",
            title="Golds right over time",
            axis="Right, %",
            subtitle=(
                "Golds in the order they were answered, in equal parts; bars are Wilson's 95 % "
                "intervals."
            ),
        ),
        share_over_time(
            _share_points(row["steps"]),
            id="agreement-over-time",
            title="Agreement with the others over time",
            axis="Equal, %",
            subtitle=(
                "Comparisons with another person's label of the same pair that are equal; bars "
                "are Wilson's 95 % intervals, which take comparisons on one pair for independent."
            ),
        ),
        seconds_over_time(durations, others_median=row["others_seconds"]),
        level_use(uses[::-1] if sum(own) else [], pseudonym=pseudonym),
    ]


def _share_points(steps: list[Value]) -> list[SharePoint]:
    return [
        SharePoint(
            step["at"],
            per_cent(step["share"]),
            per_cent(step["low"]),
            per_cent(step["high"]),
            step["of"],
        )
        for step in steps
    ]
