"""All labels of a collection as arrays, in one pass of the database, for the dashboard details."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection
from annotate.services.storage.number_arrays import copied_columns

Ids = NDArray[np.int64]
COLUMNS = (
    "pair",
    "query",
    "document",
    "round",
    "annotator",
    "grade",
    "kind",
    "at",
    "active_ms",
    "truth",
    "is_planned",
)
LABEL, GOLD, OTHER = 0, 1, 2

_ROWS = """
    SELECT judgment.pair_id::bigint, pair.query_id::bigint, pair.document_id::bigint,
           judgment.round_id::bigint, judgment.annotator_id::bigint, judgment.grade::bigint,
           CASE WHEN judgment.is_label THEN 0
                WHEN judgment.purpose = 'gold' THEN 1 ELSE 2 END::bigint,
           (extract(epoch FROM judgment.at) * 1000)::bigint,
           coalesce(judgment.active_ms, -1)::bigint,
           CASE WHEN judgment.purpose = 'gold'
                THEN coalesce(gold.grade, -1) ELSE -1 END::bigint,
           judgment.is_planned::int::bigint
    FROM annotate_countingjudgment judgment
    JOIN annotate_pair pair ON pair.id = judgment.pair_id
    LEFT JOIN annotate_gold gold ON gold.pair_id = judgment.pair_id AND gold.retired_at IS NULL
    WHERE judgment.collection_id = %s
"""


class LabelRows(NamedTuple):
    """One row per judgment that counts for a seat, by time, then by pair and annotator.

    kind : LABEL enters agreement, GOLD checks work, OTHER is training, repeats and adjudications
    at : milliseconds since 1970; active_ms and truth (the grade of a gold in use) are -1 if
        missing
    is_planned : 1 for a label that was planned whatever the other labels of the pair, a first or
        double one; else 0
    """

    pair: Ids
    query: Ids
    document: Ids
    round: Ids
    annotator: Ids
    grade: Ids
    kind: Ids
    at: Ids
    active_ms: Ids
    truth: Ids
    is_planned: Ids

    def where(self, mask: NDArray[np.bool_]) -> "LabelRows":
        """Select rows by a mask."""
        return LabelRows(*(column[mask] for column in self))


def label_rows(*, collection: Collection) -> LabelRows:
    """Read every judgment that counts for a seat; one query."""
    columns = copied_columns(_ROWS, COLUMNS, [collection.pk])
    order = np.lexsort([columns[name] for name in ("kind", "round", "annotator", "pair", "at")])
    return LabelRows(*(columns[name][order] for name in COLUMNS))
