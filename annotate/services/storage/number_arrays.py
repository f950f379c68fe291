"""Whole numbers of the database as arrays."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import QuerySet as Rows
from numpy.typing import NDArray

from annotate.statements import SqlValue

Numbers = NDArray[np.int64]
_HEADER, _TRAILER = 19, 2  # bytes of a binary copy: signature, flags and extension; the end mark


def column(rows: Rows[Any, tuple[Any, ...]]) -> Numbers:
    """Read one column of whole numbers as an (n,) array."""
    return table(rows, 1)[:, 0]


def table(rows: Rows[Any, tuple[Any, ...]], width: int) -> Numbers:
    """Read rows of `width` whole numbers as an (n, width) array, in chunks."""
    numbers = np.fromiter(chain.from_iterable(rows.iterator(chunk_size=20_000)), dtype=np.int64)
    return numbers.reshape(-1, width)


def statement_columns(
    statement: str, width: int, parameters: Sequence[SqlValue] | Mapping[str, SqlValue]
) -> Numbers:
    """Read the rows of `width` whole numbers of a statement as a (width, n) array."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, width).T


def copied_columns(
    statement: str, names: Sequence[str], parameters: Sequence[SqlValue] | Mapping[str, SqlValue]
) -> dict[str, Numbers]:
    """Read the rows of a statement as an (n,) array a name, by a binary copy.

    Of hundreds of thousands of rows several times as fast as `statement_columns`.
    statement : each of its columns is a bigint, and never null: rows have one length then
    """
    fields = [("n_fields", ">i2")]
    for name in names:
        fields += [(f"size_of_{name}", ">i4"), (name, ">i8")]
    copy_statement = f"COPY ({statement}) TO STDOUT (FORMAT binary)"
    with (
        connection.cursor() as cursor,
        cursor.cursor.copy(copy_statement, parameters) as copy,
    ):
        content = b"".join(copy)
    rows = np.frombuffer(content[_HEADER:-_TRAILER], dtype=np.dtype(fields))
    return {name: rows[name].astype(np.int64) for name in names}
