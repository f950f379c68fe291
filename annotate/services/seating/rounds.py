"""Rounds opened, closed, and opened again: at once for a few pairs, in stretches for half a million.

A round that is being opened wants its pairs but hands out none of them; one that is being closed hands out no more.
So both may take their time: pairs are gone through in blocks, each a short transaction of its own that no annotator
waits for, and who is killed half-way goes through them again.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from annotate.core import ordering
from annotate.models import ClockTimestamp, Collection, PairExclusion, Policy, Round, RoundPair
from annotate.services.copying import BLOCK, blocks, copy_rows, stretches
from annotate.services.seating.plain import seat_fresh, seat_new, seat_plain, withdraw_plain
from annotate.services.seating.reconciling import note_changes, reconcile_pairs
from annotate.services.statistics import learn_growth, learn_sizes

Told = Callable[[int], None]  # told of so many more rows done; may raise to stop


class RoundExists(Exception):
    """The collection already has a round of this kind and name; nothing was created."""


class Wanted(NamedTuple):
    """A round that is being opened, and its pairs that have no seats of it yet since others may be at them."""

    round: Round
    rest: NDArray[np.int64]


def nobody(n: int) -> None:
    """Tell nobody."""


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
    """Make a round that wants labels of these pairs, doubles chosen, seats free to be claimed; in one transaction.

    Raises RoundExists when the name is taken. Opening with 0 pairs is allowed.
    """
    wanted = want_pairs(
        collection=collection, kind=kind, name=name, policy=policy, pair_ids=pair_ids, priority=priority
    )
    finish_opening(round_=wanted.round, pairs=wanted.rest)
    return wanted.round


@transaction.atomic
def want_pairs(
    *,
    collection: Collection,
    kind: Round.Kind,
    name: str,
    policy: Policy,
    pair_ids: Iterable[int],
    priority: int = 0,
    fresh: NDArray[np.int64] | None = None,
    told: Told = nobody,
) -> Wanted:
    """Make a round that is being opened: all its pairs, and the seats of those that nobody else is at.

    An exact share of the pairs is doubled. Nothing is handed out before `finish_opening`; until the transaction ends
    nothing is seen. Raises RoundExists.

    fresh : those of the pairs that this very transaction made
    told : of two rows a pair
    """
    round_, created = Round.objects.get_or_create(
        collection=collection,
        kind=kind,
        name=name,
        defaults={"policy": policy, "priority": priority, "state": Round.State.OPENING},
    )
    if not created:
        raise RoundExists(f'Round "{name}" already exists in this collection; choose another name.')
    pairs = np.unique(np.fromiter(pair_ids, dtype=np.int64))
    doubles = ordering.choose_doubles(pairs.tolist(), share=policy.double_share, key=bytes(collection.key))
    n_wanted = policy.labels_per_pair + np.isin(pairs, list(doubles)).astype(np.int64)
    is_fresh = np.isin(pairs, [] if fresh is None else fresh)
    rest = []
    for block in blocks(len(pairs)):
        some, new = pairs[block], is_fresh[block]
        copy_rows("annotate_roundpair", {"round_id": str(round_.pk), "pair_id": some, "n_wanted": n_wanted[block]})
        _drop_excluded(round_, some)
        told(len(some))
        seat_fresh(round_=round_, pairs=some[new], n_wanted=n_wanted[block][new])
        rest.append(seat_new(round_=round_, pairs=some[~new]))
        told(len(some))
    learn_growth(annotate_roundpair=len(pairs), annotate_seat=len(pairs))
    return Wanted(round_, np.concatenate(rest) if rest else pairs)


def _drop_excluded(round_: Round, pairs: NDArray[np.int64]) -> None:
    """What a lead left out is wanted by no new round."""
    # Asked first: as one UPDATE it looked for exclusions once for each row of the round, 3 to 4 s a block.
    excluded = list(PairExclusion.objects.filter(pair__in=pairs.tolist()).values_list("pair", flat=True))
    if excluded:
        RoundPair.objects.filter(round=round_, pair__in=excluded).update(dropped_at=ClockTimestamp())


def finish_opening(*, round_: Round, pairs: NDArray[np.int64] | None = None, told: Told = nobody) -> None:
    """Give the pairs of a round that is being opened their free seats, then let it hand them out.

    pairs : those that may miss seats; default: all. told : of one row a pair. Safe to run again after being killed.
    """
    for block in _blocks(round_, pairs):
        with transaction.atomic(savepoint=False):
            rest = seat_plain(round_=round_, pairs=block)
            reconcile_pairs(pair_ids=rest.tolist())
        told(len(block))
    _turn(round_, Round.State.OPENING, Round.State.OPEN)


def begin_closing(*, round_: Round) -> None:
    """From now on hand out nothing more of an open round; to be followed by `finish_closing`."""
    _turn(round_, Round.State.OPEN, Round.State.CLOSING, closed_at=ClockTimestamp())


def finish_closing(*, round_: Round, told: Told = nobody) -> None:
    """Withdraw a closing round's free seats; held seats are left to finish, judgments stay.

    told : of one row a pair. Safe to run again after being killed.
    """
    # All pairs, also those without a free seat: an answer that began before may be asking for one more label.
    for block in _blocks(round_, None):
        with transaction.atomic(savepoint=False):
            shared = withdraw_plain(round_=round_, pairs=block)
            reconcile_pairs(pair_ids=shared.tolist())
        told(len(block))
    _turn(round_, Round.State.CLOSING, Round.State.CLOSED)


def begin_reopening(*, round_: Round) -> None:
    """Want the missing labels of a closed round again; to be followed by `finish_opening`."""
    _turn(round_, Round.State.CLOSED, Round.State.OPENING, closed_at=None)


@transaction.atomic
def close_round(*, round_: Round) -> None:
    """Close an open round in one transaction."""
    begin_closing(round_=round_)
    finish_closing(round_=round_)


@transaction.atomic
def reopen_round(*, round_: Round) -> None:
    """Open a closed round again in one transaction; withdrawn free seats come back."""
    begin_reopening(round_=round_)
    finish_opening(round_=round_)


def _blocks(round_: Round, pairs: NDArray[np.int64] | None) -> Iterator[NDArray[np.int64]]:
    if pairs is None:
        rows = round_.round_pairs.order_by("pair_id").values_list("pair_id", flat=True)
        pairs = np.fromiter(rows.iterator(chunk_size=BLOCK), dtype=np.int64)
    learn_sizes(annotate_pair=len(pairs), annotate_roundpair=len(pairs), annotate_seat=len(pairs))
    return (pairs[stretch] for stretch in stretches(len(pairs)))


@transaction.atomic
def _turn(round_: Round, before: Round.State, after: Round.State, **fields: object) -> None:
    """Let the round be in another state, and the numbers follow: progress counts its seats."""
    Round.objects.filter(pk=round_.pk, state=before).update(state=after, **fields)
    round_.refresh_from_db()
    note_changes(collection_id=round_.collection_id, pair_ids=[None])
