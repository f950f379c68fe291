"""The qrels of a release: qrels.parquet holds the lines of the files, all of them and in order."""

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import quoted
from annotate.core.phrases import count_of
from metrics.core.releases import tables
from metrics.core.releases.manifest import Manifest
from metrics.core.releases.verification.findings import Findings
from metrics.core.releases.verification.release_folder import (
    blocks_of,
    lines_of,
    open_table,
    word_column,
)

TABLE = "qrels/qrels.parquet"
ENDS = {"forward": ("query", "document"), "reverse": ("document", "query")}
ORIGINS = ("0", "propagated")  # the second field of a line: whose grade it is


class QrelsKey(NamedTuple):
    """The qrels of a query set under a label source."""

    label_source: str
    query_set: str
    direction: str


class GradeRow(NamedTuple):
    """A row of the table, as the line of qrels that it stands for; number : of the row, from 1."""

    key: QrelsKey
    number: int
    line: str


def qrels_paths(manifest: Manifest) -> dict[QrelsKey, str]:
    """The paths of qrels files by what they are of."""
    return {
        QrelsKey(source.key, qrels.query_set, qrels.direction): qrels.path
        for source in manifest.label_sources
        for qrels in source.qrels
    }


def check_qrels(source: Source, manifest: Manifest, findings: Findings) -> None:
    """Compare the table with the files, line by line."""
    paths = qrels_paths(manifest)
    n_rows = 0
    with findings.reading(TABLE):
        rows = _rows(source)
        row = next(rows, None)
        compared_keys = set()
        while row is not None:
            key = row.key
            path = paths.get(key)
            if path is None or key in compared_keys:
                findings.add(TABLE, stray_sentence(row, is_known=path is not None))
                row = next((other for other in rows if other.key != key), None)
                continue
            compared_keys.add(key)
            with findings.reading(path):
                row, n = _compare(source, path, row, rows, findings)
                n_rows += n
                continue
            # its file cannot be read: the next file's rows
            row = next((other for other in rows if other.key != key), None)
        for key in paths.keys() - compared_keys:
            with findings.reading(paths[key]), closing(lines_of(source, paths[key])) as lines:
                if (line := next(lines, None)) is not None:
                    findings.add(
                        paths[key],
                        f"{quoted(line[1])} and what follows are not in {TABLE}.",
                        line=1,
                    )
    findings.results.append(
        f"{count_of(n_rows, 'grades')} of {count_of(len(paths), 'files')} of qrels compared with "
        f"{TABLE}."
    )


def _compare(
    source: Source, path: str, row: GradeRow, rows: Iterator[GradeRow], findings: Findings
) -> tuple[GradeRow | None, int]:
    """Compare a file with the rows from this one on; the first row of the next, and how many.

    Both are in the order of their pairs, so one that is missing puts no other out of step.
    """
    next_row: GradeRow | None = row
    key, n = row.key, 0
    with closing(lines_of(source, path)) as lines:
        number, line = next(lines, (0, ""))
        while number or (next_row is not None and next_row.key == key):
            is_row = next_row is not None and next_row.key == key
            pair = _pair_of(line) if number else None
            row_pair = _pair_of(next_row.line) if next_row is not None and is_row else None
            has_line = pair is not None and (row_pair is None or pair <= row_pair)
            has_row = row_pair is not None and (pair is None or row_pair <= pair)
            if has_line and not has_row:
                findings.add(path, f"{quoted(line)} is not in {TABLE}.", line=number)
            elif next_row is not None and has_row and not has_line:
                words = f"row {next_row.number:,} of {TABLE}, {quoted(next_row.line)}"
                findings.add(path, f"It has no line for {words}.")
            elif next_row is not None and line != next_row.line:
                words = f"row {next_row.number:,} of {TABLE} is {quoted(next_row.line)}"
                findings.add(path, f"it is {quoted(line)}, and {words}.", line=number)
            n += has_line and has_row
            if has_line:
                number, line = next(lines, (0, ""))
            if has_row:
                next_row = next(rows, None)
    return next_row, n


def _pair_of(line: str) -> tuple[bytes, bytes]:
    """Source and target of a line, as files of qrels are in order by."""
    fields = [*line.split(" "), "", ""]
    return fields[0].encode(), fields[2].encode()


def stray_sentence(row: GradeRow, *, is_known: bool) -> str:
    key = row.key
    words = f"Row {row.number:,}: {key.label_source}, {key.query_set}, {key.direction}"
    if is_known:
        return f"{words} comes again after others."
    return f"{words} has no file in manifest.json."


def _rows(source: Source) -> Iterator[GradeRow]:
    number = 0
    with open_table(source, TABLE, tables.QRELS) as table:
        for block in blocks_of(table, tables.QRELS.names):
            columns = {
                name: word_column(block, name, TABLE)
                for name in (*QrelsKey._fields, "query", "document")
            }
            cells = {
                name: [column.words[code] for code in column.codes.tolist()]
                for name, column in columns.items()
            }
            grades = block.column("grade").to_pylist()
            marks = block.column("is_propagated").to_pylist()
            for position, (grade, is_propagated) in enumerate(zip(grades, marks, strict=True)):
                number += 1
                key = QrelsKey(*(cells[name][position] for name in QrelsKey._fields))
                first, second = ENDS.get(key.direction, ENDS["forward"])
                origin = ORIGINS[bool(is_propagated)]
                line = f"{cells[first][position]} {origin} {cells[second][position]} {grade}"
                yield GradeRow(key, number, line)
