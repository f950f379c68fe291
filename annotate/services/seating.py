"""Rounds, the seats they want, and who holds them.

Two rules keep every count right without counters. `reconcile_pairs`, behind the pairs' row locks,
is the only code that adds or withdraws free seats and writes resolutions. `claim_batch` takes free
or lapsed seats with SKIP LOCKED, so that two people never wait for, or get, the same one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import connection, transaction

from annotate.core import labels, ordering
from annotate.models import (
    Change,
    ClockTimestamp,
    Collection,
    Pair,
    Policy,
    Report,
    Resolution,
    Round,
    RoundPair,
    Seat,
)
from annotate.signals import pairs_changed

CANNOT_JUDGE_LIMIT = 2  # people after whom a pair leaves the queue for the lead
CHUNK = 5_000


class RoundExists(Exception):
    """The collection already has a round of this kind and name; nothing was created."""


class Standing(NamedTuple):
    """All that decides a pair's seats and resolution."""

    grades: list[int]
    seats: list[Seat]
    round: Round | None
    n_wanted: int
    policy: Policy
    escalated: bool


class Plan(NamedTuple):
    """What has to be written so that seats and resolutions are what they should be.

    new, freed, withdrawn : seats to make, to free (again, or in another round), to withdraw
    moved : held seats that go on in another round: once they lapse, only an open round's queue gives them out
    resolutions : the resolution of each pair that has one, changed or not
    unresolved : pairs that have none
    """

    new: list[Seat]
    freed: list[Seat]
    withdrawn: list[Seat]
    moved: list[Seat]
    resolutions: list[Resolution]
    unresolved: list[int]


@transaction.atomic
def open_round(
    *,
    collection: Collection,
    kind: Round.Kind,
    name: str,
    policy: Policy,
    pair_ids: Iterable[int],
    priority: int = 0,
) -> Round:
    """Make a round that wants labels of these pairs, doubles chosen, seats free to be claimed.

    Raises RoundExists when the name is taken. Opening with 0 pairs is allowed.
    """
    round_, created = Round.objects.get_or_create(
        collection=collection,
        kind=kind,
        name=name,
        defaults={"policy": policy, "priority": priority},
    )
    if not created:
        raise RoundExists(f'Round "{name}" already exists in this collection; choose another name.')
    add_pairs(round_=round_, pair_ids=pair_ids)
    return round_


@transaction.atomic
def add_pairs(*, round_: Round, pair_ids: Iterable[int]) -> None:
    """Let an open round want these pairs too; an exact share of the new ones is doubled."""
    known = set(round_.round_pairs.values_list("pair_id", flat=True))
    new = sorted(set(pair_ids) - known)
    policy, key = round_.policy, bytes(round_.collection.key)
    doubles = ordering.choose_doubles(new, share=policy.double_share, key=key)
    RoundPair.objects.bulk_create(
        (
            RoundPair(round=round_, pair_id=pair, n_wanted=policy.labels_per_pair + (pair in doubles))
            for pair in new
        ),
        batch_size=CHUNK,
    )
    _reconcile_round(round_, new)


@transaction.atomic
def close_round(*, round_: Round) -> None:
    """Withdraw the round's free seats; held seats are left to finish, judgments stay."""
    Round.objects.filter(pk=round_.pk, state=Round.State.OPEN).update(
        state=Round.State.CLOSED, closed_at=ClockTimestamp()
    )
    round_.refresh_from_db()
    _reconcile_round(round_, round_.round_pairs.values_list("pair_id", flat=True))


@transaction.atomic
def reopen_round(*, round_: Round) -> None:
    """Want the round's missing labels again; withdrawn free seats come back."""
    Round.objects.filter(pk=round_.pk).update(state=Round.State.OPEN, closed_at=None)
    round_.refresh_from_db()
    _reconcile_round(round_, round_.round_pairs.values_list("pair_id", flat=True))


@transaction.atomic(savepoint=False)
def reconcile_pairs(*, pair_ids: Iterable[int]) -> None:
    """Make each pair's free seats and resolution what judgments, open rounds and policy say.

    Safe to call at any time and twice; a constant number of queries a 5,000 pairs.
    """
    ids = sorted(set(pair_ids))
    for start in range(0, len(ids), CHUNK):
        _reconcile_chunk(ids[start : start + CHUNK])


def note_changes(*, collection_id: int, pair_ids: Sequence[int | None]) -> None:
    """Tell metrics, by rows and after commit by a signal, that these pairs' labels changed.

    None stands for what concerns no single pair, such as a new reference set; and for more pairs than are worth
    telling one by one.
    """
    if len(pair_ids) > CHUNK:
        pair_ids = [None]
    Change.objects.bulk_create(
        (Change(collection_id=collection_id, pair_id=pair) for pair in pair_ids), batch_size=CHUNK
    )
    transaction.on_commit(
        lambda: pairs_changed.send(sender=Change, collection_id=collection_id), robust=True
    )


def _reconcile_round(round_: Round, pair_ids: Iterable[int]) -> None:
    """Reconcile a round's pairs, and let the numbers follow: progress counts its seats."""
    reconcile_pairs(pair_ids=pair_ids)
    note_changes(collection_id=round_.collection_id, pair_ids=[None])


def _reconcile_chunk(ids: list[int]) -> None:
    # lock before reading: two people who answer one pair at once must see each other's label
    changes = plan(pairs=list(Pair.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)))
    _write_seats(changes)
    _write_resolutions(changes.resolutions, changes.unresolved)


def plan(*, pairs: Sequence[Pair]) -> Plan:
    """What reconciling these pairs writes; reads alone, so that a check can ask whether anything is missing."""
    standings = _gather([pair.pk for pair in pairs])
    changes = Plan([], [], [], [], [], [])
    for pair in pairs:
        standing = standings.get(pair.pk)
        if standing is None:
            continue
        _plan_seats(pair, standing, changes)
        resolution = _resolution(pair, standing)
        if resolution is None:
            changes.unresolved.append(pair.pk)
        else:
            changes.resolutions.append(resolution)
    return changes


def _gather(ids: list[int]) -> dict[int, Standing]:
    """What stands for each pair that any round names, in five queries."""
    grades: dict[int, list[int]] = defaultdict(list)
    done = Seat.objects.filter(pair__in=ids, purpose__in=Seat.COUNTING, state=Seat.State.DONE)
    for pair, grade in done.order_by("judgment_id").values_list("pair_id", "judgment__level__grade"):
        grades[pair].append(grade)
    seats: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(pair__in=ids, purpose=Seat.Purpose.LABEL).order_by("number"):
        seats[seat.pair_id].append(seat)
    escalated = _escalated(ids)
    standings: dict[int, Standing] = {}
    for pair, n_wanted, round_ in _wishes(ids):
        is_open = round_.state == Round.State.OPEN
        standings.setdefault(
            pair,
            Standing(
                grades=grades[pair],
                seats=seats[pair],
                round=round_ if is_open else None,
                n_wanted=n_wanted if is_open else 0,
                policy=round_.policy,
                escalated=pair in escalated,
            ),
        )
    return standings


def _wishes(ids: list[int]) -> list[tuple[int, int, Round]]:
    """What each round wants of each pair: open rounds first, the most demanding of them, then the newest."""
    wanted = RoundPair.objects.filter(pair__in=ids, round__kind__in=[Round.Kind.POOL, Round.Kind.IMPORT])
    rows = list(wanted.values_list("pair_id", "n_wanted", "round_id"))
    # One object a round, not one a row: a large pool is one round.
    rounds = Round.objects.select_related("policy", "collection").in_bulk({round_id for _, _, round_id in rows})
    wishes = [(pair, n_wanted, rounds[round_id]) for pair, n_wanted, round_id in rows]
    return sorted(wishes, key=lambda wish: (wish[2].state != Round.State.OPEN, -wish[1], -wish[2].pk))


def _escalated(ids: list[int]) -> set[int]:
    """Pairs with an open escalation, or that too many people could not judge."""
    people: dict[int, set[int]] = defaultdict(set)
    escalated = set()
    reports = Report.objects.filter(pair__in=ids, settled_at=None)
    for pair, kind, annotator in reports.values_list("pair_id", "kind", "annotator_id"):
        if kind == Report.Kind.ESCALATED:
            escalated.add(pair)
        people[pair].add(annotator)
    return escalated | {pair for pair, who in people.items() if len(who) >= CANNOT_JUDGE_LIMIT}


def label_policy(policy: Policy) -> labels.LabelPolicy:
    """The part of a policy version that core/labels.py decides with."""
    return labels.LabelPolicy(
        labels_per_pair=policy.labels_per_pair,
        ceiling=policy.ceiling,
        tolerance=policy.tolerance,
        rule=policy.rule,
        tie=policy.tie,
    )


def _plan_seats(pair: Pair, standing: Standing, changes: Plan) -> None:
    """Sort one pair's free seats into kept, freed, withdrawn and new ones."""
    needed = labels.n_needed(
        standing.grades, n_wanted=standing.n_wanted, policy=label_policy(standing.policy)
    )
    n_held = sum(seat.state == Seat.State.HELD for seat in standing.seats)
    n_free = 0 if standing.escalated else max(0, needed - len(standing.grades) - n_held)
    spare = [
        seat
        for seat in standing.seats
        if seat.annotator_id is None and seat.state in (Seat.State.FREE, Seat.State.WITHDRAWN)
    ]
    spare.sort(key=lambda seat: (seat.state != Seat.State.FREE, seat.number))
    for seat in spare[:n_free]:
        if seat.state != Seat.State.FREE or seat.round_id != standing.round.pk:
            seat.round = standing.round
            changes.freed.append(seat)
    changes.withdrawn.extend(seat for seat in spare[n_free:] if seat.state == Seat.State.FREE)
    for seat in standing.seats:
        if seat.state == Seat.State.HELD and standing.round and seat.round_id != standing.round.pk:
            seat.round = standing.round
            changes.moved.append(seat)
    last = max((seat.number for seat in standing.seats), default=0)
    for number in range(last + 1, last + 1 + n_free - min(n_free, len(spare))):
        changes.new.append(_new_seat(pair, standing, number))


def _new_seat(pair: Pair, standing: Standing, number: int) -> Seat:
    policy = standing.policy
    key = bytes(standing.round.collection.key)
    place = ordering.queue_key(
        key, query=pair.query_id, pair=pair.pk, number=number, grouped=policy.grouped
    )
    return Seat(
        collection_id=pair.collection_id,
        round=standing.round,
        pair=pair,
        purpose=Seat.Purpose.LABEL,
        number=number,
        why=_why(standing, number),
        queue_key=place,
    )


def _why(standing: Standing, number: int) -> Seat.Why:
    """Why a seat is wanted: stored, since third labels asked for on disagreement lift alpha a little."""
    lost = sum(
        seat.state == Seat.State.WITHDRAWN and seat.annotator_id is not None
        for seat in standing.seats
    )
    if number > standing.n_wanted + lost:
        return Seat.Why.DISAGREEMENT
    if lost:
        return Seat.Why.TOP_UP
    return Seat.Why.FIRST if number <= standing.policy.labels_per_pair else Seat.Why.DOUBLE


def _write_seats(changes: Plan) -> None:
    Seat.objects.bulk_create(changes.new, batch_size=CHUNK)
    # Only what is still as it was read: somebody may have claimed a seat since, or given it back.
    for round_id, seats in _by_round(changes.freed).items():
        Seat.objects.filter(pk__in=seats, annotator=None).update(state=Seat.State.FREE, round_id=round_id)
    for round_id, seats in _by_round(changes.moved).items():
        Seat.objects.filter(pk__in=seats, state=Seat.State.HELD).update(round_id=round_id)
    withdrawn = Seat.objects.filter(pk__in=[seat.pk for seat in changes.withdrawn], state=Seat.State.FREE)
    withdrawn.update(state=Seat.State.WITHDRAWN)


def _by_round(seats: Iterable[Seat]) -> dict[int, list[int]]:
    grouped: dict[int, list[int]] = defaultdict(list)
    for seat in seats:
        grouped[seat.round_id].append(seat.pk)
    return grouped


def _resolution(pair: Pair, standing: Standing) -> Resolution | None:
    decision = labels.decide(standing.grades, label_policy(standing.policy))
    if standing.escalated:
        decision = labels.Decision("escalated", None, len(standing.grades))
    if decision is None:
        return None
    return Resolution(
        pair=pair,
        collection_id=pair.collection_id,
        status=decision.status,
        grade=decision.grade,
        n_labels=decision.n_labels,
        policy=standing.policy,
    )


def _write_resolutions(resolutions: list[Resolution], unresolved: list[int]) -> None:
    Resolution.objects.bulk_create(
        resolutions,
        update_conflicts=True,
        unique_fields=["pair"],
        update_fields=["status", "grade", "n_labels", "policy"],
        batch_size=CHUNK,
    )
    Resolution.objects.filter(pair__in=unresolved).delete()


def lock_annotator(annotator_id: int) -> None:
    """Let one person's tabs take turns until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(1, %s)", [annotator_id])
