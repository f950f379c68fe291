"""Rows that many tests begin with: made by the product's services once a process, then copied."""

from collections.abc import Callable
from copy import deepcopy
from datetime import datetime, timedelta
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

from django.db import connection, transaction
from django.utils import timezone
from psycopg import sql

from tests import seeding
from tests.tables.table_cleanup import filled_tables

Params = ParamSpec("Params")
Result = TypeVar("Result")
COLUMNS = """SELECT attname, atttypid = 'timestamptz'::regtype FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""


class TableRows(NamedTuple):
    """A table's rows as the text of a PostgreSQL array, and which columns are timestamps."""

    table: str
    columns: dict[str, bool]
    text: str


class CachedRows(NamedTuple):
    """The rows of one call, its `result` with the objects of that time, and its time."""

    result: object
    rows: list[TableRows]
    made_at: datetime


def cached_rows(make: Callable[Params, Result]) -> Callable[Params, Result]:
    """Wrap `make`: cache the rows of its first call with given arguments in an empty database.

    From then on the same arguments restore them into an empty one under the same keys, as old as if
    they were made now; only the returned objects, and times written in JSON, keep the first times.
    Files and messages are not restored. A campaign takes a twentieth of its time so; beside other
    rows it is made anew.
    """
    cache: dict[str, CachedRows] = {}

    @wraps(make)
    def cached_make(*args: Params.args, **kwargs: Params.kwargs) -> Result:
        # beside other rows, or as a part of another cached call
        if filled_tables() or seeding.is_making_cached_rows():
            return make(*args, **kwargs)
        key = repr((args, kwargs))
        if key in cache:
            restore_rows(cache[key])
            return deepcopy(cache[key].result)
        previous_range = seeding.restart_numbers(seeding.CACHE_KEYS)
        try:
            result = make(*args, **kwargs)
        finally:
            seeding.restart_numbers(previous_range)
        cache[key] = CachedRows(
            deepcopy(result), [rows_of(table) for table in filled_tables()], timezone.now()
        )
        return result

    return cached_make


def rows_of(table: str) -> TableRows:
    """All rows of a table."""
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS, [table])
        columns = dict(cursor.fetchall())
        cursor.execute(
            sql.SQL("SELECT array_agg(each)::text FROM {} AS each").format(sql.Identifier(table))
        )
        return TableRows(table, columns, cursor.fetchone()[0])


def restore_rows(cached: CachedRows) -> None:
    """Store cached rows again, every timestamp shifted to the present."""
    shift = timezone.now() - cached.made_at
    with transaction.atomic(), connection.cursor() as cursor:
        # rows come in any order, no trigger adds any
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(sql.SQL(";").join(insertion(rows, shift) for rows in cached.rows))
        cursor.execute("SET LOCAL session_replication_role = origin")


def insertion(rows: TableRows, shift: timedelta) -> sql.Composed:
    """The statement that stores the rows of a table."""
    columns = [sql.Identifier(name) for name in rows.columns]
    values = [
        sql.SQL("{} + {}").format(name, shift) if is_moment else name
        for name, is_moment in zip(columns, rows.columns.values(), strict=True)
    ]
    return sql.SQL(
        "INSERT INTO {table} ({stored}) SELECT {brought} FROM unnest({text}::{table}[])"
    ).format(
        table=sql.Identifier(rows.table),
        stored=sql.SQL(",").join(columns),
        brought=sql.SQL(",").join(values),
        text=rows.text,
    )
