"""API of the dashboard: how far the judging is, and how much people agree."""

from typing import Any, NamedTuple

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.parameters import page_parameters
from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import ApiToken, Pair
from metrics.api.number_fields import (
    COMPUTING,
    AgreementAnswer,
    AgreementFiguresAnswer,
    ProgressAnswer,
)
from metrics.core.agreement.agreement import MeasurementLevel
from metrics.services.dashboard import dashboard as service
from metrics.services.dashboard.agreement_page import AgreementFigures
from metrics.services.dashboard.details_page import ValueRange
from metrics.services.dashboard.forecast_lines import promised_days
from metrics.services.dashboard.tabs import DashboardTab
from metrics.services.numbers.refresh import waits_for_refresh

LATER = {"Retry-After": "3"}
# the answers for a collection that nothing has come into: there is nothing to wait for
NO_PROGRESS: dict[str, Any] = {
    "computed_at": None,
    "is_stale": False,
    "n_pairs": 0,
    "states": {},
    "n_labels": 0,
    "n_seats_left": 0,
    "pools": [],
    "forecast": None,
}
NO_FIGURES = dict.fromkeys(AgreementFiguresAnswer().fields) | {
    "reason": "No label has come in yet.",
    "n_pairs": 0,
    "n_labels": 0,
}
NO_AGREEMENT: dict[str, Any] = {
    "computed_at": None,
    "is_stale": False,
    "level": None,
    "sampling_units": None,
    "planned": NO_FIGURES,
    "all": NO_FIGURES,
}


class ProgressView(Endpoint):
    """GET collections/<slug>/progress/"""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(responses={200: ProgressAnswer, 202: COMPUTING})
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Pairs by state, labels and seats left, of all pools and of each; pace and hours.

        202 until the first numbers are written.
        """
        look = look_at_dashboard(request, slug, tab=DashboardTab.FORECAST)
        if look.dashboard.totals is None:
            return before_numbers(look, slug, of_nothing=NO_PROGRESS)
        return Response(
            {
                **moment_json(look, kind="progress"),
                **counts_json(look.dashboard.totals),
                "pools": [pool_json(row) for row in look.dashboard.rounds],
                "forecast": forecast_json(look.dashboard),
            }
        )


class AgreementView(Endpoint):
    """GET collections/<slug>/agreement/?level="""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(
        parameters=[OpenApiParameter("level", str, enum=[*MeasurementLevel])],
        responses={200: AgreementAnswer, 202: COMPUTING},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Alpha with its interval, and how many labels are equal: of planned labels and of all.

        level : of measurement, by default the collection's own; 202 until there are numbers
        """
        tab = DashboardTab.AGREEMENT
        look = look_at_dashboard(request, slug, tab=tab, parameters=("level",))
        panel = look.dashboard.agreement
        if panel is None:
            return before_numbers(look, slug, of_nothing=NO_AGREEMENT)
        planned, of_all = (
            agreement_json(figures, interval_note=cell.note)
            for figures, cell in zip(panel.columns, panel.interval_cells, strict=True)
        )
        facts = {"level": panel.level, "sampling_units": panel.sampling_units}
        values = {"planned": planned, "all": of_all}
        return Response(moment_json(look, kind="agreement") | facts | values)


class DashboardLook(NamedTuple):
    """The dashboard, and whether something has changed that its numbers do not have."""

    dashboard: service.Dashboard
    is_stale: bool


def look_at_dashboard(
    request: TokenRequest, slug: str, *, tab: DashboardTab, parameters: tuple[str, ...] = ()
) -> DashboardLook:
    """The dashboard as the page has it; raises Unprocessable for parameters other than these.

    tab : the page whose numbers are asked for
    """
    collection = get_collection(request=request, slug=slug, roles=LEADERS)
    names = {name: name for name in parameters}
    requested = page_parameters(request=request, names=names).get("level")
    level = service.level_or_default(collection=collection, requested=requested)
    if requested not in (None, level):
        levels = ", ".join(MeasurementLevel)
        raise Unprocessable(f'"{requested[:40]}" is no choice of "level"; there are: {levels}.')
    is_stale = waits_for_refresh(collection=collection)  # first: they may be written now
    options = service.DashboardOptions(level, tab=tab)
    state = service.state_of(collection=collection, options=options)
    dashboard = service.dashboard(collection=collection, options=options, state=state)
    return DashboardLook(dashboard, is_stale)


def before_numbers(look: DashboardLook, slug: str, *, of_nothing: dict[str, Any]) -> Response:
    """202 while there are no numbers yet, and the reason.

    of_nothing : the answer where no pair has come in, so that there is nothing to wait for
    """
    if not (look.is_stale or Pair.objects.filter(collection__slug=slug).exists()):
        return Response(of_nothing)
    facts = {"state": "computing", "detail": look.dashboard.waiting_text}
    return Response(facts, status=202, headers=LATER)


def moment_json(look: DashboardLook, *, kind: str) -> dict[str, Any]:
    """The moment of one kind of numbers, and whether they are still those of the labels."""
    return {
        "computed_at": timestamp(look.dashboard.computed_at[kind]),
        "is_stale": look.is_stale,
    }


def counts_json(counts: service.PoolTotals) -> dict[str, Any]:
    """The counts of a pool, or of all of them."""
    return {
        "n_pairs": counts.n_pairs,
        "states": {row.state.value: row.n for row in counts.states.rows},
        "n_labels": counts.n_done,
        "n_seats_left": counts.n_left,
    }


def pool_json(row: dict[str, Any]) -> dict[str, Any]:
    """A pool or an import; `pool` is null for an import."""
    counts = service.PoolTotals(*(row[name] for name in service.PoolTotals._fields))
    names = ("pool", "name", "kind", "state")
    return {name: row[name] for name in names} | counts_json(counts)


def forecast_json(dashboard: service.Dashboard) -> dict[str, Any] | None:
    """Pace and hours, so far and to come; None until they are computed.

    No days are promised for labels that nobody present can give.
    """
    if dashboard.details is None:
        return None
    forecast, stuck = dashboard.details.forecast, dashboard.stuck
    promised = promised_days(forecast, stuck, archived_text=dashboard.archived_text)
    return {
        "computed_at": timestamp(dashboard.details.computed_at),
        "is_stale": dashboard.details_are_old,
        "labels_a_day": range_json(forecast.pace),
        "n_days": forecast.n_days,
        "days_left": range_json(promised.days),
        "reason": promised.reason or None if promised.days is None else None,
        "n_seats_left": forecast.n_left,
        "n_stuck": stuck.n_labels if stuck else 0,
        "hours_spent": forecast.hours_spent,
        "hours_left": range_json(forecast.hours_left),
        "n_timed": forecast.n_timed,
        "n_untimed": forecast.n_untimed,
    }


def range_json(value: ValueRange | None) -> dict[str, float | None] | None:
    """A number with its range; None without one."""
    return None if value is None else value._asdict()


def agreement_json(figures: AgreementFigures, *, interval_note: str) -> dict[str, Any]:
    """Agreement of some labels; where alpha or its interval is None, a reason says why."""
    alpha = figures.alpha
    has_no_interval = alpha["value"] is not None and alpha["low"] is None
    return {
        "alpha": alpha["value"],
        "reason": None if alpha["value"] is not None else alpha["reason"],
        "low": alpha["low"],
        "high": alpha["high"],
        "interval_reason": interval_note if has_no_interval else None,
        "n_pairs": alpha["n_pairable_units"],
        "n_labels": alpha["n_pairable_labels"],
        **{name: alpha[name] for name in ("n_replicates", "n_groups", "seed")},
        "percent_unanimous": figures.unanimous,
        "percent_equal": figures.pairwise,
    }


urlpatterns = [
    path("collections/<slug:slug>/progress/", ProgressView.as_view(), name="progress"),
    path("collections/<slug:slug>/agreement/", AgreementView.as_view(), name="agreement"),
]
