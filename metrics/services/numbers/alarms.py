"""Alarms that a lead sets: every refresh checks them.

A log says when each rose and fell, and on which numbers.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from annotate.core.phrases import counted
from annotate.models import Collection, HookEvent, User
from annotate.services.storage import outbox
from metrics.core.comparisons.sequential_analysis import MIN_GROUPS, alpha_lower_limit, is_below
from metrics.models import Alarm, AlarmEvent, AlarmMail, Snapshot

MAX_LOG_EVENTS = 100  # events that the page shows
UNITS = {Alarm.Kind.ALPHA: "", Alarm.Kind.GOLD: " %", Alarm.Kind.SPEED: " s"}
_BASES = {Alarm.Kind.ALPHA: "pair", Alarm.Kind.GOLD: "gold", Alarm.Kind.SPEED: "label"}
LIMIT_NEEDS = (
    f"that takes {MIN_GROUPS} groups of queries with a label beside the commonest level, and "
    "labels that differ"
)


class AlarmExists(Exception):
    """The same alarm is set already; nothing was changed."""


class AlarmReading(NamedTuple):
    """The number an alarm watches, of one annotator, or of all (annotator is None).

    value : None where it is undefined; n : how many pairs, golds or labels it rests on
    is_low : whether it is below the alarm's threshold, whatever n is
    """

    annotator: int | None
    value: float | None
    n: int
    is_low: bool


class AlarmRow(NamedTuple):
    """A line of the page: an alarm in words, or an event with the number behind it in words."""

    alarm: Alarm
    description: str
    event: AlarmEvent | None = None
    reading_text: str = ""


class AlarmsPage(NamedTuple):
    """Alarms that are set, the events of those that are up, and the newest events."""

    alarms: list[AlarmRow]
    active: list[AlarmRow]
    log: list[AlarmRow]


def page(*, collection: Collection) -> AlarmsPage:
    """The page of alarms; three queries."""
    return AlarmsPage(
        [AlarmRow(alarm, alarm_text(alarm)) for alarm in alarms_set(collection=collection)],
        rows_of(raising_events(collection=collection)),
        rows_of(list(alarm_log(collection=collection)[:MAX_LOG_EVENTS])),
    )


def alarms_set(*, collection: Collection) -> QuerySet[Alarm]:
    """The alarms that have not ended, the oldest first."""
    return collection.alarms.filter(ended_at=None).order_by("pk")


def alarm_log(*, collection: Collection) -> QuerySet[AlarmEvent]:
    """All rises and falls, the newest first."""
    events = AlarmEvent.objects.filter(alarm__collection=collection)
    return events.select_related("alarm", "annotator").order_by("-pk")


def rows_of(events: list[AlarmEvent]) -> list[AlarmRow]:
    """Rows of events for the page or the dashboard."""
    return [
        AlarmRow(event.alarm, alarm_text(event.alarm), event, reading_text(event))
        for event in events
    ]


def set_alarm(
    *, collection: Collection, kind: str, below: float, n_at_least: int, by: User | AnonymousUser
) -> Alarm:
    """Watch a number from now on. Raises AlarmExists."""
    try:
        with transaction.atomic():
            alarm = Alarm.objects.create(
                collection=collection, kind=kind, below=below, n_at_least=n_at_least, by_id=by.pk
            )
    except IntegrityError as error:
        raise AlarmExists("This alarm is set already.") from error
    check_alarms(collection=collection)
    return alarm


def end_alarm(*, alarm: Alarm) -> bool:
    """End the alarm; its log stays. True unless it had ended before."""
    return Alarm.objects.filter(pk=alarm.pk, ended_at=None).update(ended_at=Now()) > 0


@transaction.atomic(savepoint=False)
def check_alarms(*, collection: Collection) -> int:
    """Note which alarms rose and fell since the last look; returns how many did.

    One query where none is set. An alarm is up while its number is low, as `readings` says, and
    rests on enough. Its last event is its state, so a second look notes nothing twice; a number
    that is no longer defined lets it fall.
    """
    alarms = list(alarms_set(collection=collection))
    if not alarms:
        return 0
    kinds = ("agreement", "people")
    values = dict(
        Snapshot.objects.filter(collection=collection, kind__in=kinds).values_list("kind", "value")
    )
    raised_keys = {
        (event.alarm_id, event.annotator_id) for event in raising_events(collection=collection)
    }
    events = [event for alarm in alarms for event in _events(alarm, values, raised_keys)]
    AlarmEvent.objects.bulk_create(events)
    AlarmMail.objects.bulk_create(
        AlarmMail(event=event) for event in events if event.kind == AlarmEvent.Kind.ROSE
    )
    for event in events:
        _announce(event)
    return len(events)


def _announce(event: AlarmEvent) -> None:
    """Tell webhooks of a rise or fall, but not of the person whose number it is."""
    alarm, rose = event.alarm, event.kind == AlarmEvent.Kind.ROSE
    outbox.announce(
        collection=alarm.collection,
        event=HookEvent.ALARM_ROSE if rose else HookEvent.ALARM_FELL,
        data={
            "alarm": alarm.pk,
            "kind": alarm.kind,
            "below": alarm.below,
            "url": outbox.api_url("alarm", alarm.collection.slug, alarm.pk),
        },
    )


def raising_events(*, collection: Collection) -> list[AlarmEvent]:
    """The events that raised the alarms that are up now, newest first; one query."""
    last = AlarmEvent.objects.filter(alarm__collection=collection, alarm__ended_at=None)
    last = (
        last.order_by("alarm", "annotator", "-pk")
        .distinct("alarm", "annotator")
        .select_related("alarm", "annotator")
    )
    return sorted(
        (event for event in last if event.kind == AlarmEvent.Kind.ROSE), key=lambda event: -event.pk
    )


def readings(alarm: Alarm, values: dict[str, Any]) -> list[AlarmReading]:
    """The numbers an alarm watches, as the snapshots have them.

    Every refresh checks an alarm, so its claim holds at all of these looks together
    (metrics.core.comparisons.sequential_analysis). Alpha: of the planned labels' alpha, on the
    collection's level of measurement, the lower limit that holds however often one looks, n pairs
    with two of them or more: up while alpha is not shown to reach the threshold, so also while
    there is no limit yet. Golds right: per cent of n golds on the right side of the threshold: up
    while it is shown to be below the mark. Active time: median seconds of n labels: up while that
    number is lower. It claims nothing beyond these labels.
    """
    if alarm.kind == Alarm.Kind.ALPHA:
        agreement = values.get("agreement")
        return [
            _alpha_reading(
                alarm, agreement["planned"][agreement["measurement"]] if agreement else None
            )
        ]
    people = values.get("people", {"people": []})["people"]
    if alarm.kind == Alarm.Kind.GOLD:
        return [_gold_reading(alarm, row) for row in people]
    return [_speed_reading(alarm, row) for row in people]


def _alpha_reading(alarm: Alarm, alpha: dict[str, Any] | None) -> AlarmReading:
    n = alpha["n_pairable_units"] if alpha else 0
    if not alpha or not n or alpha["value"] is None:
        return AlarmReading(None, None, n, is_low=False)
    low = alpha_lower_limit(
        alpha["value"],
        low=alpha["low"],
        high=alpha["high"],
        n=n,
        # snapshots from before they were counted lack it until a refresh
        n_informative=alpha.get("n_informative", MIN_GROUPS),
        tuned_for=max(1, alarm.n_at_least),
    )
    return AlarmReading(None, low, n, is_low=low is None or low < alarm.below)


def _gold_reading(alarm: Alarm, row: dict[str, Any]) -> AlarmReading:
    right, n = row["n_right"], row["n_gold"]
    is_low = bool(n) and is_below(right, n, threshold=alarm.below / 100)
    return AlarmReading(row["annotator"], 100 * right / n if n else None, n, is_low)


def _speed_reading(alarm: Alarm, row: dict[str, Any]) -> AlarmReading:
    seconds = None if row["median_ms"] is None else row["median_ms"] / 1000
    return AlarmReading(
        row["annotator"], seconds, row["n_labels"], seconds is not None and seconds < alarm.below
    )


def _events(
    alarm: Alarm, values: dict[str, Any], raised_keys: set[tuple[int, int | None]]
) -> Iterator[AlarmEvent]:
    by_annotator = {reading.annotator: reading for reading in readings(alarm, values)}
    undefined_for = [
        annotator
        for pk, annotator in raised_keys
        if pk == alarm.pk and annotator not in by_annotator
    ]
    for reading in [
        *by_annotator.values(),
        *(AlarmReading(annotator, None, 0, is_low=False) for annotator in undefined_for),
    ]:
        is_up = reading.is_low and reading.n >= alarm.n_at_least
        if is_up != ((alarm.pk, reading.annotator) in raised_keys):
            kind = AlarmEvent.Kind.ROSE if is_up else AlarmEvent.Kind.FELL
            yield AlarmEvent(
                alarm=alarm,
                annotator_id=reading.annotator,
                kind=kind,
                value=reading.value,
                n=reading.n,
            )


def alarm_text(alarm: Alarm) -> str:
    """The alarm in words.

    "Alpha not shown to be 0.6 or more, from 100 pairs with two planned labels on"
    """
    kind = Alarm.Kind(alarm.kind)
    threshold = f"{alarm.below:g}{UNITS[kind]}"
    watched_values = {
        Alarm.Kind.ALPHA: f"not shown to be {threshold} or more",
        Alarm.Kind.GOLD: f"shown to be below {threshold}",
        Alarm.Kind.SPEED: f"below {threshold}",
    }
    return f"{kind.label} {watched_values[kind]}, from {_basis(kind, alarm.n_at_least)} on"


def reading_text(event: AlarmEvent) -> str:
    """The number behind an event, in words: "A7: 61.5 % on 26 golds".

    Of alpha "its lower limit at every check is 0.58 on 230 pairs ...".
    """
    kind = Alarm.Kind(event.alarm.kind)
    prefix = f"{event.annotator.pseudonym}: " if event.annotator else ""
    if kind == Alarm.Kind.ALPHA and event.value is None and event.kind == AlarmEvent.Kind.ROSE:
        return f"it had no lower limit yet on {_basis(kind, event.n)}: {LIMIT_NEEDS}"
    if kind == Alarm.Kind.ALPHA:
        prefix = "its lower limit at every check is "
    value = "not defined" if event.value is None else f"{event.value:.3g}{UNITS[kind]}"
    return f"{prefix}{value} on {_basis(kind, event.n)}"


def _basis(kind: Alarm.Kind, n: int) -> str:
    """The number of judgments that an alarm's value rests on, with their noun."""
    planned = " with two planned labels" if kind == Alarm.Kind.ALPHA else ""
    return f"{counted(n, _BASES[kind])}{planned}"
