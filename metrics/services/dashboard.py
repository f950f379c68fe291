"""What the lead's dashboard shows: the latest snapshots, read and put into words; nothing is computed here."""

import hashlib
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from annotate.core.pair_states import StateCounts
from annotate.models import Annotator, Collection, Round
from annotate.services.background.workers import worker_is_missing
from metrics.charts import AlphaPoint, Chart, LevelCount, alpha_history, level_distribution
from metrics.core.agreement import Level
from metrics.models import Snapshot
from metrics.services import alarms, closer, history, refresh_tries
from metrics.services.agreement_page import Agreement, agreement_of
from metrics.services.closer_page import Closer, Range, closer_page
from metrics.services.numbers import KINDS


class Total(NamedTuple):
    """All pools of a collection together."""

    n_pairs: int
    states: StateCounts
    n_left: int
    n_done: int


class Asked(NamedTuple):
    """How somebody looks at the dashboard: the level of measurement, and whether with people's names."""

    level: str
    names: bool = False

    @property
    def query(self) -> str:
        """The address's end that asks the same again."""
        return f"level={self.level}" + ("&names=1" if self.names else "")


class Standing(NamedTuple):
    """version : changes whenever the dashboard would show something else
    moments : when each of its snapshots was computed, by kind
    """

    version: str
    moments: dict[str, datetime]


class Pay(NamedTuple):
    """What judging costs at the pay an hour; None where no pay is set or no label carries a time."""

    rate: Decimal | None
    currency: str
    spent: float | None = None
    left: float | None = None
    low: float | None = None
    high: float | None = None


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
    closer: Closer | None = None
    pay: Pay | None = None
    raised: list[alarms.Row] = []
    delay: refresh_tries.Delay | None = None

    @property
    def closer_is_old(self) -> bool:
        """Whether labels have come since the closer look was taken."""
        return self.closer is not None and self.closer.computed_at < max(self.ages[kind] for kind in KINDS)

    @property
    def has_repeats(self) -> bool:
        """Whether a pair came back to anybody."""
        return any(row["repeats"] for row in self.people)


def standing(*, collection: Collection, asked: Asked) -> Standing:
    """What there is to show, without reading it; a few small queries."""
    shown = (*KINDS, closer.KIND)
    snapshots = Snapshot.objects.filter(collection=collection, kind__in=shown).order_by("kind")
    rows = list(snapshots.values_list("kind", "inputs_sha256", "computed_at"))
    pay = (str(collection.hourly_pay), collection.currency)
    up = [event.pk for event in alarms.raised(collection=collection)]
    delay = refresh_tries.delay_of(collection=collection)
    text = repr((collection.pk, asked, pay, up, [row[:2] for row in rows], worker_is_missing(), delay))
    version = hashlib.sha256(text.encode()).hexdigest()[:32]
    return Standing(version, {kind: at for kind, _, at in rows})


def known_level(*, collection: Collection, wanted: str | None) -> str:
    """The level of measurement asked for, or the collection's own."""
    return wanted if wanted in set(Level) else collection.measurement


def dashboard(*, collection: Collection, asked: Asked, now: str) -> Dashboard:
    """All that the page shows, from the latest snapshots and the history; seven queries, eight with names.

    now : the version that was found before; what has come since shows the next time
    """
    level = asked.level
    snapshots = {row.kind: row for row in Snapshot.objects.filter(collection=collection)}
    delay = refresh_tries.delay_of(collection=collection)
    if not set(KINDS) <= set(snapshots):
        return Dashboard(now, is_waiting=True, worker_missing=worker_is_missing(), delay=delay)
    values = {kind: row.value for kind, row in snapshots.items()}
    names = names_of(collection=collection) if asked.names else {}
    more = closer_page(snapshot=snapshots[closer.KIND], level=level) if closer.KIND in snapshots else None
    return Dashboard(
        version=now,
        is_waiting=False,
        worker_missing=worker_is_missing(),
        total=_total(values["progress"]),
        rounds=[
            row | {"states": StateCounts(row["states"], is_open=row["state"] in Round.WANTING)}
            for row in values["progress"]["rounds"]
        ],
        agreement=agreement_of(values["agreement"], level),
        people=[
            person(row, more.people.get(row["annotator"]) if more else None) | {"name": names.get(row["annotator"], "")}
            for row in values["people"]["people"]
        ],
        charts=[_history_chart(collection, level), _level_chart(values["labels"])],
        ages={kind: row.computed_at for kind, row in snapshots.items()},
        closer=more,
        pay=_pay(collection, more),
        raised=alarms.rows_of(alarms.raised(collection=collection)),
        delay=delay,
    )


def _total(progress: dict[str, Any]) -> Total:
    value, is_open = progress["total"], any(row["state"] in Round.WANTING for row in progress["rounds"])
    return Total(value["n_pairs"], StateCounts(value["states"], is_open=is_open), value["n_left"], value["n_done"])


def names_of(*, collection: Collection) -> dict[int, str]:
    """What people sign in as, by annotator; those without an account have none."""
    known = Annotator.objects.filter(collection=collection, user__isnull=False)
    return dict(known.values_list("pk", "user__username"))


def _pay(collection: Collection, more: Closer | None) -> Pay:
    rate = collection.hourly_pay
    if rate is None or more is None or more.forecast.hours_spent is None:
        return Pay(rate, collection.currency)
    left = more.forecast.hours_left or Range(0.0, None, None)
    hours = (more.forecast.hours_spent, left.value, left.low, left.high)
    return Pay(rate, collection.currency, *(None if n is None else n * float(rate) for n in hours))


def person(row: dict[str, Any], more: dict[str, Any] | None) -> dict[str, Any]:
    """One line of the table, with shares in per cent; None where there is nothing to share.

    more : the same person in the closer look, if she is in it yet
    """
    return {
        **row,
        "drag": more["drag"] if more else None,
        "flags": more["flags"] if more else [],
        "seconds": None if row["median_ms"] is None else row["median_ms"] / 1000,
        "gold": _per_cent(row["n_right"], row["n_gold"]),
        "shared": _per_cent(row["n_equal"], row["n_shared"]),
        "repeats": _repeats(row.get("repeats")),
        "gold_low": _times_100(row["gold_interval"][0]),
        "gold_high": _times_100(row["gold_interval"][1]),
    }


def _repeats(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """A person's agreement with herself, shares in per cent; None where no pair came back."""
    if not value or not value["n"]:  # numbers of before repeats were counted have none
        return None
    low, high = value["interval"]
    shares = {"share": _per_cent(value["n_equal"], value["n"]), "share_low": 100 * low, "share_high": 100 * high}
    return {**value, **shares}


def _per_cent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _times_100(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _history_chart(collection: Collection, level: str) -> Chart:
    points = [
        _alpha_point(point.n_judgments, history.alphas_of(point), level)
        for point in history.points(collection=collection, kind="agreement")
    ]
    return alpha_history(points, level=level)


def _alpha_point(n_judgments: int, alphas: history.Alphas, level: str) -> AlphaPoint:
    planned, of_all = (alphas.get(labels, {}).get(level, {}) for labels in history.LABELS)
    return AlphaPoint(n_judgments, *(planned.get(name) for name in ("value", "low", "high")), of_all.get("value"))


def _level_chart(value: dict[str, Any]) -> Chart:
    return level_distribution(
        [LevelCount(row["name"], row["colour"], row["n_given"], row["n_resolved"]) for row in value["levels"]]
    )
