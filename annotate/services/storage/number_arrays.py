"""Whole numbers of the database as arrays."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet as Rows
from numpy.typing import NDArray

from annotate.statements import SqlValue

Numbers = NDArray[np.int64]
ARRAY_HEADER = 20  # bytes before the elements of a one-dimensional array as PostgreSQL sends it


def column(rows: Rows[Any, tuple[Any, ...]]) -> Numbers:
    """Read one column of whole numbers as an (n,) array."""
    return table(rows, 1)[:, 0]


def table(rows: Rows[Any, tuple[Any, ...]], width: int) -> Numbers:
    """Read rows of `width` whole numbers, none of them null, as an (n, width) array."""
    try:
        statement, parameters = rows.query.sql_with_params()
    except EmptyResultSet:  # of an empty list of keys
        return np.zeros((0, width), dtype=np.int64)
    names = [f"number_{position}" for position in range(width)]
    return np.column_stack(list(copied_columns(statement, names, parameters).values()))


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
    """Read the rows of a statement as an (n,) array a name, each column as one string of bytes.

    They are in the order of the statement.
    Of hundreds of thousands of rows many times as fast as `statement_columns`.
    statement : each of its columns is a whole number, and never null; ValueError for a null
    """
    columns = [f'"{name}"' for name in names]
    strings = ", ".join(f"string_agg(int8send({name}::bigint), ''::bytea)" for name in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*), {strings} FROM ({statement}) "  # noqa: S608
            f"AS row ({', '.join(columns)})",
            parameters,
        )
        n, *values = cursor.fetchone()
    if any(len(value or b"") != 8 * n for value in values):
        raise ValueError("A number is null, of which an array has none.")
    return {name: numbers_of(value or b"") for name, value in zip(names, values, strict=True)}


def array_literal(numbers: Numbers) -> str:
    """A bigint[] as text, for a parameter of a query: thousands of numbers take long one by one."""
    return f"{{{','.join(map(str, numbers.tolist()))}}}"


def numbers_of(numbers: bytes) -> Numbers:
    """(n,) numbers as int8send gives them, one after another."""
    return np.frombuffer(numbers, dtype=">i8").astype(np.int64)


def sent_elements(arrays: Iterable[bytes], element_type: type[np.generic]) -> NDArray[Any]:
    """(n,) elements of one-dimensional arrays without nulls, one after another.

    arrays : each as array_send gives it, so that numbers need not become objects one by one
    element_type : np.int64 or np.float64, of 8 bytes
    """
    return elements_of(b"".join(array[ARRAY_HEADER:] for array in arrays), element_type)


def elements_of(elements: bytes, element_type: type[np.generic]) -> NDArray[Any]:
    """(n,) elements of arrays without nulls, as array_send gives them but for its header."""
    kind = np.dtype(element_type).newbyteorder(">")
    layout = np.dtype([("size", ">i4"), ("value", kind)])
    return np.frombuffer(elements, dtype=layout)["value"].astype(element_type)
