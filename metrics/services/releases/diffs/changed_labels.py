"""The labels that differ between two sides, line by line: grades of pairs, labels of annotators."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from annotate.core.files.spreadsheet_cells import safe_cell
from metrics.core.labels.label_sources import LabelSource
from metrics.core.releases.diffs.label_changes import PAIR, PERSON_AND_PAIR, label_changes
from metrics.models import Release
from metrics.services.releases.diffs.states import (
    present_grades,
    present_labels,
    released_grades,
    released_labels,
)

LINES_PER_PIECE = 5_000


def changed_grades(before: Release, after: Release | None, source: LabelSource) -> Iterator[str]:
    """The pairs whose grade differs, as CSV: query, document, before, after."""
    grades = (
        present_grades(collection=before.collection, source=source)
        if after is None
        else released_grades(release=after, source=source)
    )
    return _lines(released_grades(release=before, source=source), grades, PAIR)


def changed_labels(before: Release, after: Release | None, source: LabelSource) -> Iterator[str]:
    """The labels of annotators that differ, as CSV: query, document, annotator, before, after."""
    labels = (
        present_labels(collection=before.collection)
        if after is None
        else released_labels(release=after)
    )
    return _lines(released_labels(release=before), labels, PERSON_AND_PAIR)


def _lines(before: pa.Table, after: pa.Table, keys: Sequence[str]) -> Iterator[str]:
    changes = label_changes(before, after, keys=keys).changes
    yield ",".join(changes.column_names) + "\r\n"
    for block in changes.to_batches(max_chunksize=LINES_PER_PIECE):
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\r\n")
        columns = [column.to_pylist() for column in block.columns]
        writer.writerows([safe_cell(cell) for cell in row] for row in zip(*columns, strict=True))
        yield stream.getvalue()


# by the names of their files
LINES: dict[str, Callable[[Release, Release | None, LabelSource], Iterator[str]]] = {
    "pairs": changed_grades,
    "labels": changed_labels,
}
