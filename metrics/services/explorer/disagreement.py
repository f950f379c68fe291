"""Queries on which people disagree most: a kept value, counted when a viewer needs it."""

import hashlib
from datetime import timedelta
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection, Kept
from annotate.services.background import kept
from annotate.services.background.kept import Computed, Inquiry

KIND = "disagreement"
MAX_AGE = timedelta(seconds=60)  # whoever needs an older value has it counted again

# An item is a source in its own direction alone, so that one list serves both; the row without a
# source is the sum.
_COUNT = """
    WITH shared AS (
        SELECT pair_id, count(*) AS n_labels, min(grade) <> max(grade) AS differs
        FROM annotate_countingjudgment WHERE collection_id = %s AND is_label
        GROUP BY pair_id HAVING count(*) > 1)
    SELECT coalesce(pair.query_id, pair.document_id) AS source,
           count(*) FILTER (WHERE differs) AS n_differing, count(*) AS n_shared,
           sum(n_labels)::bigint
    FROM shared JOIN annotate_pair pair ON pair.id = shared.pair_id
    GROUP BY GROUPING SETS ((pair.query_id), (pair.document_id), ())
    HAVING bool_or(differs) OR grouping(pair.query_id, pair.document_id) = 3
    ORDER BY n_differing DESC, n_shared, source
"""


class Disagreement(NamedTuple):
    """The sources on whose pairs some labels differ.

    sources : (n,) keys of items on either side
    n_differing, n_shared : (n,) pairs whose labels differ; pairs with two labels or more
    """

    sources: NDArray[np.int64]
    n_differing: NDArray[np.int64]
    n_shared: NDArray[np.int64]

    def order(self, sources: NDArray[np.int64]) -> NDArray[np.int64]:
        """Indices of ascending sources, most pairs with differing labels first.

        Of equals the larger share comes first.
        """
        index = np.searchsorted(sources, self.sources)
        is_present = (index < len(sources)) & (
            sources[np.minimum(index, len(sources) - 1)] == self.sources
        )
        n_differing, n_shared = np.zeros((2, len(sources)), dtype=np.int64)
        n_differing[index[is_present]] = self.n_differing[is_present]
        n_shared[index[is_present]] = self.n_shared[is_present]
        return np.lexsort((n_shared, -n_differing))


def inquiry_of(*, collection: Collection) -> Inquiry:
    """The inquiry whose value is the disagreement on a collection's queries."""
    return Inquiry(collection, KIND)


def disagreement_of(row: Kept) -> Disagreement:
    """The kept numbers as arrays."""
    names = ("sources", "differing", "shared")
    return Disagreement(*(np.array(row.value[name], dtype=np.int64) for name in names))


@kept.keeps(KIND, fresh_for=MAX_AGE, request_lasts=MAX_AGE)
def count_disagreement(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Count every source's pairs with differing labels."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [inquiry.collection.pk])
        rows = cursor.fetchall()
    source_rows = [row for row in rows if row[0] is not None]
    n_labels = next((row[3] for row in rows if row[0] is None), None) or 0
    value = dict(
        zip(
            ("sources", "differing", "shared"),
            ([row[i] for row in source_rows] for i in range(3)),
            strict=True,
        )
    )
    return Computed(value, hashlib.sha256(repr((n_labels, source_rows)).encode()).hexdigest())
