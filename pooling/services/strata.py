"""The sample behind a pool: strata, chances, and what was drawn, as estimates such as xinfAP need them."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Direction
from pooling.core.options import CHECK_STRATUM, NEGATIVE_STRATUM
from pooling.core.selections import Drawn, Integers
from pooling.models import Pool, PoolSource

_SAMPLE = """
    SELECT pair.query_id, pair.document_id, pooled.stratum, pooled.inclusion_probability
    FROM pooling_poolpair pooled JOIN annotate_pair pair ON pair.id = pooled.pair_id
    WHERE pooled.pool_id = %s ORDER BY pair.query_id, pair.document_id
"""
_NAMES = {0: "no strata", 1: "top", 2: "below the top"}


class Sample(NamedTuple):
    """A pool as a sample of pairs, one row a pair, by query and document.

    stratum, probability : the chance that the pair was taken, given that its source item was
    n_stratum : (M,) pairs of the query's stratum it was drawn from: those taken over their chance. The xinfAP of
        metrics.core.sampled takes the pooled pairs that were not drawn as rows of grade -1: n_stratum less the rows
        here is how many those are in each query and stratum
    sources : the source items that were drawn, in the directions in which some were
    """

    query: Integers
    document: Integers
    stratum: Integers
    probability: NDArray[np.float64]
    n_stratum: Integers
    sources: Mapping[str, Drawn]


def sample_of(*, pool: Pool) -> Sample:
    """The sample that a pool is; three queries at most."""
    with connection.cursor() as cursor:
        cursor.execute(_SAMPLE, [pool.pk])
        rows = cursor.fetchall()
    query, document, stratum = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3).T
    probability = np.array([row[3] for row in rows], dtype=np.float64)
    return Sample(query, document, stratum, probability, _sizes(query, stratum, probability), _sources(pool))


def keep_sources(*, pool: Pool, drawn: Mapping[Direction, Drawn]) -> None:
    """Store which source items were drawn, and with what chance; call it in a transaction."""
    PoolSource.objects.bulk_create(
        (
            PoolSource(pool=pool, item_id=item, stratum=stratum, inclusion_probability=chance)
            for sources in drawn.values()
            for item, stratum, chance in zip(*(column.tolist() for column in sources), strict=True)
        ),
        batch_size=5_000,
    )


def stratum_name(stratum: int) -> str:
    """What a stratum is called by people."""
    if stratum >= NEGATIVE_STRATUM:
        return "random negatives"
    name = _NAMES.get(stratum % CHECK_STRATUM, str(stratum))
    return name if stratum < CHECK_STRATUM else f"check of the reference, {name}"


def _sizes(query: Integers, stratum: Integers, probability: NDArray[np.float64]) -> Integers:
    """(M,) the sum of 1 / chance over each query's rows of the stratum: all n of N have the chance n / N."""
    _, cell = np.unique(np.stack([query, stratum]), axis=1, return_inverse=True)
    cell = cell.reshape(-1)
    return np.rint(np.bincount(cell, weights=1 / probability)[cell]).astype(np.int64) if len(cell) else cell


def _sources(pool: Pool) -> dict[str, Drawn]:
    found = {}
    columns = ("item__side", "item_id", "stratum", "inclusion_probability")
    rows = list(pool.pool_sources.order_by("item_id").values_list(*columns))
    for direction, side in ((Direction.FORWARD, "query"), (Direction.REVERSE, "document")):
        own = [row[1:] for row in rows if row[0] == side]
        if own:
            item, stratum, chance = zip(*own, strict=True)
            found[str(direction)] = Drawn(np.array(item), np.array(stratum), np.array(chance))
    return found
