"""Opening of pools: pairs with rank, stratum and probability, the round, the sample, golds."""

from collections.abc import Callable, Mapping

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection, Direction, Gold, Policy, QuerySet, QuerySetItem, Round
from annotate.services import seating
from annotate.services.background.progress import ProgressCallback
from annotate.services.seating.pair_creation import ensure_pairs
from annotate.services.storage.bulk_copy import blocks, copy_rows, nullable_keys
from annotate.services.storage.planner_statistics import analyse_grown_tables
from pooling.core.strategies.selections import NO_RANK, DrawnSources
from pooling.models import Pool
from pooling.services.pools import strata
from pooling.services.pools.automatic_golds import make_golds, retire_ranked_negatives
from pooling.services.pools.checks import PoolError
from pooling.services.pools.pair_choice import PairChoice, choose_pairs

# of each kind: so many that nobody meets one twice, and two a query of a large pool
N_GOLDS, MOST_GOLDS = 200, 20_000
_ROWS = 4  # a pair: itself, and its rows in the pool, in the round and in the queue


def make_contents(*, pool: Pool, on_progress: ProgressCallback) -> seating.OpeningRound:
    """Choose a pool's pairs and store them, with a round that is being opened.

    Call it in a transaction. Raises PoolError, RoundExists, and whatever `on_progress` raises.
    """
    with connection.cursor() as cursor:
        # Keys are checked block by block: at the end nobody could be told and nothing be stopped.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    on_progress(n_done=0, unit="pairs chosen")
    choice = _choose(pool)
    # Progress of its own: the time that choosing took says nothing of the time that storing takes.
    on_progress(n_done=0, total=len(choice.query), unit="pairs")
    on_rows = pair_counter(on_progress, len(choice.query), rows=_ROWS)
    pairs = ensure_pairs(
        collection=pool.collection, query=choice.query, document=choice.document, on_rows=on_rows
    )
    _write_pool_pairs(pool, pairs.keys, choice, on_rows)
    _keep_sample(pool, choice.drawn_sources)
    strata.keep_strata(pool=pool, choice=choice)
    # scores over the drawn items are means over all that they were drawn of
    if choice.drawn_sources:
        seating.note_changes(collection_id=pool.collection_id, pair_ids=[None])
    return seating.begin_opening(
        collection=pool.collection,
        kind=Round.Kind.POOL,
        name=pool.name,
        policy=newest_policy(pool.collection),
        pair_ids=pairs.keys.tolist(),
        created_pairs=pairs.keys[pairs.is_new],
        on_rows=on_rows,
    )


def pair_counter(
    on_progress: ProgressCallback, n_pairs: int, *, rows: int = 1, unit: str = "pairs"
) -> Callable[[int], None]:
    """Make a callback that tells how many pairs are done, of `rows` rows each."""
    n_rows = 0

    def on_rows(n: int) -> None:
        nonlocal n_rows
        n_rows += n
        on_progress(n_done=n_rows // rows, total=n_pairs, unit=unit)

    return on_rows


def newest_policy(collection: Collection) -> Policy:
    """The policy version of a pool that is opened now."""
    return Policy.objects.filter(collection=collection).latest("version")


def add_golds(*, pool: Pool) -> None:
    """Make golds if the policy wants some and a reference set can give them.

    Retire those that a run ranks high.
    """
    collection, policy = pool.collection, pool.own_round().policy
    retire_ranked_negatives(collection=collection)
    reference = collection.reference_sets.usual().order_by("pk").first()
    has_curated = Gold.objects.filter(collection=collection, origin=Gold.Origin.CURATED).exists()
    if reference is None or has_curated:
        return
    n_queries = pool.pool_pairs.values("pair__query").distinct().count()
    n_golds = min(MOST_GOLDS, max(N_GOLDS, 2 * n_queries))
    make_golds(
        collection=collection,
        reference_set=reference,
        n_positive=n_golds if policy.gold_positives else 0,
        n_negative=n_golds if policy.gold_negatives else 0,
        seed=pool.seed,
        occasion=f'Pool "{pool.name}" opened',
    )


def _choose(pool: Pool) -> PairChoice:
    choice = choose_pairs(
        collection=pool.collection,
        strategy=pool.strategy,
        parameters=pool.parameters,
        runs=list(pool.runs.order_by("pk")),
        query_set=pool.query_set,
        seed=pool.seed,
    )
    if not len(choice.query):
        raise PoolError(
            "runs", "The strategy takes no pair of these runs; choose others, or another query set."
        )
    return choice


def _write_pool_pairs(
    pool: Pool, keys: NDArray, choice: PairChoice, on_rows: seating.RowsCallback
) -> None:
    for block in blocks(len(keys)):
        copy_rows(
            "pooling_poolpair",
            {
                "pool_id": str(pool.pk),
                "pair_id": keys[block],
                "best_rank": nullable_keys(
                    np.where(choice.best_rank == NO_RANK, 0, choice.best_rank)[block]
                ),
                "stratum": choice.stratum[block],
                "inclusion_probability": list(map(repr, choice.probability[block].tolist())),
            },
        )
        on_rows(len(keys[block]))
    analyse_grown_tables(pooling_poolpair=len(keys))


def _keep_sample(pool: Pool, drawn_sources: Mapping[Direction, DrawnSources]) -> None:
    """Name the drawn source items as a query set: a pool on a sample is scored on that sample."""
    strata.keep_sources(pool=pool, drawn_sources=drawn_sources)
    for direction, sources in drawn_sources.items():
        sample, is_new = QuerySet.objects.get_or_create(
            collection=pool.collection,
            direction=Direction(direction),
            name=f"sample {pool.name}"[:60],
        )
        if is_new:
            QuerySetItem.objects.bulk_create(
                (QuerySetItem(query_set=sample, item_id=item) for item in sources.source.tolist()),
                batch_size=5_000,
            )
