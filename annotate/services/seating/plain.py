"""The plain cases of reconciling, many pairs of one round at once.

Most pairs of a large round are named by no other, and nobody has been handed, has judged or reported them: what `plan`
says of those is known beforehand, and written by a few statements. All others are left to `reconcile_pairs`.
Call these in a transaction; they lock the pairs.
"""

from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core import labels, ordering
from annotate.models import Round, Seat
from annotate.services.copying import copy_rows
from annotate.services.seating.plan import label_policy, runs_of_a_query

Keys = NDArray[np.int64]

_LOCK = """
    SELECT count(*) FROM (SELECT FROM annotate_pair WHERE id = ANY(%(pairs)s) ORDER BY id FOR NO KEY UPDATE) locked
"""
_SHARED = """
    SELECT plain.pair FROM unnest(%(pairs)s::bigint[]) AS plain(pair)
    WHERE EXISTS (SELECT FROM annotate_roundpair WHERE pair_id = plain.pair AND round_id <> %(round)s OFFSET 0)
    ORDER BY plain.pair
"""
# The keys lead, and each subquery is an aggregate or ends in OFFSET 0, so that it is run once a key by the index of the
# pair, whatever the planner believes. Left to it, where statistics did not know the round or took the table for empty,
# a block read all rows of the round, of all free seats or of the whole table, and opening again did not end.
# A pair that may be a gold is not plain either: its row is a person's lock, not to be held for long.
_UNTOUCHED = """
    SELECT plain.pair, (SELECT pair.query_id FROM annotate_pair pair WHERE pair.id = plain.pair),
           wish.n_wanted, seats.n, seats.n_free, seats.n_spare
    FROM unnest(%(pairs)s::bigint[]) AS plain(pair)
    CROSS JOIN LATERAL (
        SELECT count(*) AS n_rounds,
               max(wish.n_wanted) FILTER (WHERE wish.round_id = %(round)s AND wish.dropped_at IS NULL) AS n_wanted
        FROM annotate_roundpair wish WHERE wish.pair_id = plain.pair) wish
    CROSS JOIN LATERAL (
        SELECT count(*) AS n,
               count(*) FILTER (WHERE seat.state = 'free' AND seat.round_id = %(round)s) AS n_free,
               count(*) FILTER (WHERE seat.state = 'withdrawn' AND seat.round_id = %(round)s
                                AND seat.purpose = 'label' AND seat.annotator_id IS NULL) AS n_spare
        FROM annotate_seat seat WHERE seat.pair_id = plain.pair) seats
    WHERE wish.n_rounds = 1 AND wish.n_wanted IS NOT NULL
      AND (SELECT count(*) FILTER (WHERE report.state = 'open')
           FROM annotate_report report WHERE report.pair_id = plain.pair) = 0
      AND NOT EXISTS (SELECT FROM annotate_resolution said WHERE said.pair_id = plain.pair OFFSET 0)
      AND NOT EXISTS (SELECT FROM annotate_gold gold WHERE gold.pair_id = plain.pair OFFSET 0)
    ORDER BY plain.pair
"""
_QUERIES = "SELECT query_id FROM annotate_pair WHERE id = ANY(%(pairs)s) ORDER BY id"
_SEATS_OF = """
    SELECT seat.id FROM unnest(%(pairs)s::bigint[]) AS plain(pair)
    CROSS JOIN LATERAL (
        SELECT seat.id, seat.purpose, seat.state, seat.annotator_id
        FROM annotate_seat seat WHERE seat.pair_id = plain.pair OFFSET 0) seat
    WHERE seat.purpose = 'label'
"""
# lower(): the state is looked at once more, since somebody may have claimed the seat meanwhile, but no index of free
# seats offers itself, whose whole queue would be read once a block.
_BRING_BACK = f"""
    UPDATE annotate_seat SET state = 'free'
    WHERE lower(state) = 'withdrawn'
      AND id = ANY(ARRAY({_SEATS_OF} AND seat.state = 'withdrawn' AND seat.annotator_id IS NULL))
"""  # noqa: S608 - own text
_WITHDRAW = f"""
    UPDATE annotate_seat SET state = 'withdrawn'
    WHERE lower(state) = 'free' AND id = ANY(ARRAY({_SEATS_OF} AND seat.state = 'free'))
"""  # noqa: S608 - own text
# Who waits for a label that nobody is asked for any more is disputed.
_DISPUTE = """
    UPDATE annotate_resolution SET status = 'disputed' WHERE pair_id = ANY(%(pairs)s) AND status = 'waiting'
"""


class Untouched(NamedTuple):
    """Pairs of a round that concern nobody else, (N,) each: their seats in all, free, and withdrawn from nobody."""

    pair: Keys
    query: Keys
    n_wanted: Keys
    n_seats: Keys
    n_free: Keys
    n_spare: Keys


def seat_plain(*, round_: Round, pairs: Keys) -> Keys:
    """Let pairs of a round that wants them have their free seats where that is plain; returns the others."""
    lock_pairs(pairs)
    # After the lock, and in a statement of its own: what somebody committed meanwhile must be seen.
    found = _untouched(round_, pairs)
    n_first = _n_first(round_, found.n_wanted)
    is_new = found.n_seats == 0
    is_spare = (found.n_spare == found.n_seats) & (found.n_spare == n_first)
    is_right = (found.n_free == found.n_seats) & (found.n_free == n_first)
    _make(round_, found.pair[is_new], found.query[is_new], n_first[is_new])
    _run(_BRING_BACK, pairs=found.pair[is_spare].tolist())
    return np.setdiff1d(pairs, found.pair[is_new | is_spare | is_right])


def seat_fresh(*, round_: Round, pairs: Keys, n_wanted: Keys) -> None:
    """Give pairs that this transaction made their seats: nobody else can be at them. Ascending keys."""
    (query,) = _columns(_QUERIES, 1, pairs=pairs.tolist())
    _make(round_, pairs, query, _n_first(round_, n_wanted))


def seat_new(*, round_: Round, pairs: Keys) -> Keys:
    """As `seat_plain` in a long transaction: no pair is locked that an annotator may be at."""
    found = _untouched(round_, pairs).pair
    rest = seat_plain(round_=round_, pairs=found)
    return np.setdiff1d(pairs, np.setdiff1d(found, rest))


def withdraw_plain(*, round_: Round, pairs: Keys) -> Keys:
    """Withdraw the free seats of a closing round's pairs that no other round names; returns the others."""
    lock_pairs(pairs)
    (shared,) = _columns(_SHARED, 1, round=round_.pk, pairs=pairs.tolist())
    own = np.setdiff1d(pairs, shared).tolist()
    _run(_WITHDRAW, pairs=own)
    _run(_DISPUTE, pairs=own)
    return shared


def lock_pairs(pairs: Keys) -> None:
    """Keep others from these pairs until the transaction ends, in the order in which everybody does."""
    _run(_LOCK, pairs=pairs.tolist())


def _untouched(round_: Round, pairs: Keys) -> Untouched:
    return Untouched(*_columns(_UNTOUCHED, 6, round=round_.pk, pairs=pairs.tolist()))


def _n_first(round_: Round, n_wanted: Keys) -> Keys:
    """(N,) the seats that pairs get before anybody has answered, by the labels wanted of each."""
    policy = label_policy(round_.policy)
    kinds, which = np.unique(n_wanted, return_inverse=True)
    first = [labels.n_first(n, policy) for n in kinds.tolist()]
    return np.array(first, dtype=np.int64)[which] if first else n_wanted


def _make(round_: Round, pair: Keys, query: Keys, n_seats: Keys) -> None:
    """The first seats of pairs: as many as are asked for at first, planned doubles last."""
    policy, key, n_runs = round_.policy, bytes(round_.collection.key), runs_of_a_query(round_.policy)
    if not len(pair):
        return
    single = labels.n_first(policy.labels_per_pair, label_policy(policy))
    pairs = np.repeat(pair, n_seats)
    queries = np.repeat(query, n_seats).tolist()
    numbers = np.arange(len(pairs)) - np.repeat(np.cumsum(n_seats) - n_seats, n_seats) + 1
    rows = zip(pairs.tolist(), queries, numbers.tolist(), strict=True)
    places = [
        ordering.queue_key(key, query=query, pair=pair, number=number, grouped=policy.grouped, n_runs=n_runs)
        for pair, query, number in rows
    ]
    copy_rows(
        "annotate_seat",
        {
            "collection_id": str(round_.collection_id),
            "round_id": str(round_.pk),
            "pair_id": pairs,
            "purpose": str(Seat.Purpose.LABEL),
            "number": numbers,
            "why": np.where(numbers <= single, str(Seat.Why.FIRST), str(Seat.Why.DOUBLE)).tolist(),
            "state": str(Seat.State.FREE),
            "queue_key": np.array(places, dtype=np.int64),
        },
    )


def _columns(query: str, n: int, **parameters: object) -> Keys:
    """The n columns of a query's rows."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, n).T


def _run(statement: str, **parameters: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
