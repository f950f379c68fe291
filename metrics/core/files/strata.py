"""Qrels of four columns, or of five with the stratum of each document, as in sample_eval."""

from typing import BinaryIO

import numpy as np

from annotate.core.files import text_files
from annotate.core.files.formats import FormatError, Problems
from annotate.core.files.references.reference_formats import (
    STRATIFIED_FIELDS,
    ReferenceRow,
    read_reference,
)
from pooling.core.files.text.runs import QrelsFile, read_qrels


def read_labels(stream: BinaryIO, *, name: str) -> QrelsFile:
    """Read a qrels file, gzip or plain; its first line tells the number of columns.

    Raises FormatError.
    """
    n_fields = len(text_files.first_line(stream, name).split())
    stream.seek(0)
    return (
        _read_stratified(stream, name)
        if n_fields == STRATIFIED_FIELDS
        else read_qrels(stream, name=name)
    )


def _read_stratified(stream: BinaryIO, name: str) -> QrelsFile:
    problems = Problems()
    rows = list(read_reference(stream, name, problems))
    if problems:
        raise problems.errors[0]
    _refuse_repeats(rows, name)
    queries = list(dict.fromkeys(row.query for row in rows))
    query_numbers = {query: number for number, query in enumerate(queries)}
    return QrelsFile(
        queries=np.array([query.encode() for query in queries], dtype=np.bytes_),
        query=np.array([query_numbers[row.query] for row in rows], dtype=np.int32),
        docs=np.array([row.document.encode() for row in rows], dtype=np.bytes_),
        grades=np.array([row.grade for row in rows], dtype=np.int64),
        stratum=np.unique([row.stratum or 0 for row in rows], return_inverse=True)[1].astype(
            np.int64
        ),
    )


def _refuse_repeats(rows: list[ReferenceRow], name: str) -> None:
    first_lines: dict[tuple[str, str], int] = {}
    for row in rows:
        line = first_lines.setdefault((row.query, row.document), row.line)
        if line != row.line:
            raise FormatError(
                name,
                row.line,
                "",
                f"{row.document} has a grade for {row.query} in line {line} already.",
            )
