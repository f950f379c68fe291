"""The lower half of the dashboard, for one level of measurement, from the details' kept value."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from annotate.core.figures import percent_text
from annotate.models import Item, Kept
from metrics.charts.charts import Chart
from metrics.charts.dashboard import (
    LabelCountAgreement,
    by_number_of_labels,
    confusion,
    labels_a_day,
)

Value = dict[str, Any]


class SubsetAgreement(NamedTuple):
    """Agreement on some of the pairs; shares in per cent.

    Where a number is None, `reason` says why.
    """

    name: str
    n_pairs: int
    n_shared: int
    unanimous: float | None
    pairwise: float | None
    alpha: float | None
    low: float | None
    high: float | None
    reason: str


class WorstQuery(NamedTuple):
    """Agreement on the pairs of a query, and the query where it was read."""

    item: Item | None
    agreement: SubsetAgreement


class AgreementBreakdown(NamedTuple):
    """The pairs split by one property, such as pool or modality.

    title : names the labels counted
    needs_shared : whether it takes a pair with two labels, not just with one
    """

    title: str
    subsets: list[SubsetAgreement]
    needs_shared: bool = False

    @property
    def absence(self) -> str:
        """The reason why there are no subsets."""
        return "no pair has two labels" if self.needs_shared else "nobody has judged"

    @property
    def past_absence(self) -> str:
        """The reason why there were no subsets when the details were computed."""
        return "no pair had two labels then" if self.needs_shared else "nobody had judged then"


class LevelRow(NamedTuple):
    """One level; numbers in per cent but for alpha.

    n_labels : its planned labels on pairs with two or more; agreement : on this level
    alpha : against all other levels; disagreement_share : its share in all disagreement
    """

    name: str
    n_labels: int
    agreement: float | None
    alpha: float | None
    low: float | None
    high: float | None
    disagreement_share: float | None


class LevelConfusion(NamedTuple):
    """Two levels given to the same pairs, and their share in all disagreement, in per cent."""

    level: str
    other_level: str
    share: float


class ValueRange(NamedTuple):
    """A number with its range."""

    value: float
    low: float | None
    high: float | None


class Forecast(NamedTuple):
    """Pace and hours; None where unknown. `reason` says why there is no pace.

    days : moments of the days with labels, in milliseconds since 1970, and their labels
    """

    chart: Chart
    pace: ValueRange | None
    n_days: int
    days_left: ValueRange | None
    reason: str
    n_left: int
    hours_spent: float | None
    hours_left: ValueRange | None
    n_timed: int
    n_untimed: int
    days: list[tuple[int, int]] = []


class DashboardDetails(NamedTuple):
    """The details as the page shows them."""

    version: str
    computed_at: datetime
    level: str
    breakdowns: list[AgreementBreakdown]
    label_count_chart: Chart
    confusion_chart: Chart
    levels: list[LevelRow]
    confusions: list[LevelConfusion]
    worst_queries: list[WorstQuery]
    n_queries: int
    n_ranked: int
    measurement: str
    forecast: Forecast
    people: dict[int, Value]
    sampling_units: str

    @property
    def confusions_text(self) -> str:
        """The levels that disagreement is between, and their shares; empty without any."""
        shares = [
            f"“{confusion.level}” beside “{confusion.other_level}” "
            f"{percent_text(confusion.share)} %"
            for confusion in self.confusions
        ]
        return f"Of all disagreement: {', '.join(shares)}." if shares else ""

    @property
    def interval_text(self) -> str:
        """Name of the method of the intervals of alpha."""
        return f"95 % bootstrap interval over {self.sampling_units}"


def query_items(*, details: Kept) -> dict[int, Item]:
    """The queries that people disagree on most, by key, with their parts; two queries."""
    keys = [row["item"] for row in details.value["queries"]["rows"]]
    return Item.objects.prefetch_related("parts").in_bulk(keys)


def details_page(*, details: Kept, level: str, items: Mapping[int, Item]) -> DashboardDetails:
    """The details from their kept value; only shares are computed here.

    items : of query_items; empty for a page that does not list them
    """
    value = details.value
    names = [name for _, name, _ in value["levels"]]
    return DashboardDetails(
        version=details.version,
        computed_at=details.computed_at,
        level=level,
        breakdowns=[
            AgreementBreakdown(
                "Number of labels, all labels",
                [_subset(row, level, f"{row['key']} labels") for row in value["by_size"]],
                needs_shared=True,
            ),
            AgreementBreakdown(
                "Pool, planned labels",
                [_subset(row, level, row["key"]) for row in value["by_pool"]],
            ),
            AgreementBreakdown(
                "Modality, query to document, planned labels",
                [_subset(row, level, row["key"]) for row in value["by_modality"]],
            ),
        ],
        label_count_chart=by_number_of_labels(
            [_label_count(row, level) for row in value["by_size"]], level=level
        ),
        confusion_chart=confusion(names, value["by_level"]["together"]),
        levels=_levels(value["by_level"], names),
        confusions=_confusions(value["by_level"]["together"], names),
        worst_queries=[
            WorstQuery(
                items.get(row["item"]),
                _subset(
                    {**row, "alpha": {"": row["alpha"]}, "n_pairs": row["n_shared"]},
                    "",
                    row["name"],
                ),
            )
            for row in value["queries"]["rows"]
        ],
        n_queries=value["queries"]["n_queries"],
        n_ranked=value["queries"]["n_ranked"],
        measurement=value["measurement"],
        forecast=_forecast(value["forecast"]),
        people={row["annotator"]: row for row in value["people"]},
        sampling_units=value.get("drawn", "pairs"),
    )


def _subset(row: Value, level: str, name: str) -> SubsetAgreement:
    alpha = row["alpha"][level]
    return SubsetAgreement(
        name=name,
        n_pairs=row["n_pairs"],
        n_shared=row["n_shared"],
        unanimous=per_cent(row["unanimous"]),
        pairwise=per_cent(row["pairwise"]),
        alpha=alpha["value"],
        low=alpha["low"],
        high=alpha["high"],
        reason=alpha["reason"],
    )


def _label_count(row: Value, level: str) -> LabelCountAgreement:
    alpha = row["alpha"][level]
    return LabelCountAgreement(
        row["key"], row["n_shared"], row["unanimous"], alpha["value"], alpha["low"], alpha["high"]
    )


def _levels(by_level: Value, names: list[str]) -> list[LevelRow]:
    """Rows of the levels, best level first."""
    coincidences = by_level["together"]
    disagreements = [sum(line) - line[i] for i, line in enumerate(coincidences)]
    total = sum(disagreements)
    rows = [
        LevelRow(
            name=name,
            n_labels=row["n_labels"],
            agreement=per_cent(row["agreement"]),
            alpha=row["alpha"]["value"],
            low=row["alpha"]["low"],
            high=row["alpha"]["high"],
            disagreement_share=100 * n_disagreements / total if total else None,
        )
        for name, row, n_disagreements in zip(names, by_level["rows"], disagreements, strict=True)
    ]
    return rows[::-1]


def _confusions(coincidences: list[list[float]], names: list[str]) -> list[LevelConfusion]:
    """Pairs of levels given to the same pairs, most frequent first."""
    pairs = [(i, k) for i in range(len(names)) for k in range(i)]
    total = sum(coincidences[i][k] for i, k in pairs)
    confusions = [
        LevelConfusion(names[i], names[k], 100 * coincidences[i][k] / total)
        for i, k in pairs
        if coincidences[i][k] > 0
    ]
    return sorted(confusions, key=lambda row: -row.share)


def _forecast(value: Value) -> Forecast:
    pace, hours, n_left = value["pace"], value["hours_a_label"], value["n_left"]
    n_days = len(value["days"])
    hours_left = None
    if hours is not None:
        ends = [None if hours[end] is None else hours[end] * n_left for end in ("low", "high")]
        hours_left = ValueRange(hours["value"] * n_left, *ends)
    return Forecast(
        chart=labels_a_day([(day, n) for day, n in value["days"]]),
        pace=ValueRange(pace["value"], pace["low"], pace["high"]) if pace else None,
        n_days=pace["n_days"] if pace else n_days,
        days_left=ValueRange(n_left / pace["value"], n_left / pace["high"], n_left / pace["low"])
        if pace
        else None,
        reason="it takes three whole days with labels, the present one left out",
        n_left=n_left,
        hours_spent=value["spent"] if value["n_timed"] else None,
        hours_left=hours_left,
        n_timed=value["n_timed"],
        n_untimed=value["n_untimed"],
        days=[(day, n) for day, n in value["days"]],
    )


def per_cent(share: float | None) -> float | None:
    """A share of 1 in per cent."""
    return None if share is None else 100 * share
