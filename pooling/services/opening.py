"""What opening a pool makes: its pairs with what the strategy knew of them, its round, its sample, golds."""

from collections.abc import Callable, Mapping

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection, Direction, Gold, Policy, QuerySet, QuerySetItem, Round
from annotate.services import seating
from annotate.services.background.progress import Tell
from annotate.services.copying import blocks, copy_rows, nullable
from annotate.services.pairing import ensure_pairs
from annotate.services.statistics import learn_growth
from pooling.core.selections import NO_RANK, Drawn
from pooling.models import Pool
from pooling.services import strata
from pooling.services.choosing import Choice, PoolError, choose_pairs
from pooling.services.golds import make_golds, retire_found

N_GOLDS, MOST_GOLDS = 200, 20_000  # of each kind: more than anybody meets twice, and two a query of a large pool
_ROWS = 4  # a pair: itself, and its rows in the pool, in the round and in the queue


def make_contents(*, pool: Pool, tell: Tell) -> seating.Wanted:
    """Choose a pool's pairs and store them, with a round that is being opened; call it in a transaction.

    Raises PoolError, RoundExists, and whatever `tell` raises.
    """
    with connection.cursor() as cursor:
        # Keys are checked block by block, not all at the end, where nobody could be told and nothing be stopped.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    tell(done=0, unit="pairs chosen")
    choice = _choose(pool)
    # A stretch of its own: what choosing took says nothing of the time that storing takes.
    tell(done=0, total=len(choice.query), unit="pairs")
    told = counter(tell, len(choice.query), rows=_ROWS)
    pairs = ensure_pairs(collection=pool.collection, query=choice.query, document=choice.document, told=told)
    _write_pool_pairs(pool, pairs.keys, choice, told)
    _keep_sample(pool, choice.drawn)
    strata.keep_strata(pool=pool, choice=choice)
    if choice.drawn:  # scores over the drawn items are means over all that they were drawn of
        seating.note_changes(collection_id=pool.collection_id, pair_ids=[None])
    return seating.want_pairs(
        collection=pool.collection,
        kind=Round.Kind.POOL,
        name=pool.name,
        policy=newest_policy(pool.collection),
        pair_ids=pairs.keys.tolist(),
        fresh=pairs.keys[pairs.is_new],
        told=told,
    )


def counter(tell: Tell, n_pairs: int, *, rows: int = 1, unit: str = "pairs") -> Callable[[int], None]:
    """A `told` that says how many pairs are done, of `rows` rows each."""
    n_rows = 0

    def told(n: int) -> None:
        nonlocal n_rows
        n_rows += n
        tell(done=n_rows // rows, total=n_pairs, unit=unit)

    return told


def newest_policy(collection: Collection) -> Policy:
    """The policy version that a pool opened now gets."""
    return Policy.objects.filter(collection=collection).latest("version")


def add_golds(*, pool: Pool) -> None:
    """Let there be golds where the policy wants some and a reference set can give them; none that a run has found."""
    collection, policy = pool.collection, pool.round.policy
    retire_found(collection=collection)
    reference = collection.reference_sets.order_by("pk").first()
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
        why=f'Pool "{pool.name}" opened',
    )


def _choose(pool: Pool) -> Choice:
    choice = choose_pairs(
        collection=pool.collection,
        strategy=pool.strategy,
        parameters=pool.parameters,
        runs=list(pool.runs.order_by("pk")),
        query_set=pool.query_set,
        seed=pool.seed,
    )
    if not len(choice.query):
        raise PoolError("runs", "The strategy takes no pair of these runs; choose others, or another query set.")
    return choice


def _write_pool_pairs(pool: Pool, keys: NDArray, choice: Choice, told: seating.Told) -> None:
    for block in blocks(len(keys)):
        copy_rows(
            "pooling_poolpair",
            {
                "pool_id": str(pool.pk),
                "pair_id": keys[block],
                "best_rank": nullable(np.where(choice.best_rank == NO_RANK, 0, choice.best_rank)[block]),
                "stratum": choice.stratum[block],
                "inclusion_probability": list(map(repr, choice.probability[block].tolist())),
            },
        )
        told(len(keys[block]))
    learn_growth(pooling_poolpair=len(keys))


def _keep_sample(pool: Pool, drawn: Mapping[Direction, Drawn]) -> None:
    """Name the source items that were drawn as a query set: a pool on a sample is scored on that sample."""
    strata.keep_sources(pool=pool, drawn=drawn)
    for direction, sources in drawn.items():
        sample, is_new = QuerySet.objects.get_or_create(
            collection=pool.collection, direction=Direction(direction), name=f"sample {pool.name}"[:60]
        )
        if is_new:
            QuerySetItem.objects.bulk_create(
                (QuerySetItem(query_set=sample, item_id=item) for item in sources.source.tolist()), batch_size=5_000
            )
