"""What the lead's dashboard shows: the latest snapshots, read and put into words; nothing is computed here."""

import hashlib
from datetime import datetime
from typing import Any, NamedTuple

from annotate.models import Collection
from metrics.charts import AlphaPoint, Chart, LevelCount, alpha_history, level_distribution
from metrics.core.agreement import Level
from metrics.models import Snapshot
from metrics.services import history
from metrics.services.numbers import KINDS
from pooling.services.waiting import worker_is_missing


class Total(NamedTuple):
    """All pools of a collection together."""

    n_pairs: int
    n_resolved: int
    n_disputed: int
    n_left: int
    n_done: int
    n_cannot_judge: int


class LevelTab(NamedTuple):
    """A level of measurement to choose."""

    name: str
    is_current: bool


class Agreement(NamedTuple):
    """Alpha on the chosen level, with all labels and with the first two of each pair; agreement rates."""

    level: str
    tabs: list[LevelTab]
    all: dict[str, Any]
    first_two: dict[str, Any]
    percent: dict[str, Any]

    @property
    def both(self) -> list[dict[str, Any]]:
        """Alpha with all labels, then with the first two."""
        return [self.all, self.first_two]

    @property
    def unanimous(self) -> float | None:
        """Pairs whose labels are all equal, in per cent."""
        return _times_100(self.percent["unanimous_units"])

    @property
    def pairwise(self) -> float | None:
        """Equal pairs of labels, mean over units, in per cent."""
        return _times_100(self.percent["mean_of_units"])


class Dashboard(NamedTuple):
    """The page; `is_waiting` while no numbers have been written yet, then the rest is empty."""

    version: str
    is_waiting: bool
    worker_missing: bool
    total: Total | None = None
    rounds: list[dict[str, Any]] = []
    agreement: Agreement | None = None
    people: list[dict[str, Any]] = []
    charts: list[Chart] = []
    ages: dict[str, datetime] = {}


def version(*, collection: Collection, level: str) -> str:
    """Changes whenever the dashboard would show something else; two small queries."""
    hashes = Snapshot.objects.filter(collection=collection).order_by("kind").values_list("kind", "inputs_sha256")
    text = repr((collection.pk, level, list(hashes), worker_is_missing()))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def known_level(*, collection: Collection, wanted: str | None) -> str:
    """The level of measurement asked for, or the collection's own."""
    return wanted if wanted in set(Level) else collection.measurement


def dashboard(*, collection: Collection, level: str) -> Dashboard:
    """All that the page shows, from the latest snapshots and the history; five queries."""
    now = version(collection=collection, level=level)
    snapshots = {row.kind: row for row in Snapshot.objects.filter(collection=collection)}
    if not set(KINDS) <= set(snapshots):
        return Dashboard(now, is_waiting=True, worker_missing=worker_is_missing())
    values = {kind: row.value for kind, row in snapshots.items()}
    return Dashboard(
        version=now,
        is_waiting=False,
        worker_missing=worker_is_missing(),
        total=Total(**values["progress"]["total"]),
        rounds=values["progress"]["rounds"],
        agreement=_agreement(values["agreement"], level),
        people=[_person(row) for row in values["people"]["people"]],
        charts=[_history_chart(collection, level), _level_chart(values["labels"])],
        ages={kind: row.computed_at for kind, row in snapshots.items()},
    )


def _agreement(value: dict[str, Any], level: str) -> Agreement:
    tabs = [LevelTab(str(name), name == level) for name in Level]
    alphas = [
        # The core speaks of units; on this page a unit is a pair.
        {**value[labels][level], "reason": value[labels][level]["reason"].replace("unit", "pair")}
        for labels in ("all", "first_two")
    ]
    return Agreement(level, tabs, *alphas, value["percent"])


def _person(row: dict[str, Any]) -> dict[str, Any]:
    """One line of the table, with shares in per cent; None where there is nothing to share."""
    return {
        **row,
        "seconds": None if row["median_ms"] is None else row["median_ms"] / 1000,
        "gold": _per_cent(row["n_right"], row["n_gold"]),
        "shared": _per_cent(row["n_equal"], row["n_shared"]),
        "gold_low": _times_100(row["gold_interval"][0]),
        "gold_high": _times_100(row["gold_interval"][1]),
    }


def _per_cent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _times_100(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _history_chart(collection: Collection, level: str) -> Chart:
    points = [
        AlphaPoint(point.n_judgments, *(point.value[level][name] for name in ("value", "low", "high")))
        for point in history.points(collection=collection, kind="agreement")
        if level in point.value
    ]
    return alpha_history(points, level=level)


def _level_chart(value: dict[str, Any]) -> Chart:
    return level_distribution(
        [LevelCount(row["name"], row["colour"], row["n_given"], row["n_resolved"]) for row in value["levels"]]
    )
