"""Queue order of live pools: the judgments so far decide which pairs are asked next.

A queue has a front: seats whose key is negative, which claims empty before the rest. To move a seat
there, and back, is to turn its key's sign bit over; its position among the others stays its keyed
hash. Of each source item the next few pairs of the pool's order stand in front, all alike: people
enter the front at random as they enter any queue, so that many can claim at once, and which pair of
the front somebody gets says nothing about ranks. The price is that the order is followed a front at
a time, not pair by pair.
"""

import numpy as np
from django.db import connection
from django.db.models import F, OuterRef, Q, Subquery

from annotate.core.labels.originals import Originals
from annotate.models import Collection, Direction, Judgment, RoundPair
from annotate.services.collection.duplicates import originals_of
from annotate.services.storage.number_arrays import table
from pooling.core.strategies import live_orders
from pooling.core.strategies.options import OPTIONS
from pooling.core.strategies.selections import Pairs, RankedPairs, is_in, rows_of
from pooling.core.strategies.strategies import STRATEGIES, depth_of
from pooling.models import Pool, PoolPair, RunEvent
from pooling.services.runs.rankings import left_out_keys, load_top

LIVE_STRATEGIES = [name for name, plan in STRATEGIES.items() if plan.order]
_JUDGED = """
    SELECT pair.query_id, pair.document_id,
           coalesce(resolution.grade >= collection.positive_from, false)
    FROM pooling_poolpair pooled JOIN annotate_pair pair ON pair.id = pooled.pair_id
    JOIN annotate_collection collection ON collection.id = pair.collection_id
    JOIN annotate_resolution resolution ON resolution.pair_id = pair.id
    WHERE pooled.pool_id = %s AND resolution.n_labels > 0
    ORDER BY pair.query_id, pair.document_id
"""
# Seats that somebody is claiming or that are being reconciled are left for the next time: nobody
# waits for an order.
_MOVE_SEATS = """
    UPDATE annotate_seat SET queue_key = queue_key # '-9223372036854775808'::bigint
    WHERE id IN (
        SELECT seat.id FROM annotate_seat seat JOIN annotate_pair pair ON pair.id = seat.pair_id
        WHERE seat.round_id = %(round)s AND seat.purpose = 'label' AND seat.state = 'free'
          AND (seat.queue_key < 0) <> ((pair.query_id, pair.document_id) IN (
            SELECT * FROM unnest(%(query)s::bigint[], %(document)s::bigint[])))
        ORDER BY seat.id FOR UPDATE OF seat SKIP LOCKED)
"""


def reorder_collection(*, collection: Collection) -> None:
    """Bring the order of each open live pool of a collection up to its labels."""
    for pool in (
        Pool.objects.handing_out()
        .filter(collection=collection, strategy__in=LIVE_STRATEGIES)
        .order_by("pk")
    ):
        reorder(pool=pool)


def reorder(*, pool: Pool) -> None:
    """Bring a live pool's order up to its labels: each source item's next pairs to the front.

    Others go back.

    A pure function of the labels; safe to run at any time, and twice at once.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        # a label that comes while this is computed is newer than the order
        (started_at,) = cursor.fetchone()
        front = _front(pool)
        columns = {"query": front.source.tolist(), "document": front.target.tolist()}
        cursor.execute(_MOVE_SEATS, {"round": pool.round_id, **columns})
    Pool.objects.filter(pk=pool.pk).update(ordered_at=started_at)
    pool.refresh_from_db()


def has_live_pool(*, collection_id: int) -> bool:
    """True if a collection has a pool whose order follows its labels."""
    return (
        Pool.objects.handing_out()
        .filter(collection=collection_id, strategy__in=LIVE_STRATEGIES)
        .exists()
    )


def overdue_collections() -> list[int]:
    """Collections with a live pool that has labels newer than its order, or no order yet."""
    judgments = Judgment.objects.filter(collection=OuterRef("collection")).order_by("-pk")
    live_pools = Pool.objects.handing_out().filter(strategy__in=LIVE_STRATEGIES)
    dated_pools = live_pools.annotate(judged_at=Subquery(judgments.values("at")[:1]))
    late = dated_pools.filter(Q(ordered_at=None) | Q(judged_at__gt=F("ordered_at")))
    return sorted(set(late.values_list("collection_id", flat=True)))


def _asked_rows(run: RankedPairs, dropped_pairs: Pairs, originals: Originals) -> RankedPairs:
    """The rows of a run that are asked about, with originals in the place of dropped repeats."""
    is_dropped = is_in(run.source, run.target, dropped_pairs)
    if not is_dropped.any():
        return run
    source = np.where(is_dropped, originals.of(run.source), run.source)
    target = np.where(is_dropped, originals.of(run.target), run.target)
    order = np.lexsort((run.rank, target, source))
    source, target, rank = source[order], target[order], run.rank[order]
    keep = ~is_in(source, target, dropped_pairs)  # excluded, or of retired runs alone
    keep[1:] &= (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    return RankedPairs(source[keep], target[keep], rank[keep])


def _front(pool: Pool) -> Pairs:
    """The (query, document) pairs that come next, in both directions.

    A pair that people dispute counts as not relevant until it is resolved.
    """
    values = {
        name: value
        for name, value in pool.parameters.items()
        if name not in {option.name for option in OPTIONS}
    }
    order, depth = STRATEGIES[pool.strategy].order, depth_of(pool.strategy, values)
    left_out = left_out_keys(collection=pool.collection)
    with connection.cursor() as cursor:
        cursor.execute(_JUDGED, [pool.pk])
        rows = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 3)
    judged_pairs, relevant = Pairs(rows[:, 0], rows[:, 1]), rows[:, 2].astype(bool)
    pool_pairs: Pairs | None = None
    if RunEvent.objects.filter(
        run__in=pool.runs.all(), kind=RunEvent.Kind.REREAD, at__gt=pool.opened_at
    ).exists():
        # The top of a run that was read again may name newer items, which nobody is asked about.
        pair_keys = PoolPair.objects.filter(pool=pool).values_list("pair__query", "pair__document")
        pool_pairs = Pairs(*np.array(list(pair_keys), dtype=np.int64).reshape(-1, 2).T)
    rows_of_round = RoundPair.objects.filter(round=pool.round_id, dropped_at__isnull=False)
    dropped_pairs = table(rows_of_round.values_list("pair__query", "pair__document"), 2)
    originals = originals_of(collection=pool.collection)
    fronts = [Pairs()]
    for direction in Direction:
        runs = [
            load_top(run=run, depth=depth, query_set=pool.query_set, leave_out=left_out)
            for run in pool.runs.in_use().filter(direction=direction).order_by("pk")
        ]
        if not sum(len(run.source) for run in runs):
            continue
        own_side_up = dropped_pairs if direction == Direction.FORWARD else dropped_pairs[:, ::-1]
        runs = [_asked_rows(run, Pairs(*own_side_up.T), originals) for run in runs]
        if pool_pairs is not None:
            run_side_pairs = (
                pool_pairs if direction == Direction.FORWARD else Pairs(*pool_pairs[::-1])
            )
            runs = [rows_of(run, is_in(run.source, run.target, run_side_pairs)) for run in runs]
        labelled_pairs = (
            judged_pairs if direction == Direction.FORWARD else Pairs(*judged_pairs[::-1])
        )
        rng = np.random.default_rng([pool.seed, len(relevant)])
        next_pairs = live_orders.next_pairs(
            order, runs, labelled_pairs, relevant, ahead=int(values["ahead"]), rng=rng
        )
        fronts.append(next_pairs if direction == Direction.FORWARD else Pairs(*next_pairs[::-1]))
    return Pairs(*(np.concatenate(columns) for columns in zip(*fronts, strict=True)))
