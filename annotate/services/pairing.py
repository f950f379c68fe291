"""Pairs in bulk: found or made, whoever else makes them at the same time."""

from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection
from annotate.services.copying import blocks
from annotate.services.seating import Told, nobody
from annotate.services.statistics import learn_growth, learn_sizes

# In one order everywhere, so that two who insert the same pairs wait for each other and never in a circle.
_INSERT = """
    INSERT INTO annotate_pair (collection_id, query_id, document_id)
    SELECT %s, wanted.query, wanted.document
    FROM unnest(%s::bigint[], %s::bigint[]) AS wanted(query, document)
    ORDER BY wanted.query, wanted.document
    ON CONFLICT (query_id, document_id) DO NOTHING
"""
# A subquery, which is run once a pair by an index: as a join it read the whole table once a block.
_FIND = """
    SELECT coalesce((SELECT pair.id FROM annotate_pair pair
                     WHERE pair.query_id = wanted.query AND pair.document_id = wanted.document), 0)
    FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS wanted(query, document, place)
    ORDER BY wanted.place
"""
Keys = NDArray[np.int64]


class Ensured(NamedTuple):
    """The keys of pairs, (M,), and which of them this transaction made: of those nobody else knows yet."""

    keys: Keys
    is_new: NDArray[np.bool_]


def ensure_pairs(*, collection: Collection, query: Keys, document: Keys, told: Told = nobody) -> Ensured:
    """These pairs, made where they are missing; call it in a transaction.

    query, document : (M,) item keys of the collection, no pair twice; ascending where they are more than a block
    told : of so many more pairs
    """
    learn_sizes(annotate_item=len(np.unique(query)) + len(np.unique(document)))
    keys, is_new = np.zeros(len(query), dtype=np.int64), np.zeros(len(query), dtype=bool)
    for block in blocks(len(query)):
        some = _find(query[block], document[block])
        missing = some == 0
        if missing.any() and _insert(collection, query[block][missing], document[block][missing]) == missing.sum():
            is_new[block] = missing  # else somebody made some of them at the same moment, and all are taken for known
        keys[block] = _find(query[block], document[block]) if missing.any() else some
        told(len(some))
    # Before rows point to them, which foreign keys check.
    learn_growth(annotate_pair=int(is_new.sum()))
    learn_sizes(annotate_pair=len(query))
    return Ensured(keys, is_new)


def _find(query: Keys, document: Keys) -> Keys:
    """The keys of pairs, 0 where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [query.tolist(), document.tolist()])
        return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1)


def _insert(collection: Collection, query: Keys, document: Keys) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, [collection.pk, query.tolist(), document.tolist()])
        return cursor.rowcount
