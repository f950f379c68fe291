"""The labels that differ between two sides, line by line: grades of pairs, labels of annotators."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from annotate.core.files.spreadsheet_cells import safe_cell
from metrics.core.releases.diffs.label_changes import PAIR, PERSON_AND_PAIR, label_changes
from metrics.services.releases.diffs.computation import DiffRequest
from metrics.services.releases.diffs.states import (
    present_grades,
    present_labels,
    released_grades,
    released_labels,
)

LINES_PER_PIECE = 5_000


def changed_grades(diff: DiffRequest) -> Iterator[str]:
    """The pairs whose grade differs, as CSV: query, document, before, after."""
    before = released_grades(release=diff.before, source=diff.source)
    if diff.after is None:
        after = present_grades(collection=diff.before.collection, source=diff.source)
    else:
        after = released_grades(release=diff.after, source=diff.source)
    return _lines(before, after, PAIR)


def changed_labels(diff: DiffRequest) -> Iterator[str]:
    """The labels of annotators that differ, as CSV: query, document, annotator, before, after."""
    before = released_labels(release=diff.before)
    if diff.after is None:
        after = present_labels(collection=diff.before.collection)
    else:
        after = released_labels(release=diff.after)
    return _lines(before, after, PERSON_AND_PAIR)


def _lines(before: pa.Table, after: pa.Table, keys: Sequence[str]) -> Iterator[str]:
    changes = label_changes(before, after, keys=keys).changes
    yield ",".join(changes.column_names) + "\r\n"
    for block in changes.to_batches(max_chunksize=LINES_PER_PIECE):
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\r\n")
        columns = [column.to_pylist() for column in block.columns]
        writer.writerows([safe_cell(cell) for cell in row] for row in zip(*columns, strict=True))
        yield stream.getvalue()


# by the names of their files; too many to be kept, they are read from both sides each time
LINES: dict[str, Callable[[DiffRequest], Iterator[str]]] = {
    "pairs": changed_grades,
    "labels": changed_labels,
}
