"""The lead's dashboard, from the latest snapshots in words; nothing is computed here."""

import hashlib
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from django.utils import timezone

from annotate.core.labels.pair_states import StateCounts
from annotate.core.phrases import counted
from annotate.models import Annotator, Collection, Kept, Round
from annotate.services.background import kept
from annotate.services.background.workers import worker_is_missing
from annotate.services.collection.lifecycle.archive import archived_text
from annotate.services.pages import stuck_labels
from annotate.services.pages.stuck_labels import StuckLabels
from metrics.charts.charts import AlphaPoint, Chart, LevelCount, alpha_history, level_distribution
from metrics.core.agreement.agreement import MeasurementLevel
from metrics.models import AlarmEvent, Snapshot
from metrics.services.dashboard import details as dashboard_details
from metrics.services.dashboard.agreement_page import AgreementPanel, agreement_of
from metrics.services.dashboard.details_page import (
    DashboardDetails,
    ValueRange,
    details_page,
    per_cent,
    query_items,
)
from metrics.services.dashboard.forecast_lines import ForecastLine, PayForecast, forecast_lines
from metrics.services.dashboard.known_truth import KnownTruth, known_truth
from metrics.services.dashboard.moment import LaterChanges, Moment, later_changes
from metrics.services.dashboard.recent_events import RecentEvents, recent_events
from metrics.services.dashboard.tabs import DashboardTab
from metrics.services.dashboard.waiting_facts import WaitingFacts, waiting_facts
from metrics.services.numbers import alarms, guards, history, refresh_tries
from metrics.services.numbers.numbers import KINDS


class PoolTotals(NamedTuple):
    """Counts over all pools of a collection."""

    n_pairs: int
    states: StateCounts
    n_left: int
    n_done: int


class DashboardOptions(NamedTuple):
    """Choices in the dashboard's address, and whether a lead makes them.

    level : of measurement; with_names : rather than pseudonyms alone; tab : the page
    is_lead : True has buttons and moments; it makes the version of the page another one
    """

    level: str
    with_names: bool = False
    tab: DashboardTab = DashboardTab.OVERVIEW
    is_lead: bool = False

    @property
    def query_string(self) -> str:
        """The query string of the address with these choices."""
        return f"level={self.level}" + ("&names=1" if self.with_names else "")


class Dashboard(NamedTuple):
    """The page. `is_waiting` until the first numbers are written; until then the rest is empty."""

    version: str
    is_waiting: bool
    worker_missing: bool
    moment: Moment | None = None
    computed_at: dict[str, datetime] = {}
    totals: PoolTotals | None = None
    rounds: list[dict[str, Any]] = []
    agreement: AgreementPanel | None = None
    people: list[dict[str, Any]] = []
    alphas: list[AlphaPoint] = []
    alpha_chart: Chart | None = None
    level_chart: Chart | None = None
    details: DashboardDetails | None = None
    pay: PayForecast | None = None
    active_alarms: list[alarms.AlarmRow] = []
    delay: refresh_tries.RefreshDelay | None = None
    truth: KnownTruth | None = None
    stuck: StuckLabels | None = None
    archived_text: str = ""

    @property
    def waiting_text(self) -> str:
        """The reason why there are no numbers yet."""
        return (
            "They appear here once runs, references or judgments have come in and a worker has "
            "counted them."
        )

    @property
    def details_waiting_text(self) -> str:
        """The parts that are being computed while there are no details yet."""
        return (
            "Pace, agreement in parts, levels and queries are being computed; they appear "
            "here within a minute."
        )

    @property
    def details_are_old(self) -> bool:
        """True if labels have arrived since the details were computed."""
        return self.moment is not None and self.moment.details_at is not None

    @property
    def forecast_lines(self) -> list[ForecastLine]:
        """Pace, hours and pay in words; empty until the details are there."""
        if self.details is None or self.pay is None:
            return []
        return forecast_lines(
            self.details.forecast, self.pay, self.stuck, archived_text=self.archived_text
        )

    @property
    def overlap_text(self) -> str:
        """The reason why pools add up to more pairs than there are; empty where they do not."""
        n_in_pools = sum(row["n_pairs"] for row in self.rounds)
        if self.totals is None or n_in_pools <= self.totals.n_pairs:
            return ""
        return (
            f"The pools overlap: they add up to {counted(n_in_pools, 'pair')}, and there are "
            f"{self.totals.n_pairs:,}. Each label is counted in one pool, that which asks for it: "
            "a pool can have none left while its pairs wait for labels that another one asks for."
        )

    @property
    def has_repeats(self) -> bool:
        """True if any person was shown a pair again."""
        return any(row["repeats"] for row in self.people)


class DashboardState(NamedTuple):
    """The small facts of a dashboard, read before its numbers.

    version : a hash that changes whenever the dashboard would show something else
    raising_events : those that raised the alarms that are up
    flags : of each person whom guards name, by the annotator's key
    waits : the things that wait for a lead; None but for the first page, which alone shows it
    recent : the events of the last day; None but for the first page
    stuck : labels that nobody present can give; None where there are none, and but for the forecast
    """

    version: str
    raising_events: list[AlarmEvent]
    flags: dict[int, tuple[guards.PersonFlag, ...]]
    worker_missing: bool
    delay: refresh_tries.RefreshDelay | None
    later: LaterChanges
    today: date
    waits: WaitingFacts | None = None
    stuck: StuckLabels | None = None
    recent: RecentEvents | None = None


def state_of(
    *, collection: Collection, options: DashboardOptions, now: datetime | None = None
) -> DashboardState:
    """The state of the dashboard, in eight small queries; two pages add what waits or is stuck.

    Has the details computed where they are old. No numbers are read.
    now : the present; its day is in the version, and its hour where labels of 24 hours are shown
    """
    now = now or timezone.now()
    inquiry = dashboard_details.inquiry_of(collection=collection)
    details = kept.look(inquiry=inquiry, with_value=False).row
    snapshots = Snapshot.objects.filter(collection=collection, kind__in=KINDS).order_by("kind")
    digests = list(snapshots.values_list("kind", "inputs_sha256"))
    digests += [(details.version, details.digest)] if details else []
    pay = (str(collection.hourly_pay), collection.currency)
    raising_events = alarms.raising_events(collection=collection)
    event_keys = [event.pk for event in raising_events]
    flags = guards.flags_of(collection=collection)
    delay, worker_missing = refresh_tries.delay_of(collection=collection), worker_is_missing()
    later, today = later_changes(collection=collection), timezone.localdate(now)
    waits = stuck = recent = None
    if options.tab == DashboardTab.OVERVIEW:
        waits = waiting_facts(collection=collection)
        recent = recent_events(collection=collection, now=now)
    elif options.tab == DashboardTab.FORECAST:
        stuck = stuck_labels.total_stuck(stuck_labels.stuck_labels(collection=collection))
    marks = collection.alpha_marks
    facts = (collection.pk, options, pay, marks, event_keys, flags, digests, worker_missing)
    version = hashlib.sha256(
        repr((*facts, collection.archived_at, delay, later, today, waits, stuck, recent)).encode()
    ).hexdigest()[:32]
    return DashboardState(
        version, raising_events, flags, worker_missing, delay, later, today, waits, stuck, recent
    )


def level_or_default(*, collection: Collection, requested: str | None) -> str:
    """The requested level of measurement if there is such a level, else the collection's own."""
    return requested if requested in set(MeasurementLevel) else collection.measurement


def dashboard(
    *, collection: Collection, options: DashboardOptions, state: DashboardState
) -> Dashboard:
    """The page, from the latest snapshots and the history; four queries, five with names.

    A known truth takes three more.

    state : what was read before the numbers; later changes show the next time
    """
    level = options.level
    snapshots = {row.kind: row for row in Snapshot.objects.filter(collection=collection)}
    if not set(KINDS) <= set(snapshots):
        return Dashboard(
            state.version, is_waiting=True, worker_missing=state.worker_missing, delay=state.delay
        )
    values = {kind: row.value for kind, row in snapshots.items()}
    names = names_of(collection=collection) if options.with_names else {}
    truth = known_truth(collection=collection)
    alphas = _alphas(collection, level)
    details_value = kept.find(inquiry=dashboard_details.inquiry_of(collection=collection))
    details = _details_of(details_value, options) if details_value else None
    people_details = details.people if details else {}
    return Dashboard(
        version=state.version,
        is_waiting=False,
        worker_missing=state.worker_missing,
        computed_at={kind: row.computed_at for kind, row in snapshots.items()},
        moment=moment_of(snapshots, details, state.later),
        totals=_pool_totals(values["progress"]),
        rounds=[
            row | {"states": StateCounts(row["states"], is_open=row["state"] in Round.WANTING)}
            for row in values["progress"]["rounds"]
        ],
        agreement=agreement_of(values["agreement"], level, collection.alpha_marks),
        people=[
            person_row(row, people_details.get(row["annotator"]), truth, state.flags)
            | {"name": names.get(row["annotator"], "")}
            for row in values["people"]["people"]
        ],
        alphas=alphas,
        alpha_chart=alpha_history(alphas, level=level),
        level_chart=_level_chart(values["labels"]["levels"]),
        details=details,
        pay=_pay_forecast(collection, details),
        active_alarms=alarms.rows_of(state.raising_events),
        delay=state.delay,
        truth=truth,
        stuck=state.stuck,
        archived_text=archived_text(collection),
    )


def moment_of(
    snapshots: Mapping[str, Snapshot], details: DashboardDetails | None, later: LaterChanges
) -> Moment:
    """The moment of the numbers; that of the details by itself where they are older."""
    digests = {kind: row.inputs_sha256 for kind, row in snapshots.items()}
    are_old = details is not None and details.version != dashboard_details.version_of(digests)
    return Moment(
        max(row.computed_at for row in snapshots.values()),
        later,
        details.computed_at if details and are_old else None,
    )


def _pool_totals(progress: dict[str, Any]) -> PoolTotals:
    counts = progress["total"]
    is_open = any(row["state"] in Round.WANTING for row in progress["rounds"])
    return PoolTotals(
        counts["n_pairs"],
        StateCounts(counts["states"], is_open=is_open),
        counts["n_left"],
        counts["n_done"],
    )


def names_of(*, collection: Collection) -> dict[int, str]:
    """User names by annotator; annotators without an account have none."""
    annotators = Annotator.objects.filter(collection=collection, user__isnull=False)
    return dict(annotators.values_list("pk", "user__username"))


def _details_of(details: Kept, options: DashboardOptions) -> DashboardDetails:
    """The details, with the items of queries on the page that lists them."""
    lists_queries = options.tab == DashboardTab.AGREEMENT
    items = query_items(details=details) if lists_queries else {}
    return details_page(details=details, level=options.level, items=items)


def _pay_forecast(collection: Collection, details: DashboardDetails | None) -> PayForecast:
    rate = collection.hourly_pay
    if rate is None or details is None or details.forecast.hours_spent is None:
        return PayForecast(rate, collection.currency)
    hours_left = details.forecast.hours_left or ValueRange(0.0, None, None)
    hours = (details.forecast.hours_spent, hours_left.value, hours_left.low, hours_left.high)
    return PayForecast(
        rate, collection.currency, *(None if n is None else n * float(rate) for n in hours)
    )


def person_row(
    row: dict[str, Any],
    details: dict[str, Any] | None,
    truth: KnownTruth | None,
    flags: Mapping[int, tuple[guards.PersonFlag, ...]],
) -> dict[str, Any]:
    """One line of the table, with shares in per cent; None where there is nothing to share.

    details : the person's row of the dashboard details, if there is one yet
    flags : of each person whom guards name
    """
    return {
        **row,
        "truth": truth.by_annotator.get(row["annotator"]) if truth else None,
        "drag": details["drag"] if details else None,
        # details that were kept before it lack it
        "drift": details.get("drift", "") if details else "",
        "flags": flags.get(row["annotator"], ()),
        "seconds": None if row["median_ms"] is None else row["median_ms"] / 1000,
        "gold": _per_cent_of(row["n_right"], row["n_gold"]),
        "shared": _per_cent_of(row["n_equal"], row["n_shared"]),
        "repeats": _repeats(row.get("repeats")),
        "gold_low": per_cent(row["gold_interval"][0]),
        "gold_high": per_cent(row["gold_interval"][1]),
        "shared_low": per_cent(row["shared_interval"][0]),
        "shared_high": per_cent(row["shared_interval"][1]),
    }


def _repeats(repeats: dict[str, Any] | None) -> dict[str, Any] | None:
    """A person's agreement with herself, shares in per cent; None where no pair was repeated."""
    if not repeats or not repeats["n"]:  # older snapshots lack it
        return None
    low, high = repeats["interval"]
    shares = {
        "share": _per_cent_of(repeats["n_equal"], repeats["n"]),
        "share_low": 100 * low,
        "share_high": 100 * high,
    }
    return {**repeats, **shares}


def _per_cent_of(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _level_chart(levels: list[dict[str, Any]]) -> Chart:
    return level_distribution(
        [
            LevelCount(row["name"], row["colour"], row["n_given"], row["n_resolved"])
            for row in levels
        ]
    )


def _alphas(collection: Collection, level: str) -> list[AlphaPoint]:
    return [
        _alpha_point(point.n_judgments, history.alphas_of(point), level)
        for point in history.points(collection=collection, kind="agreement")
    ]


def _alpha_point(n_judgments: int, alphas: history.Alphas, level: str) -> AlphaPoint:
    planned, of_all = (alphas.get(labels, {}).get(level, {}) for labels in history.LABELS)
    return AlphaPoint(
        n_judgments,
        planned.get("value"),
        planned.get("low"),
        planned.get("high"),
        of_all.get("value"),
    )
