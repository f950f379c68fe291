"""Labels that differ between two tables of them: added, removed, or of another grade.

A table has its keys as text columns, no row twice, and the column `grade`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

PAIR = ("query", "document")
PERSON_AND_PAIR = (*PAIR, "annotator")
BEFORE, AFTER, N = "before", "after", "n"


class ChangeCounts(NamedTuple):
    """The changed labels of a query or of a person.

    name : of the query or person; n_changed : labels on both sides, of another grade
    """

    name: str
    n_added: int
    n_removed: int
    n_changed: int

    @property
    def total(self) -> int:
        """The number of all of them."""
        return self.n_added + self.n_removed + self.n_changed


class GradePairCount(NamedTuple):
    """The number of labels with this grade before and that one after; None for no label."""

    before: int | None
    after: int | None
    n: int


class TableChanges(NamedTuple):
    """The labels of two tables, compared by their keys.

    grades : how many labels have which grades, equal ones too, ascending, None first
    changes : the labels that are not the same: their keys, `before` and `after`, by the bytes of
        the keys
    """

    grades: list[GradePairCount]
    changes: pa.Table

    @property
    def n_same(self) -> int:
        """The number of labels that are in both tables with the same grade."""
        return sum(count.n for count in self.grades if count.before == count.after)

    @property
    def whole(self) -> ChangeCounts:
        """All changes, without a name."""
        before, after = self.changes[BEFORE], self.changes[AFTER]
        n_added, n_removed = before.null_count, after.null_count
        return ChangeCounts("", n_added, n_removed, len(self.changes) - n_added - n_removed)

    def counts_by(self, key: str) -> list[ChangeCounts]:
        """The changes by a key: those with the most come first, then by name."""
        is_added, is_removed = (pc.is_null(self.changes[side]) for side in (BEFORE, AFTER))
        kinds = {
            "n_added": is_added,
            "n_removed": is_removed,
            "n_changed": pc.invert(pc.or_(is_added, is_removed)),
        }
        columns = {name: pc.cast(mask, pa.int64()) for name, mask in kinds.items()}
        table = pa.table({key: self.changes[key], **columns})
        sums = table.group_by(key).aggregate([(name, "sum") for name in kinds])
        rows = [
            ChangeCounts(*row)
            for row in zip(
                sums[key].to_pylist(),
                *(sums[f"{name}_sum"].to_pylist() for name in kinds),
                strict=True,
            )
        ]
        return sorted(rows, key=lambda counts: (-counts.total, counts.name))


def label_changes(before: pa.Table, after: pa.Table, *, keys: Sequence[str]) -> TableChanges:
    """Compare two tables of labels by their keys."""
    columns = [*keys, "grade"]
    joined = before.select(columns).join(
        after.select(columns),
        keys=list(keys),
        join_type="full outer",
        left_suffix="_before",
        right_suffix="_after",
    )
    table = joined.rename_columns([*keys, BEFORE, AFTER])
    counts = table.group_by([BEFORE, AFTER]).aggregate([([], "count_all")])
    grades = [GradePairCount(*row.values()) for row in counts.to_pylist()]
    is_same = pc.fill_null(pc.equal(table[BEFORE], table[AFTER]), False)
    changes = table.filter(pc.invert(is_same))
    order = [(key, "ascending") for key in keys]
    return TableChanges(sorted(grades, key=_no_label_first), changes.sort_by(order))


def _no_label_first(count: GradePairCount) -> list[int]:
    return [-1 if grade is None else grade for grade in (count.before, count.after)]
