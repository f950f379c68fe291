"""What many tests begin with: made by the product's own services once in a process, and copied from then on."""

from collections.abc import Callable
from copy import deepcopy
from datetime import datetime, timedelta
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

from django.db import connection, transaction
from django.utils import timezone
from psycopg import sql

from tests import draws
from tests.lasting import filled_tables

Given = ParamSpec("Given")
Result = TypeVar("Result")
COLUMNS = """SELECT attname, atttypid = 'timestamptz'::regtype FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""


class Rows(NamedTuple):
    """A table's rows as PostgreSQL writes an array of them; of each column whether it holds moments."""

    table: str
    columns: dict[str, bool]
    text: str


class Kept(NamedTuple):
    """What was made: `result` with the objects of that time, the rows, and when that was."""

    result: object
    rows: list[Rows]
    at: datetime


def copied(make: Callable[Given, Result]) -> Callable[Given, Result]:
    """`make`, whose rows are kept when it is first called with some arguments in an empty database.

    From then on the same arguments bring them back into an empty one under the same keys, as old as if they were made
    now; only the objects that are returned, and what is written in JSON, still say when that first was. Files and
    messages are not brought back. A campaign takes a twentieth of its time so; beside other rows it is made anew.
    """
    kept: dict[str, Kept] = {}

    @wraps(make)
    def made(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        if filled_tables() or draws.is_making_a_copy():  # of which this is a part
            return make(*args, **kwargs)
        asked = repr((args, kwargs))
        if asked in kept:
            bring_back(kept[asked])
            return deepcopy(kept[asked].result)
        before = draws.begin_at(draws.OF_COPIES)
        try:
            result = make(*args, **kwargs)
        finally:
            draws.begin_at(before)
        kept[asked] = Kept(deepcopy(result), [rows_of(table) for table in filled_tables()], timezone.now())
        return result

    return made


def rows_of(table: str) -> Rows:
    """All rows of a table."""
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS, [table])
        columns = dict(cursor.fetchall())
        cursor.execute(sql.SQL("SELECT array_agg(each)::text FROM {} AS each").format(sql.Identifier(table)))
        return Rows(table, columns, cursor.fetchone()[0])


def bring_back(kept: Kept) -> None:
    """Store what was kept once more, each moment as much later as it is now."""
    later = timezone.now() - kept.at
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # rows come in any order, no trigger adds any
        cursor.execute(sql.SQL(";").join(insertion(rows, later) for rows in kept.rows))
        cursor.execute("SET LOCAL session_replication_role = origin")


def insertion(rows: Rows, later: timedelta) -> sql.Composed:
    """The statement that stores the rows of a table."""
    stored = [sql.Identifier(name) for name in rows.columns]
    brought = [
        sql.SQL("{} + {}").format(name, later) if is_moment else name
        for name, is_moment in zip(stored, rows.columns.values(), strict=True)
    ]
    return sql.SQL("INSERT INTO {table} ({stored}) SELECT {brought} FROM unnest({text}::{table}[])").format(
        table=sql.Identifier(rows.table),
        stored=sql.SQL(",").join(stored),
        brought=sql.SQL(",").join(brought),
        text=rows.text,
    )
