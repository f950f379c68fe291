"""Prepared statements, for those of every answer: planning them takes longer than running them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from psycopg import Cursor


def prepared_cursor() -> CursorWrapper:
    """Return a cursor that prepares repeated statements (see prepare_threshold).

    Django's own cursors put the values into the text, so that each is a new statement to the
    server. Parameters go to the server apart here: what it cannot tell the type of needs a cast.
    """
    connection.ensure_connection()
    cursor = Cursor(connection.connection)
    return connection.make_debug_cursor(cursor) if connection.queries_logged else connection.make_cursor(cursor)


@contextmanager
def without_timeout() -> Iterator[None]:
    """Lift the time limit of statements whose rows are read slowly, as over a slow line."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    try:
        yield
    finally:
        with suppress(DatabaseError), connection.cursor() as cursor:  # in a transaction that failed it is reset anyhow
            cursor.execute("RESET statement_timeout")


def columns(model: type[Model], alias: str) -> str:
    """The columns of a model, for a SELECT; see `objects`.

    Not for models with JSON, which Django decodes itself.
    """
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


def objects(row: Sequence[object], *models: type[Model]) -> Iterator[Model]:
    """The objects of a row that begins with the `columns` of these models."""
    start = 0
    for model in models:
        names = [field.attname for field in model._meta.concrete_fields]
        yield model.from_db(connection.alias, names, row[start : start + len(names)])
        start += len(names)
