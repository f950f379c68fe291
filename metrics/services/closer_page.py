"""The closer look in words, for one level of measurement: what the dashboard's lower half shows."""

from datetime import datetime
from typing import Any, NamedTuple

from metrics.charts import Chart
from metrics.dashboard_charts import Size, by_number_of_labels, confusion, labels_a_day
from metrics.models import Snapshot

Value = dict[str, Any]


class Part(NamedTuple):
    """Agreement of some of the pairs; shares in per cent, None with why not in `reason`."""

    name: str
    n_pairs: int
    n_shared: int
    unanimous: float | None
    pairwise: float | None
    alpha: float | None
    low: float | None
    high: float | None
    reason: str


class Group(NamedTuple):
    """Parts that belong together: by pool, by modality; the title says of which labels they are."""

    title: str
    parts: list[Part]


class LevelRow(NamedTuple):
    """One level: planned labels of it on pairs with two or more, agreement on it, alpha against the rest, and its part
    in all disagreement; in per cent but for alpha."""

    name: str
    n_labels: int
    agreement: float | None
    alpha: float | None
    low: float | None
    high: float | None
    mistaken: float | None


class Exchange(NamedTuple):
    """Two levels that stand beside one another, and their share in all disagreement, in per cent."""

    one: str
    other: str
    share: float


class Range(NamedTuple):
    """A number with its range."""

    value: float
    low: float | None
    high: float | None


class Forecast(NamedTuple):
    """Pace and price; what is None is not known, `why` says why there is no pace."""

    chart: Chart
    pace: Range | None
    n_days: int
    days_left: Range | None
    why: str
    n_left: int
    hours_spent: float | None
    hours_left: Range | None
    n_timed: int
    n_untimed: int


class Closer(NamedTuple):
    """The closer look as the page shows it."""

    computed_at: datetime
    level: str
    groups: list[Group]
    sizes: Chart
    confusion: Chart
    levels: list[LevelRow]
    exchanges: list[Exchange]
    queries: list[Part]
    n_queries: int
    n_ranked: int
    measurement: str
    forecast: Forecast
    people: dict[int, Value]
    drawn: str

    @property
    def interval_text(self) -> str:
        """What the intervals of alpha are."""
        return f"95 % bootstrap interval over {self.drawn}"


def closer_page(*, snapshot: Snapshot, level: str) -> Closer:
    """All of it from the snapshot; nothing is computed but shares."""
    value = snapshot.value
    names = [name for _, name, _ in value["levels"]]
    return Closer(
        computed_at=snapshot.computed_at,
        level=level,
        groups=[
            Group(
                "Number of labels, all labels",
                [_part(row, level, f"{row['key']} labels") for row in value["by_size"]],
            ),
            Group("Pool, planned labels", [_part(row, level, row["key"]) for row in value["by_pool"]]),
            Group(
                "Modality, query to document, planned labels",
                [_part(row, level, row["key"]) for row in value["by_modality"]],
            ),
        ],
        sizes=by_number_of_labels([_size(row, level) for row in value["by_size"]], level=level),
        confusion=confusion(names, value["by_level"]["together"]),
        levels=_levels(value["by_level"], names),
        exchanges=_exchanges(value["by_level"]["together"], names),
        queries=[_query(row) for row in value["queries"]["rows"]],
        n_queries=value["queries"]["n_queries"],
        n_ranked=value["queries"]["n_ranked"],
        measurement=value["measurement"],
        forecast=_forecast(value["forecast"]),
        people={row["annotator"]: row for row in value["people"]},
        drawn=value.get("drawn", "pairs"),
    )


def _part(row: Value, level: str, name: str) -> Part:
    alpha = row["alpha"][level]
    shares = [per_cent(row[share]) for share in ("unanimous", "pairwise")]
    return Part(
        name, row["n_pairs"], row["n_shared"], *shares, alpha["value"], alpha["low"], alpha["high"], alpha["reason"]
    )


def _query(row: Value) -> Part:
    return _part({**row, "alpha": {"": row["alpha"]}, "n_pairs": row["n_shared"]}, "", row["name"])


def _size(row: Value, level: str) -> Size:
    alpha = row["alpha"][level]
    return Size(row["key"], row["n_shared"], row["unanimous"], alpha["value"], alpha["low"], alpha["high"])


def _levels(value: Value, names: list[str]) -> list[LevelRow]:
    """Best level first."""
    together = value["together"]
    wrong = [sum(line) - line[i] for i, line in enumerate(together)]
    rows = [
        LevelRow(
            name, row["n_labels"], per_cent(row["agreement"]), *(row["alpha"][end] for end in ("value", "low", "high")),
            100 * missed / sum(wrong) if sum(wrong) else None,
        )
        for name, row, missed in zip(names, value["rows"], wrong, strict=True)
    ]  # fmt: skip
    return rows[::-1]


def _exchanges(together: list[list[float]], names: list[str]) -> list[Exchange]:
    """Levels that are taken for one another, most often first."""
    pairs = [(i, k) for i in range(len(names)) for k in range(i)]
    all_of_them = sum(together[i][k] for i, k in pairs)
    found = [Exchange(names[i], names[k], 100 * together[i][k] / all_of_them) for i, k in pairs if together[i][k] > 0]
    return sorted(found, key=lambda exchange: -exchange.share)


def _forecast(value: Value) -> Forecast:
    pace, hours, left = value["pace"], value["hours_a_label"], value["n_left"]
    n_days = len(value["days"])
    return Forecast(
        chart=labels_a_day([(day, n) for day, n in value["days"]]),
        pace=Range(pace["value"], pace["low"], pace["high"]) if pace else None,
        n_days=pace["n_days"] if pace else n_days,
        days_left=Range(left / pace["value"], left / pace["high"], left / pace["low"]) if pace else None,
        why="it takes three whole days with labels, the present one left out",
        n_left=left,
        hours_spent=value["spent"] if value["n_timed"] else None,
        hours_left=_times(hours, left),
        n_timed=value["n_timed"],
        n_untimed=value["n_untimed"],
    )


def _times(mean: Value | None, n: int) -> Range | None:
    if mean is None:
        return None
    ends = [None if mean[end] is None else mean[end] * n for end in ("low", "high")]
    return Range(mean["value"] * n, *ends)


def per_cent(share: float | None) -> float | None:
    """A share of 1 in per cent."""
    return None if share is None else 100 * share
