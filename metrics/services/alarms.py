"""Alarms that a lead sets: looked at in every refresh; a log says when each rose and fell, and on which numbers."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotate.models import Collection, User
from metrics.core.looks import MIN_GROUPS, alpha_low, is_below
from metrics.models import Alarm, AlarmEvent, Snapshot

LOG = 100  # events that the page shows
UNITS = {Alarm.Kind.ALPHA: "", Alarm.Kind.GOLD: " %", Alarm.Kind.SPEED: " s"}
RESTS_ON = {Alarm.Kind.ALPHA: "pairs with two planned labels", Alarm.Kind.GOLD: "golds", Alarm.Kind.SPEED: "labels"}
NEEDED = f"that takes {MIN_GROUPS} groups of queries with a label beside the commonest level, and labels that differ"


class AlarmExists(Exception):
    """The same alarm is set already; nothing was changed."""


class Reading(NamedTuple):
    """The number an alarm watches: of one annotator, or of all (None).

    value : None where it is undefined; is_low : whether it is what the alarm watches for, on however little
    """

    annotator: int | None
    value: float | None
    n: int
    is_low: bool


class Row(NamedTuple):
    """A line of the page: an alarm or an event, in words."""

    alarm: Alarm
    words: str
    event: AlarmEvent | None = None
    found: str = ""


class AlarmsPage(NamedTuple):
    """Alarms that are set, those that are up, and the newest events."""

    alarms: list[Row]
    raised: list[Row]
    log: list[Row]


def page(*, collection: Collection) -> AlarmsPage:
    """All that the page of alarms shows; three queries."""
    known = Alarm.objects.filter(collection=collection, ended_at=None).order_by("pk")
    log = AlarmEvent.objects.filter(alarm__collection=collection).select_related("alarm", "annotator").order_by("-pk")
    return AlarmsPage(
        [Row(alarm, in_words(alarm)) for alarm in known],
        rows_of(raised(collection=collection)),
        rows_of(list(log[:LOG])),
    )


def rows_of(events: list[AlarmEvent]) -> list[Row]:
    """Events in words."""
    return [Row(event.alarm, in_words(event.alarm), event, event_in_words(event)) for event in events]


def set_alarm(*, collection: Collection, kind: str, below: float, n_at_least: int, by: User | AnonymousUser) -> Alarm:
    """Watch a number from now on. Raises AlarmExists."""
    try:
        with transaction.atomic():
            alarm = Alarm.objects.create(
                collection=collection, kind=kind, below=below, n_at_least=n_at_least, by_id=by.pk
            )
    except IntegrityError as error:
        raise AlarmExists("This alarm is set already.") from error
    watch(collection=collection)
    return alarm


def end_alarm(*, alarm: Alarm) -> None:
    """Watch it no longer; the log stays."""
    Alarm.objects.filter(pk=alarm.pk, ended_at=None).update(ended_at=Now())


def watch(*, collection: Collection) -> int:
    """Note which alarms rose and fell since the last look; returns how many did. One query where none is set.

    An alarm is up while its number is low, as `readings` says, and rests on enough. What it was is its last event, so
    looking twice notes nothing twice; a number that is no longer defined lets it fall.
    """
    alarms = list(Alarm.objects.filter(collection=collection, ended_at=None).order_by("pk"))
    if not alarms:
        return 0
    kinds = ("agreement", "people")
    values = dict(Snapshot.objects.filter(collection=collection, kind__in=kinds).values_list("kind", "value"))
    up = {(event.alarm_id, event.annotator_id) for event in raised(collection=collection)}
    events = [event for alarm in alarms for event in _events(alarm, values, up)]
    AlarmEvent.objects.bulk_create(events)
    return len(events)


def raised(*, collection: Collection) -> list[AlarmEvent]:
    """The events by which alarms that are set are up, newest first; one query."""
    last = AlarmEvent.objects.filter(alarm__collection=collection, alarm__ended_at=None)
    last = (
        last.order_by("alarm", "annotator", "-pk").distinct("alarm", "annotator").select_related("alarm", "annotator")
    )
    return sorted((event for event in last if event.kind == AlarmEvent.Kind.ROSE), key=lambda event: -event.pk)


def readings(alarm: Alarm, values: dict[str, Any]) -> list[Reading]:
    """The numbers an alarm watches, as the snapshots have them.

    An alarm is looked at in every refresh, so what it says holds at all of these looks together (metrics.core.looks).
    Alpha: of the planned labels' alpha, on the collection's level of measurement, the lower limit that holds however
    often one looks, n pairs with two of them or more: up while alpha is not shown to reach the threshold, so also
    while there is no limit yet.
    Golds right: per cent of n golds on the right side of the threshold: up while it is shown to be below the mark.
    Active time: median seconds of n labels: up while that number is lower. It claims nothing beyond these labels.
    """
    if alarm.kind == Alarm.Kind.ALPHA:
        found = values.get("agreement")
        return [_alpha_reading(alarm, found["planned"][found["measurement"]] if found else None)]
    people = values.get("people", {"people": []})["people"]
    if alarm.kind == Alarm.Kind.GOLD:
        return [_gold_reading(alarm, row) for row in people]
    return [_speed_reading(alarm, row) for row in people]


def _alpha_reading(alarm: Alarm, alpha: dict[str, Any] | None) -> Reading:
    n = alpha["n_pairable_units"] if alpha else 0
    if not alpha or not n or alpha["value"] is None:
        return Reading(None, None, n, is_low=False)
    low = alpha_low(
        alpha["value"],
        low=alpha["low"],
        high=alpha["high"],
        n=n,
        n_informative=alpha.get("n_informative", MIN_GROUPS),  # older numbers, until a refresh, did not count them
        tuned_for=max(1, alarm.n_at_least),
    )
    return Reading(None, low, n, is_low=low is None or low < alarm.below)


def _gold_reading(alarm: Alarm, row: dict[str, Any]) -> Reading:
    right, n = row["n_right"], row["n_gold"]
    is_low = bool(n) and is_below(right, n, mark=alarm.below / 100)
    return Reading(row["annotator"], 100 * right / n if n else None, n, is_low)


def _speed_reading(alarm: Alarm, row: dict[str, Any]) -> Reading:
    seconds = None if row["median_ms"] is None else row["median_ms"] / 1000
    return Reading(row["annotator"], seconds, row["n_labels"], seconds is not None and seconds < alarm.below)


def _events(alarm: Alarm, values: dict[str, Any], up: set[tuple[int, int | None]]) -> Iterator[AlarmEvent]:
    found = {reading.annotator: reading for reading in readings(alarm, values)}
    gone = [who for pk, who in up if pk == alarm.pk and who not in found]
    for reading in [*found.values(), *(Reading(who, None, 0, is_low=False) for who in gone)]:
        is_up = reading.is_low and reading.n >= alarm.n_at_least
        if is_up != ((alarm.pk, reading.annotator) in up):
            kind = AlarmEvent.Kind.ROSE if is_up else AlarmEvent.Kind.FELL
            yield AlarmEvent(alarm=alarm, annotator_id=reading.annotator, kind=kind, value=reading.value, n=reading.n)


def in_words(alarm: Alarm) -> str:
    """What is watched: "Alpha not shown to be 0.6 or more, from 100 pairs with two planned labels on"."""
    kind = Alarm.Kind(alarm.kind)
    threshold = f"{alarm.below:g}{UNITS[kind]}"
    watched = {
        Alarm.Kind.ALPHA: f"not shown to be {threshold} or more",
        Alarm.Kind.GOLD: f"shown to be below {threshold}",
        Alarm.Kind.SPEED: f"below {threshold}",
    }
    return f"{kind.label} {watched[kind]}, from {alarm.n_at_least:,} {RESTS_ON[kind]} on"


def event_in_words(event: AlarmEvent) -> str:
    """What was found: "A7: 61.5 % on 26 golds"; of alpha "its lower limit at every look is 0.58 on 230 pairs ..."."""
    kind = Alarm.Kind(event.alarm.kind)
    whose = f"{event.annotator.pseudonym}: " if event.annotator else ""
    if kind == Alarm.Kind.ALPHA and event.value is None and event.kind == AlarmEvent.Kind.ROSE:
        return f"it had no lower limit yet on {event.n:,} {RESTS_ON[kind]}: {NEEDED}"
    if kind == Alarm.Kind.ALPHA:
        whose = "its lower limit at every look is "
    value = "not defined" if event.value is None else f"{event.value:.3g}{UNITS[kind]}"
    return f"{whose}{value} on {event.n:,} {RESTS_ON[kind]}"
