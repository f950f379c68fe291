"""What a pair's seats and resolution should be: a pure function of what stands for it; reads alone."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core import labels, ordering
from annotate.models import Pair, Policy, Resolution, Seat
from annotate.services.seating.standings import Standing, standings_of


class Plan(NamedTuple):
    """What has to be written so that seats and resolutions are what they should be.

    new, freed, withdrawn : seats to make, to free (again, in another round, or for another reason), to withdraw
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


def plan(*, pairs: Sequence[Pair]) -> Plan:
    """What reconciling these pairs writes; reads alone, so that a check can ask whether anything is missing."""
    standings = standings_of([pair.pk for pair in pairs])
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


def n_missing(*, pair_ids: Sequence[int]) -> dict[int, int]:
    """How many more labels each pair should have by what its rounds ask, closed ones too; those that miss some alone.

    Labels that somebody is about to give are missing still.
    """
    standings = standings_of(list(pair_ids))
    missing = {pair: _n_missing(standing, standing.n_asked) for pair, standing in standings.items()}
    return {pair: n for pair, n in missing.items() if n}


def _n_missing(standing: Standing, n_wanted: int) -> int:
    """How many more labels a pair should have where so many are wanted."""
    policy = label_policy(standing.policy)
    return labels.n_needed(standing.grades, n_wanted=n_wanted, policy=policy) - len(standing.grades)


def _has_all(standing: Standing) -> bool:
    """Whether a pair has the labels that open rounds want; where none wants it, those that closed ones did."""
    return _n_missing(standing, standing.n_wanted or standing.n_asked) == 0


def label_policy(policy: Policy) -> labels.LabelPolicy:
    """The part of a policy version that core/labels.py decides with."""
    return labels.LabelPolicy(
        labels_per_pair=policy.labels_per_pair,
        ceiling=policy.ceiling,
        tolerance=policy.tolerance,
        rule=policy.rule,
        tie=policy.tie,
        stop_early=policy.stop_early,
    )


def runs_of_a_query(policy: Policy) -> int:
    """Into how many runs a query's seats are parted in the queue: as many as a pair may have seats before an answer."""
    return labels.n_first(policy.labels_per_pair, label_policy(policy)) + (policy.double_share > 0)


def _plan_seats(pair: Pair, standing: Standing, changes: Plan) -> None:
    """Sort one pair's free seats into kept, freed, withdrawn and new ones."""
    needed = labels.n_needed(standing.grades, n_wanted=standing.n_wanted, policy=label_policy(standing.policy))
    n_held = sum(seat.state == Seat.State.HELD for seat in standing.seats)
    n_free = (
        0 if standing.escalated or standing.adjudicated is not None else max(0, needed - len(standing.grades) - n_held)
    )
    spare = [
        seat
        for seat in standing.seats
        if seat.annotator_id is None and seat.state in (Seat.State.FREE, Seat.State.WITHDRAWN)
    ]
    spare.sort(key=lambda seat: (seat.state != Seat.State.FREE, seat.number))
    place = len(standing.grades) + n_held
    for seat in spare[:n_free]:
        place += 1
        why = _why(standing, place)
        # What was planned once may be asked for now because labels differ; it is not planned again afterwards.
        is_late = why == Seat.Why.DISAGREEMENT != seat.why
        if seat.state != Seat.State.FREE or seat.round_id != standing.round.pk or is_late:
            seat.round = standing.round
            seat.why = why if is_late else seat.why
            changes.freed.append(seat)
    changes.withdrawn.extend(seat for seat in spare[n_free:] if seat.state == Seat.State.FREE)
    for seat in standing.seats:
        if seat.state == Seat.State.HELD and standing.round and seat.round_id != standing.round.pk:
            seat.round = standing.round
            changes.moved.append(seat)
    last = max((seat.number for seat in standing.seats), default=0)
    for number in range(last + 1, last + 1 + n_free - min(n_free, len(spare))):
        place += 1
        changes.new.append(_new_seat(pair, standing, number, _why(standing, place)))


def _new_seat(pair: Pair, standing: Standing, number: int, why: Seat.Why) -> Seat:
    policy = standing.policy
    key = bytes(standing.round.collection.key)
    place = ordering.queue_key(
        key, query=pair.query_id, pair=pair.pk, number=number, grouped=policy.grouped, n_runs=runs_of_a_query(policy)
    )
    return Seat(
        collection_id=pair.collection_id,
        round=standing.round,
        pair=pair,
        purpose=Seat.Purpose.LABEL,
        number=number,
        why=why,
        queue_key=place,
    )


def _why(standing: Standing, place: int) -> Seat.Why:
    """Why a seat is wanted: stored, since labels asked for on disagreement are left out of the headline alpha.

    place : the seat's among the pair's labels, imported ones too, and the seats that may still bring one; from 1
    """
    policy = label_policy(standing.policy)
    if place > labels.n_first(standing.n_wanted, policy):
        return Seat.Why.DISAGREEMENT
    if any(seat.state == Seat.State.WITHDRAWN and seat.annotator_id is not None for seat in standing.seats):
        return Seat.Why.TOP_UP
    return Seat.Why.FIRST if place <= labels.n_first(policy.labels_per_pair, policy) else Seat.Why.DOUBLE


def _asks_for_more(standing: Standing, policy: labels.LabelPolicy) -> bool:
    """Whether people are still to settle what is disputed; a model settles it with the labels there are."""
    n_needed = labels.n_needed(standing.grades, n_wanted=standing.n_wanted, policy=policy)
    return policy.rule != labels.MODEL and n_needed > len(standing.grades)


def _resolution(pair: Pair, standing: Standing) -> Resolution | None:
    policy = label_policy(standing.policy)
    decision = labels.decide(standing.grades, policy, modelled=standing.modelled)
    if decision is not None and decision.status == Resolution.Status.DISPUTED and _asks_for_more(standing, policy):
        decision = decision._replace(status=Resolution.Status.WAITING)  # a lead is asked last
    if standing.escalated:
        decision = labels.Decision("escalated", None, len(standing.grades))
    if standing.adjudicated is not None:
        decision = labels.Decision("adjudicated", standing.adjudicated, len(standing.grades))
    if decision is None or standing.excluded:
        return None
    return Resolution(
        pair=pair,
        collection_id=pair.collection_id,
        status=decision.status,
        grade=decision.grade,
        n_labels=decision.n_labels,
        is_complete=standing.adjudicated is not None or _has_all(standing),
        policy=standing.policy,
    )
