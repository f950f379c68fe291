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
