"""Pairs in bulk: found or made, whoever else makes them at the same time."""

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection

# In one order everywhere, so that two who insert the same pairs wait for each other and never in a circle.
_INSERT = """
    INSERT INTO annotate_pair (collection_id, query_id, document_id)
    SELECT %s, wanted.query, wanted.document
    FROM unnest(%s::bigint[], %s::bigint[]) AS wanted(query, document)
    ORDER BY wanted.query, wanted.document
    ON CONFLICT (query_id, document_id) DO NOTHING
"""
_FIND = """
    SELECT pair.id FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS wanted(query, document, place)
    JOIN annotate_pair pair ON pair.query_id = wanted.query AND pair.document_id = wanted.document
    ORDER BY wanted.place
"""


def ensure_pairs(*, collection: Collection, query: NDArray[np.int64], document: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keys of these pairs, made where they are missing; call it in a transaction.

    query, document : (M,) item keys of the collection, no pair twice
    """
    columns = [query.tolist(), document.tolist()]
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, [collection.pk, *columns])
        cursor.execute(_FIND, columns)
        return np.array([row[0] for row in cursor.fetchall()], dtype=np.int64)
