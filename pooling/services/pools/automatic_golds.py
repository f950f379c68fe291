"""Pairs with a known grade made without a person: reference positives and random negatives."""

from typing import NamedTuple

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from annotate.models import Collection, Gold, Item, ReferenceSet, ReviewAction, Side
from annotate.services.background.workers import lock_task
from annotate.services.golds.golds import retire_gold
from annotate.services.seating.in_use import item_in_use
from annotate.services.seating.pair_creation import ensure_pairs
from annotate.services.supervision import review_log
from pooling.models import PoolPair
from pooling.services.runs.rankings import excluded_keys

OUTSIDE = 25  # a random negative is nobody's result down to this rank
_TRIES = 8

# Positives of the reference, those that no pool holds first.
_POSITIVES = f"""
    SELECT label.query_id, label.document_id, label.grade
    FROM annotate_referencelabel label
    JOIN annotate_item query ON query.id = label.query_id
    JOIN annotate_item document ON document.id = label.document_id
    LEFT JOIN annotate_pair pair
         ON pair.query_id = label.query_id AND pair.document_id = label.document_id
    WHERE label.reference_set_id = %(reference)s AND label.grade >= %(positive_from)s
      AND {item_in_use("query")} AND {item_in_use("document")}
      AND EXISTS (SELECT FROM annotate_level level
                  WHERE level.collection_id = %(collection)s AND level.grade = label.grade)
      AND NOT EXISTS (SELECT FROM annotate_gold gold WHERE gold.pair_id = pair.id)
      AND (label.query_id = ANY(%(queries)s) OR cardinality(%(queries)s::bigint[]) = 0)
    ORDER BY EXISTS (SELECT FROM pooling_poolpair pooled WHERE pooled.pair_id = pair.id),
             md5(label.id || ' ' || %(seed)s), label.id
    LIMIT %(limit)s
"""  # noqa: S608 - own text
_RANKED = """
    EXISTS (SELECT FROM pooling_ranking ranking JOIN pooling_run run ON run.id = ranking.run_id
            WHERE (run.direction = 'forward' AND ranking.source_id = candidate.query
                   AND pooling_rank(ranking.targets, candidate.document, %(left_out)s::bigint[])
                       <= %(outside)s)
               OR (run.direction = 'reverse' AND ranking.source_id = candidate.document
                   AND pooling_rank(ranking.targets, candidate.query, %(left_out)s::bigint[])
                       <= %(outside)s))
"""
# Of these pairs, those that a reference set names, a run ranks high, or a pool or gold holds.
_UNUSABLE = f"""
    SELECT candidate.position - 1
    FROM unnest(%(query)s::bigint[], %(document)s::bigint[])
         WITH ORDINALITY AS candidate(query, document, position)
    WHERE EXISTS (SELECT FROM annotate_referencelabel label
                  WHERE label.query_id = candidate.query AND label.document_id = candidate.document
                    AND label.reference_set_id = ANY(%(sets)s::bigint[]))
       OR EXISTS (SELECT FROM annotate_pair pair
                  WHERE pair.query_id = candidate.query AND pair.document_id = candidate.document)
       OR {_RANKED}
"""  # noqa: S608 - own text
# Random negatives that a run which came after them ranks high all the same.
_RANKED_NEGATIVES = f"""
    SELECT gold.id
    FROM annotate_gold gold JOIN annotate_pair pair ON pair.id = gold.pair_id
    CROSS JOIN LATERAL (SELECT pair.query_id AS query, pair.document_id AS document) candidate
    WHERE gold.collection_id = %(collection)s AND gold.origin = 'random'
      AND gold.retired_at IS NULL AND {_RANKED}
    ORDER BY gold.id
"""  # noqa: S608 - own text


class GoldCounts(NamedTuple):
    """Numbers of golds made; fewer than requested if the collection has no more."""

    n_positive: int
    n_negative: int


@transaction.atomic
def make_golds(
    *,
    collection: Collection,
    reference_set: ReferenceSet,
    n_positive: int,
    n_negative: int,
    seed: int,
    occasion: str = "",
) -> GoldCounts:
    """Add golds up to these numbers from the reference and of random negatives.

    The seed decides which. A random negative is in no reference set, no pair so far, and outside
    the first 25 of every run; nobody has judged it, so a few may be relevant after all: the lead
    sees golds that good people fail. Once there are pools, golds are of their queries. One line of
    the log says how many, and the `occasion`.
    """
    lock_task("golds", collection=collection)
    lowest_grade = collection.levels.order_by("grade").values_list("grade", flat=True).first()
    positives = _positives(
        collection, reference_set, _n_missing(collection, Gold.Origin.REFERENCE, n_positive), seed
    )
    negatives = _negatives(collection, _n_missing(collection, Gold.Origin.RANDOM, n_negative), seed)
    # a scheme without a negative level
    if lowest_grade is None or lowest_grade >= collection.positive_from:
        negatives = negatives[:0]
    _write(collection, positives[:, :2], positives[:, 2], Gold.Origin.REFERENCE)
    _write(collection, negatives, np.full(len(negatives), lowest_grade or 0), Gold.Origin.RANDOM)
    counts = GoldCounts(len(positives), len(negatives))
    if any(counts):
        words = (
            f"{counts.n_positive:,} from the reference, {counts.n_negative:,} random negatives, "
            f"seed {seed}"
        )
        reason = f"{occasion}: {words}." if occasion else f"{words}."
        review_log.note(
            collection=collection, kind=ReviewAction.Kind.GOLDS_MADE, by=None, reason=reason
        )
    return counts


@transaction.atomic
def retire_ranked_negatives(*, collection: Collection) -> None:
    """Retire the random negatives that a run which came later ranks among its first 25."""
    with connection.cursor() as cursor:
        left_out = excluded_keys(collection_id=collection.pk)
        cursor.execute(
            _RANKED_NEGATIVES,
            {"collection": collection.pk, "outside": OUTSIDE, "left_out": left_out},
        )
        gold_ids = [row[0] for row in cursor.fetchall()]
    for gold in (
        Gold.objects.filter(pk__in=gold_ids).select_related("collection", "pair").order_by("pk")
    ):
        retire_gold(gold=gold, by=None, reason=f"a run ranks it among its first {OUTSIDE}")


def _n_missing(collection: Collection, origin: Gold.Origin, n: int) -> int:
    return max(
        0, n - Gold.objects.filter(collection=collection, origin=origin, retired_at=None).count()
    )


def _positives(
    collection: Collection, reference_set: ReferenceSet, n: int, seed: int
) -> NDArray[np.int64]:
    """(n, 3) query, document, grade."""
    with connection.cursor() as cursor:
        cursor.execute(
            _POSITIVES,
            {
                "collection": collection.pk,
                "reference": reference_set.pk,
                "positive_from": collection.positive_from,
                "seed": str(seed),
                "queries": _pooled_queries(collection),
                "limit": n,
            },
        )
        return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 3)


def _negatives(collection: Collection, n: int, seed: int) -> NDArray[np.int64]:
    """(n, 2) query, document: drawn uniformly from all pairs of test items but unusable ones."""
    rng = np.random.default_rng(seed)
    queries, documents = (
        np.array(
            Item.objects.filter(collection=collection, side=side)
            .in_use()
            .order_by("pk")
            .values_list("pk", flat=True),
            dtype=np.int64,
        )
        for side in (Side.QUERY, Side.DOCUMENT)
    )
    pooled_queries = _pooled_queries(collection)
    queries = np.intersect1d(queries, pooled_queries) if pooled_queries else queries
    negatives = np.empty((0, 2), dtype=np.int64)
    if not n or not len(queries) or not len(documents):
        return negatives
    for _ in range(_TRIES):
        candidates = np.stack([rng.choice(queries, 2 * n), rng.choice(documents, 2 * n)], axis=1)
        negatives = np.concatenate(
            [negatives, np.delete(candidates, _unusable_rows(collection, candidates), axis=0)]
        )
        _, first = np.unique(negatives, axis=0, return_index=True)
        negatives = negatives[np.sort(first)]
        if len(negatives) >= n:
            break
    return negatives[:n]


def _pooled_queries(collection: Collection) -> list[int]:
    """Queries that pools hold: a query that comes with golds alone would give them away.

    Empty if no pool holds any.
    """
    pool_pairs = PoolPair.objects.filter(pool__collection=collection).order_by("pair__query")
    return list(pool_pairs.values_list("pair__query", flat=True).distinct())


def _unusable_rows(collection: Collection, candidates: NDArray[np.int64]) -> list[int]:
    sets = ReferenceSet.objects.usual().filter(collection=collection)
    columns = {
        "sets": list(sets.values_list("pk", flat=True)),
        "query": candidates[:, 0].tolist(),
        "document": candidates[:, 1].tolist(),
        "outside": OUTSIDE,
        "left_out": excluded_keys(collection_id=collection.pk),
    }
    with connection.cursor() as cursor:
        cursor.execute(_UNUSABLE, columns)
        return [row[0] for row in cursor.fetchall()]


def _write(
    collection: Collection, pairs: NDArray[np.int64], grades: NDArray[np.int64], origin: Gold.Origin
) -> None:
    keys = ensure_pairs(collection=collection, query=pairs[:, 0], document=pairs[:, 1]).keys
    Gold.objects.bulk_create(
        Gold(
            collection=collection,
            pair_id=pair,
            grade=grade,
            is_positive=grade >= collection.positive_from,
            origin=origin,
        )
        for pair, grade in zip(keys.tolist(), grades.tolist(), strict=True)
    )
