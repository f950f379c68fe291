"""Rounds opened, closed, and opened again: at once for few pairs, in stretches for many.

A round that is being opened wants its pairs but hands out none of them; one that is being closed
hands out no more. So both may take their time: pairs are gone through in blocks, each a short
transaction of its own that no annotator waits for, and a worker killed half-way starts over.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from annotate.core.labels import keyed_choices
from annotate.core.number_sets import distinct
from annotate.models import ClockTimestamp, Collection, PairExclusion, Policy, Round, RoundPair
from annotate.services.seating.bulk_seats import (
    seat_created_pairs,
    seat_pairs_of_new_round,
    seat_untouched_pairs,
    withdraw_unshared_seats,
)
from annotate.services.seating.reconciling import note_changes, reconcile_pairs
from annotate.services.storage.bulk_copy import BLOCK, blocks, copy_rows, stretches
from annotate.services.storage.planner_statistics import (
    analyse_grown_tables,
    analyse_underestimated_tables,
)

RowsCallback = Callable[[int], None]  # called with the number of rows just done; may raise to stop


class RoundExists(Exception):
    """The collection already has a round of this kind and name; nothing was created."""


class OpeningRound(NamedTuple):
    """A round being opened, and its pairs without seats yet, as others may be at them."""

    round: Round
    pairs_without_seats: NDArray[np.int64]


def ignore_rows(n: int) -> None:
    """Ignore the number of rows done: the default callback."""


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

    In one transaction. Raises RoundExists when the name is taken; 0 pairs are allowed.
    """
    opening = begin_opening(
        collection=collection,
        kind=kind,
        name=name,
        policy=policy,
        pair_ids=pair_ids,
        priority=priority,
    )
    finish_opening(round_=opening.round, pairs=opening.pairs_without_seats)
    return opening.round


@transaction.atomic
def begin_opening(
    *,
    collection: Collection,
    kind: Round.Kind,
    name: str,
    policy: Policy,
    pair_ids: Iterable[int],
    priority: int = 0,
    created_pairs: NDArray[np.int64] | None = None,
    on_rows: RowsCallback = ignore_rows,
) -> OpeningRound:
    """Make a round in the state opening: all its pairs, and seats for its untouched pairs.

    An exact share of the pairs is doubled. Nothing is handed out before `finish_opening`; until the
    transaction ends nothing is visible. Raises RoundExists.

    created_pairs : those of the pairs that this very transaction made
    on_rows : called twice per block, each time with the number of its pairs
    """
    round_, is_new_round = Round.objects.get_or_create(
        collection=collection,
        kind=kind,
        name=name,
        defaults={"policy": policy, "priority": priority, "state": Round.State.OPENING},
    )
    if not is_new_round:
        raise RoundExists(f'Round "{name}" already exists in this collection; choose another name.')
    pairs = distinct(np.fromiter(pair_ids, dtype=np.int64))
    doubles = keyed_choices.choose_doubles(
        pairs.tolist(), share=policy.double_share, key=bytes(collection.key)
    )
    n_wanted = policy.labels_per_pair + np.isin(pairs, list(doubles)).astype(np.int64)
    is_created = np.isin(pairs, [] if created_pairs is None else created_pairs)
    unseated_pairs = []
    for block in blocks(len(pairs)):
        block_pairs, is_new = pairs[block], is_created[block]
        copy_rows(
            "annotate_roundpair",
            {"round_id": str(round_.pk), "pair_id": block_pairs, "n_wanted": n_wanted[block]},
        )
        _drop_excluded(round_, block_pairs)
        on_rows(len(block_pairs))
        seat_created_pairs(
            round_=round_, pairs=block_pairs[is_new], n_wanted=n_wanted[block][is_new]
        )
        unseated_pairs.append(seat_pairs_of_new_round(round_=round_, pairs=block_pairs[~is_new]))
        on_rows(len(block_pairs))
    analyse_grown_tables(annotate_roundpair=len(pairs), annotate_seat=len(pairs))
    return OpeningRound(round_, np.concatenate(unseated_pairs) if unseated_pairs else pairs)


def _drop_excluded(round_: Round, pairs: NDArray[np.int64]) -> None:
    """Drop pairs that a lead excluded: no new round wants them."""
    # A query of its own: one UPDATE looked for exclusions once for each row, 3 to 4 s a block.
    excluded_pairs = list(
        PairExclusion.objects.filter(pair__in=pairs.tolist()).values_list("pair", flat=True)
    )
    if excluded_pairs:
        RoundPair.objects.filter(round=round_, pair__in=excluded_pairs).update(
            dropped_at=ClockTimestamp()
        )


def finish_opening(
    *, round_: Round, pairs: NDArray[np.int64] | None = None, on_rows: RowsCallback = ignore_rows
) -> None:
    """Give the pairs of a round that is being opened their free seats, then let it hand them out.

    Safe to run again after a kill.

    pairs : those that may miss seats; default: all
    on_rows : called with one row a pair
    """
    for block in _blocks(round_, pairs):
        with transaction.atomic(savepoint=False):
            other_pairs = seat_untouched_pairs(round_=round_, pairs=block)
            reconcile_pairs(pair_ids=other_pairs.tolist())
        on_rows(len(block))
    _change_state(round_, Round.State.OPENING, Round.State.OPEN)


def begin_closing(*, round_: Round) -> None:
    """Hand out nothing more of an open round from now on; then call `finish_closing`."""
    _change_state(round_, Round.State.OPEN, Round.State.CLOSING, closed_at=ClockTimestamp())


def finish_closing(*, round_: Round, on_rows: RowsCallback = ignore_rows) -> None:
    """Withdraw a closing round's free seats; held seats are left to finish, judgments stay.

    Safe to run again after a kill.

    on_rows : called with one row a pair
    """
    # All pairs: one without a free seat may get one by an answer that began before.
    for block in _blocks(round_, None):
        with transaction.atomic(savepoint=False):
            shared_pairs = withdraw_unshared_seats(round_=round_, pairs=block)
            reconcile_pairs(pair_ids=shared_pairs.tolist())
        on_rows(len(block))
    _change_state(round_, Round.State.CLOSING, Round.State.CLOSED)


def begin_reopening(*, round_: Round) -> None:
    """Want the missing labels of a closed round again; then call `finish_opening`."""
    _change_state(round_, Round.State.CLOSED, Round.State.OPENING, closed_at=None)


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
    analyse_underestimated_tables(
        annotate_pair=len(pairs), annotate_roundpair=len(pairs), annotate_seat=len(pairs)
    )
    return (pairs[stretch] for stretch in stretches(len(pairs)))


@transaction.atomic
def _change_state(round_: Round, before: Round.State, after: Round.State, **fields: object) -> None:
    """Move the round to another state, and let the numbers follow: progress counts its seats."""
    Round.objects.filter(pk=round_.pk, state=before).update(state=after, **fields)
    round_.refresh_from_db()
    note_changes(collection_id=round_.collection_id, pair_ids=[None])
