"""Input of strategies beside rankings, as arrays."""

from collections.abc import Sequence

import numpy as np
from django.db import connection

from annotate.models import Collection, Direction, QuerySet, Side
from annotate.services.seating.in_use import item_in_use
from pooling.core.strategies.selections import Integers, Material, Pairs, RankedPairs

_ITEMS = f"""
    SELECT item.id FROM annotate_item item
    WHERE item.collection_id = %(collection)s AND item.side = %(side)s
      AND {item_in_use("item")}
      AND (%(query_set)s::bigint IS NULL OR item.id IN (
        SELECT member.item_id FROM annotate_querysetitem member
        WHERE member.query_set_id = %(query_set)s AND member.part = %(part)s))
    ORDER BY item.id
"""  # noqa: S608 - own words
_POOLED = """
    SELECT DISTINCT pair.query_id, pair.document_id
    FROM pooling_poolpair pooled JOIN pooling_pool pool ON pool.id = pooled.pool_id
    JOIN annotate_pair pair ON pair.id = pooled.pair_id WHERE pool.collection_id = %s
"""
_LABELLED = """
    SELECT label.query_id, label.document_id
    FROM annotate_referencelabel label
    JOIN annotate_referenceset reference_set ON reference_set.id = label.reference_set_id
    WHERE reference_set.collection_id = %s AND reference_set.name = %s
"""
_WORDS = """
    SELECT part.item_id, sum(cardinality(regexp_split_to_array(trim(part.text), '\\s+')))
    FROM annotate_part part JOIN annotate_item item ON item.id = part.item_id
    WHERE item.collection_id = %s AND item.side = %s AND part.kind = 'text' GROUP BY part.item_id
"""


def gather_material(
    *,
    collection: Collection,
    direction: Direction,
    runs: Sequence[RankedPairs],
    query_set: QuerySet | None,
    needs: frozenset[str],
) -> Material:
    """Load the input of a strategy with these needs in one direction."""
    ends = (
        (Side.QUERY, Side.DOCUMENT)
        if direction == Direction.FORWARD
        else (Side.DOCUMENT, Side.QUERY)
    )
    material = Material(runs)
    if "pool_pairs" in needs:
        pool_pairs = _pairs(_POOLED, [collection.pk])
        material = material._replace(
            pool_pairs=pool_pairs if direction == Direction.FORWARD else Pairs(*pool_pairs[::-1])
        )
    if "sources" in needs:
        sources = items_of(collection=collection, side=ends[0], query_set=query_set)
        material = material._replace(sources=sources)
    if "targets" in needs:
        gallery = items_of(collection=collection, side=ends[1], query_set=query_set, part="gallery")
        whole = (
            gallery if query_set and len(gallery) else items_of(collection=collection, side=ends[1])
        )
        material = material._replace(targets=whole)
    if "lengths" in needs:
        item, words = _pairs(_WORDS, [collection.pk, ends[0]])
        material = material._replace(lengths=_values_for(material.sources, item, words))
    return material


def items_of(
    *, collection: Collection, side: Side, query_set: QuerySet | None = None, part: str = "source"
) -> Integers:
    """Keys of the items in use of a side, ascending; only those of a given query set."""
    parameters: dict[str, int | str | None] = {
        "collection": collection.pk,
        "side": side,
        "query_set": query_set.pk if query_set else None,
        "part": part,
    }
    with connection.cursor() as cursor:
        cursor.execute(_ITEMS, parameters)
        return np.array([row[0] for row in cursor.fetchall()], dtype=np.int64)


def labelled_pairs(*, collection: Collection, reference_set: str) -> Pairs:
    """The (query, document) pairs that a reference set labels, whatever the grade."""
    return _pairs(_LABELLED, [collection.pk, reference_set])


def _pairs(statement: str, parameters: Sequence[int | str]) -> Pairs:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        columns = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2)
    return Pairs(columns[:, 0], columns[:, 1])


def _values_for(keys: Integers, value_keys: Integers, values: Integers) -> Integers:
    """Return the value of each key, 0 for keys without one; keys : ascending."""
    values_of_keys = np.zeros(len(keys), dtype=np.int64)
    is_needed = np.isin(value_keys, keys)
    values_of_keys[np.searchsorted(keys, value_keys[is_needed])] = values[is_needed]
    return values_of_keys
