"""The seats and resolution a pair should have: a pure function of its evidence; reads alone."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.labels import keyed_choices, resolving
from annotate.models import Pair, Policy, Resolution, Seat
from annotate.services.seating.evidence import PairEvidence, read_evidence


class SeatPlan(NamedTuple):
    """Everything to write so that seats and resolutions become what they should be.

    new_seats, seats_to_withdraw : seats to make, to withdraw
    seats_to_free : seats to free (again, in another round, or for another reason)
    seats_to_move : held seats that go on in another round: once they lapse, only an open round's
        queue gives them out
    resolutions : the resolution of each pair that has one, changed or not
    unresolved_pairs : pairs that have none
    """

    new_seats: list[Seat]
    seats_to_free: list[Seat]
    seats_to_withdraw: list[Seat]
    seats_to_move: list[Seat]
    resolutions: list[Resolution]
    unresolved_pairs: list[int]


def plan(*, pairs: Sequence[Pair]) -> SeatPlan:
    """Return everything that reconciling these pairs writes; reads alone: a check can use it."""
    evidence_by_pair = read_evidence([pair.pk for pair in pairs])
    changes = SeatPlan([], [], [], [], [], [])
    for pair in pairs:
        evidence = evidence_by_pair.get(pair.pk)
        if evidence is None:
            continue
        _plan_seats(pair, evidence, changes)
        resolution = _resolution(pair, evidence)
        if resolution is None:
            changes.unresolved_pairs.append(pair.pk)
        else:
            changes.resolutions.append(resolution)
    return changes


def n_missing(*, pair_ids: Sequence[int]) -> dict[int, int]:
    """Return how many labels each pair misses of those its rounds ask for, closed ones too.

    Pairs that miss none are left out. Labels that somebody is about to give are missing still.
    """
    evidence_by_pair = read_evidence(list(pair_ids))
    n_missing_by_pair = {
        pair: _n_missing(evidence, evidence.n_asked) for pair, evidence in evidence_by_pair.items()
    }
    return {pair: n for pair, n in n_missing_by_pair.items() if n}


def _n_missing(evidence: PairEvidence, n_wanted: int) -> int:
    """Return how many more labels a pair should have where so many are wanted."""
    policy = label_policy(evidence.policy)
    return resolving.n_needed(evidence.grades, n_wanted=n_wanted, policy=policy) - len(
        evidence.grades
    )


def label_policy(policy: Policy) -> resolving.LabelPolicy:
    """Return the part of a policy version that core.labels.resolving decides with."""
    return resolving.LabelPolicy(
        labels_per_pair=policy.labels_per_pair,
        ceiling=policy.ceiling,
        tolerance=policy.tolerance,
        rule=policy.rule,
        tie=policy.tie,
        stop_early=policy.stop_early,
    )


def runs_of_a_query(policy: Policy) -> int:
    """Return how many runs a query's seats form in the queue: a pair's most first seats."""
    return resolving.n_first(policy.labels_per_pair, label_policy(policy)) + (
        policy.double_share > 0
    )


def _plan_seats(pair: Pair, evidence: PairEvidence, changes: SeatPlan) -> None:
    """Sort one pair's free seats into unchanged, freed, withdrawn and new ones."""
    n_needed = resolving.n_needed(
        evidence.grades, n_wanted=evidence.n_wanted, policy=label_policy(evidence.policy)
    )
    n_held = sum(seat.state == Seat.State.HELD for seat in evidence.seats)
    n_free = (
        0
        if evidence.is_escalated or evidence.adjudicated_grade is not None
        else max(0, n_needed - len(evidence.grades) - n_held)
    )
    spare = [
        seat
        for seat in evidence.seats
        if seat.annotator_id is None and seat.state in (Seat.State.FREE, Seat.State.WITHDRAWN)
    ]
    spare.sort(key=lambda seat: (seat.state != Seat.State.FREE, seat.number))
    position = len(evidence.grades) + n_held
    for seat in spare[:n_free]:
        position += 1
        why = _why(evidence, position)
        # A planned seat may be wanted now because labels differ; it is not planned again later.
        is_late = why == Seat.Why.DISAGREEMENT != seat.why
        if seat.state != Seat.State.FREE or seat.round_id != evidence.open_round.pk or is_late:
            seat.round = evidence.open_round
            seat.why = why if is_late else seat.why
            changes.seats_to_free.append(seat)
    changes.seats_to_withdraw.extend(
        seat for seat in spare[n_free:] if seat.state == Seat.State.FREE
    )
    for seat in evidence.seats:
        if seat.state == Seat.State.HELD and evidence.round and seat.round_id != evidence.round.pk:
            seat.round = evidence.round
            changes.seats_to_move.append(seat)
    last_number = max((seat.number for seat in evidence.seats), default=0)
    for number in range(last_number + 1, last_number + 1 + n_free - min(n_free, len(spare))):
        position += 1
        changes.new_seats.append(_new_seat(pair, evidence, number, _why(evidence, position)))


def _new_seat(pair: Pair, evidence: PairEvidence, number: int, why: Seat.Why) -> Seat:
    policy = evidence.policy
    key = bytes(evidence.open_round.collection.key)
    queue_key = keyed_choices.queue_key(
        key,
        query=pair.query_id,
        pair=pair.pk,
        number=number,
        grouped=policy.grouped,
        n_runs=runs_of_a_query(policy),
    )
    return Seat(
        collection_id=pair.collection_id,
        round=evidence.round,
        pair=pair,
        purpose=Seat.Purpose.LABEL,
        number=number,
        why=why,
        queue_key=queue_key,
    )


def _why(evidence: PairEvidence, position: int) -> Seat.Why:
    """Return why a seat is wanted.

    It is stored, since labels wanted on disagreement are left out of the headline alpha.

    position : the seat's among the pair's labels, imported ones too, and its open seats; from 1
    """
    policy = label_policy(evidence.policy)
    if position > resolving.n_first(evidence.n_wanted, policy):
        return Seat.Why.DISAGREEMENT
    if any(
        seat.state == Seat.State.WITHDRAWN and seat.annotator_id is not None
        for seat in evidence.seats
    ):
        return Seat.Why.TOP_UP
    return (
        Seat.Why.FIRST
        if position <= resolving.n_first(policy.labels_per_pair, policy)
        else Seat.Why.DOUBLE
    )


def _resolution(pair: Pair, evidence: PairEvidence) -> Resolution | None:
    policy = label_policy(evidence.policy)
    decision = resolving.decide(evidence.grades, policy, model_grade=evidence.model_grade)
    if (
        decision is not None
        and decision.status == Resolution.Status.DISPUTED
        and policy.rule != resolving.MODEL  # a model settles it with the labels there are
        and resolving.n_needed(evidence.grades, n_wanted=evidence.n_wanted, policy=policy)
        > len(evidence.grades)
    ):
        decision = decision._replace(status=Resolution.Status.WAITING)  # a lead is asked last
    if evidence.is_escalated:
        decision = resolving.Decision("escalated", None, len(evidence.grades))
    if evidence.adjudicated_grade is not None:
        decision = resolving.Decision(
            "adjudicated", evidence.adjudicated_grade, len(evidence.grades)
        )
    if decision is None or evidence.is_excluded:
        return None
    # the labels that open rounds want, or closed ones if no open one does
    n_wanted = evidence.n_wanted or evidence.n_asked
    return Resolution(
        pair=pair,
        collection_id=pair.collection_id,
        status=decision.status,
        grade=decision.grade,
        n_labels=decision.n_labels,
        is_complete=evidence.adjudicated_grade is not None or _n_missing(evidence, n_wanted) == 0,
        policy=evidence.policy,
    )
