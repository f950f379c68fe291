"""Prepared statements, for those of every answer: planning them takes longer than running them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, TypeVar, overload
from uuid import UUID

from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from psycopg import Cursor

First = TypeVar("First", bound=Model)
Second = TypeVar("Second", bound=Model)
Third = TypeVar("Third", bound=Model)
SqlValue = bool | int | float | str | datetime | UUID | list[Any] | None  # a statement's parameter


def prepared_cursor() -> CursorWrapper:
    """Return a cursor that prepares repeated statements (see prepare_threshold).

    Django's own cursors put the values into the text, so that each is a new statement to the
    server. Parameters go to the server apart here: what it cannot tell the type of needs a cast.
    """
    connection.ensure_connection()
    cursor = Cursor(connection.connection)
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    return wrap(cursor)  # type: ignore[arg-type]  # the stubs name what is returned


@contextmanager
def without_timeout() -> Iterator[None]:
    """Lift the time limit of statements whose rows are read slowly, as over a slow line."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    try:
        yield
    finally:
        # in a transaction that failed it is reset anyhow
        with suppress(DatabaseError), connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")


def text_list(values: Iterable[str]) -> str:
    """The values of an enum as a list in SQL: ('label', 'import')."""
    return "(" + ", ".join(f"'{value}'" for value in values) + ")"


def columns(model: type[Model], alias: str) -> str:
    """The columns of a model, for a SELECT; see `objects`.

    Not for models with JSON, which Django decodes itself.
    """
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


@overload
def objects(row: Sequence[object], model: type[First], /) -> tuple[First]: ...


@overload
def objects(
    row: Sequence[object], model: type[First], second: type[Second], /
) -> tuple[First, Second]: ...


@overload
def objects(
    row: Sequence[object], model: type[First], second: type[Second], third: type[Third], /
) -> tuple[First, Second, Third]: ...


def objects(row: Sequence[object], *models: type[Model]) -> tuple[Model, ...]:
    """The objects of a row that begins with the `columns` of these models."""
    start = 0
    instances = []
    for model in models:
        names = [field.attname for field in model._meta.concrete_fields]
        instances.append(model.from_db(connection.alias, names, row[start : start + len(names)]))
        start += len(names)
    return tuple(instances)
