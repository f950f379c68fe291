"""Pairs in bulk: found or created, safe while others create them at the same time."""

from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core.number_sets import distinct
from annotate.models import Collection
from annotate.services.seating import RowsCallback, ignore_rows
from annotate.services.storage.bulk_copy import blocks
from annotate.services.storage.planner_statistics import (
    analyse_grown_tables,
    analyse_underestimated_tables,
)

# In one order everywhere, so that two transactions that insert the same pairs never deadlock.
_INSERT = """
    INSERT INTO annotate_pair (collection_id, query_id, document_id)
    SELECT %s, requested.query, requested.document
    FROM unnest(%s::bigint[], %s::bigint[]) AS requested(query, document)
    ORDER BY requested.query, requested.document
    ON CONFLICT (query_id, document_id) DO NOTHING
"""
# A subquery, which is run once a pair by an index: as a join it read the whole table once a block.
_FIND = """
    SELECT coalesce((SELECT pair.id FROM annotate_pair pair
                     WHERE pair.query_id = requested.query
                       AND pair.document_id = requested.document), 0)
    FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS requested(query, document, position)
    ORDER BY requested.position
"""
Keys = NDArray[np.int64]


class EnsuredPairs(NamedTuple):
    """The keys of pairs, (M,), and which of them this transaction made, unknown to others yet."""

    keys: Keys
    is_new: NDArray[np.bool_]


def ensure_pairs(
    *, collection: Collection, query: Keys, document: Keys, on_rows: RowsCallback = ignore_rows
) -> EnsuredPairs:
    """Return these pairs, creating those that are missing; call it in a transaction.

    query, document : (M,) item keys of the collection, no pair twice; more than a block ascending
    on_rows : called with the number of pairs of each block
    """
    analyse_underestimated_tables(annotate_item=len(distinct(query)) + len(distinct(document)))
    keys, is_new = np.zeros(len(query), dtype=np.int64), np.zeros(len(query), dtype=bool)
    for block in blocks(len(query)):
        block_keys = _find(query[block], document[block])
        is_missing = block_keys == 0
        if is_missing.any():
            ids = [query[block][is_missing].tolist(), document[block][is_missing].tolist()]
            with connection.cursor() as cursor:
                cursor.execute(_INSERT, [collection.pk, *ids])
                n_inserted = cursor.rowcount
            # else somebody made some of them at the same moment, and none counts as new
            if n_inserted == is_missing.sum():
                is_new[block] = is_missing
        keys[block] = _find(query[block], document[block]) if is_missing.any() else block_keys
        on_rows(len(block_keys))
    # Before rows point to them, which foreign keys check.
    analyse_grown_tables(annotate_pair=int(is_new.sum()))
    analyse_underestimated_tables(annotate_pair=len(query))
    return EnsuredPairs(keys, is_new)


def _find(query: Keys, document: Keys) -> Keys:
    """Return the keys of pairs, 0 where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [query.tolist(), document.tolist()])
        return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1)
