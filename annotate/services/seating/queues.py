"""Queues of free seats, and a person's walk through them.

A walk enters each open round's queue at a random key, so that a hundred people do not contend for
its head, and locks the seats it takes with SKIP LOCKED. Leases run on the database's clock alone.
"""

import secrets
from collections.abc import Iterable, Iterator
from math import ceil, floor
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotate.models import Annotator, Round, Seat
from annotate.services.seating.eligibility import CLAIMABLE, never_met
from annotate.statements import prepared_cursor

_NEXT_SEATS = f"""
    SELECT seat.id, seat.pair_id, pair.query_id, seat.queue_key
    FROM annotate_seat seat JOIN annotate_pair pair ON pair.id = seat.pair_id
    WHERE seat.round_id = %(round)s AND seat.purpose = 'label' AND seat.state IN ('free', 'held')
      AND {CLAIMABLE}
      AND seat.queue_key >= %(start)s AND seat.queue_key < %(stop)s
      AND {never_met("%(annotator)s")}
    ORDER BY seat.queue_key LIMIT %(limit)s
    FOR UPDATE OF seat SKIP LOCKED
"""  # noqa: S608 - own words
_HOLD = """
    UPDATE annotate_seat SET state = 'held', annotator_id = %(annotator)s,
           leased_until = clock_timestamp() + make_interval(mins => %(minutes)s)
    WHERE id = ANY(%(seats)s)
"""
_QUEUE_END = 2**63 - 1
_FRONT = -(2**63)


class ClaimedSeat(NamedTuple):
    """A seat claimed from a queue, with its pair and query."""

    seat: int
    pair: int
    query: int


class _QueueRange(NamedTuple):
    """A part of one round's queue: keys from start on, before stop."""

    round: int
    start: int
    stop: int


class Walk:
    """One person's walk through the queues of open rounds by priority; it goes on where it stopped.

    rounds : the open rounds with their policies, in the order they are served
    taken : the seats locked so far by pair, one seat a pair
    """

    def __init__(self, annotator: Annotator) -> None:
        self.annotator = annotator
        rows = list(
            open_rounds(collection_id=annotator.collection_id)
            .select_related("policy")
            .annotate(has_front=_has_front())
        )
        self.rounds: list[Round] = list(rows)
        self.taken: dict[int, ClaimedSeat] = {}
        self._left = quotas(annotator=annotator, rounds=self.rounds)
        self._queue_ranges = [
            queue_range
            for round_ in rows
            for queue_range in _queue_ranges(round_.pk, has_front=round_.has_front)
        ]

    def take(self, n: int) -> None:
        """Lock seats until n are taken, or no more are left for this person."""
        while self._queue_ranges and len(self.taken) < n:
            queue_range = self._queue_ranges[0]
            n_missing = min(n - len(self.taken), self._left.get(queue_range.round, n))
            # No more than are missing: a seat locked but not taken would look taken to all others.
            if n_missing and (last := self._lock(queue_range, n_missing)) is not None:
                self._queue_ranges[0] = queue_range._replace(start=last + 1)
            else:
                self._queue_ranges.pop(0)

    def _lock(self, queue_range: _QueueRange, n: int) -> int | None:
        """Lock up to n seats of a range; return the last one's queue key, None if fewer."""
        with prepared_cursor() as cursor:
            cursor.execute(
                _NEXT_SEATS, {**queue_range._asdict(), "annotator": self.annotator.pk, "limit": n}
            )
            rows = cursor.fetchall()
        before = len(self.taken)
        for seat, pair, query, _ in rows:
            self.taken.setdefault(pair, ClaimedSeat(seat, pair, query))
        if queue_range.round in self._left:
            self._left[queue_range.round] -= len(self.taken) - before
        return rows[-1][3] if len(rows) == n else None


def open_rounds(*, collection_id: int) -> QuerySet[Round]:
    """Return the rounds that hand out seats, in the order they are served."""
    rounds = Round.objects.filter(
        collection=collection_id, kind=Round.Kind.POOL, state=Round.State.OPEN
    )
    return rounds.order_by("-priority", "pk")


def hold(*, annotator: Annotator, seats: Iterable[int], minutes: int) -> None:
    """Lease seats to a person from now on."""
    with prepared_cursor() as cursor:
        cursor.execute(_HOLD, {"annotator": annotator.pk, "minutes": minutes, "seats": list(seats)})


def quotas(*, annotator: Annotator, rounds: Iterable[Round]) -> dict[int, int]:
    """Return how many more pairs a person may judge in those of these rounds that limit her share.

    A share is rounded down, but never to 0.
    """
    shares = {
        round_.pk: round_.policy.max_share for round_ in rounds if round_.policy.max_share < 1
    }
    own_seats = Seat.objects.filter(
        annotator=annotator,
        round__in=shares,
        purpose=Seat.Purpose.LABEL,
        state__in=[Seat.State.HELD, Seat.State.DONE],
    )
    n_own_by_round = dict(own_seats.order_by().values_list("round").annotate(n=Count("pk")))
    return {
        round_id: _quota_left(round_id, float(share), n_own_by_round.get(round_id, 0))
        for round_id, share in shares.items()
    }


_AHEAD = 300  # seats: more than any batch has candidates


def _quota_left(round_id: int, share: float, n_hers: int) -> int:
    # Of half a million pairs no more are counted than the result depends on.
    n_enough = ceil((n_hers + _AHEAD) / share)
    n_pairs = Round.objects.get(pk=round_id).round_pairs.all()[:n_enough].count()
    return max(0, max(1, floor(share * n_pairs + 1e-9)) - n_hers)


def _has_front() -> Exists:
    """True where a live order put seats in front of a round's queue."""
    front = Seat.objects.filter(
        round=OuterRef("pk"),
        queue_key__lt=0,
        purpose=Seat.Purpose.LABEL,
        state__in=[Seat.State.FREE, Seat.State.HELD],
    )
    return Exists(front)


def _queue_ranges(round_id: int, *, has_front: bool) -> Iterator[_QueueRange]:
    """Yield the parts of a queue: seats put in front by a live order, then the rest."""
    entry = secrets.randbelow(_QUEUE_END)
    if has_front:
        yield _QueueRange(round_id, entry + _FRONT, 0)
        yield _QueueRange(round_id, _FRONT, entry + _FRONT)
    yield _QueueRange(round_id, entry, _QUEUE_END)
    yield _QueueRange(round_id, 0, entry)
