"""The one way to delete a collection: every row and file of it, by the owner of the tables."""

import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial

from django.apps import apps
from django.db import connection, models, transaction

from annotate.models import Collection
from annotate.services.media import media_folder


class NotOwner(Exception):
    """The database role may not delete from tables that only grow; nothing was deleted."""


@transaction.atomic
def purge_collection(*, collection: Collection, app_labels: Iterable[str]) -> dict[str, int]:
    """Delete all that the applications hold of a collection, and the collection; rows by table.

    app_labels : the applications, those that stand on others first
    Files go once everything is committed. Raises NotOwner.
    """
    _unlock(collection)
    counts: dict[str, int] = {}
    for label in app_labels:
        for model, condition in _own(label):
            _forget_files(model, condition, collection)
            counts[model._meta.db_table] = _delete(model, condition, collection)
    transaction.on_commit(partial(shutil.rmtree, media_folder(collection), ignore_errors=True))
    return {table: n for table, n in counts.items() if n}


def _unlock(collection: Collection) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableowner = current_user FROM pg_tables WHERE tablename = 'annotate_judgment'")
        if not cursor.fetchone()[0]:
            raise NotOwner("This database role does not own the tables; set DATABASE_URL to the role that does.")
        # What the triggers of the tables that only grow look for, until the transaction ends.
        cursor.execute("SELECT set_config('assayer.purge', %s, true)", [collection.slug])
        cursor.execute("SELECT FROM annotate_collection WHERE id = %s FOR UPDATE", [collection.pk])


def _own(label: str) -> Iterator[tuple[type[models.Model], str]]:
    """An application's models with rows of a collection, what points to others first, and which rows."""
    ways = _ways()
    models_ = apps.get_app_config(label).get_models(include_auto_created=True)
    held = [model for model in models_ if model in ways and model._meta.managed]  # a view has no rows of its own
    for model in sorted(held, key=lambda model: -ways[model][0]):
        yield model, ways[model][1]


def _ways() -> dict[type[models.Model], tuple[int, str]]:
    """How each model's rows are told to be a collection's: steps to it, and a condition in SQL.

    Found by following foreign keys, so that a new table cannot be forgotten.
    """
    ways: dict[type[models.Model], tuple[int, str]] = {Collection: (0, "id = %(collection)s")}
    waiting: deque[type[models.Model]] = deque([Collection])
    while waiting:
        target = waiting.popleft()
        steps, condition = ways[target]
        key, table = target._meta.pk.column, target._meta.db_table
        for relation in target._meta.get_fields(include_hidden=True):
            model = relation.related_model
            if not (relation.one_to_many or relation.one_to_one) or not relation.auto_created or model in ways:
                continue
            column = relation.field.column
            inner = f'"{column}" IN (SELECT "{key}" FROM "{table}" WHERE {condition})'  # noqa: S608 - own names
            ways[model] = (steps + 1, inner)
            waiting.append(model)
    return ways


def _delete(model: type[models.Model], condition: str, collection: Collection) -> int:
    with connection.cursor() as cursor:
        statement = f'DELETE FROM "{model._meta.db_table}" WHERE {condition}'  # noqa: S608 - own names
        cursor.execute(statement, {"collection": collection.pk})
        return cursor.rowcount


def _forget_files(model: type[models.Model], condition: str, collection: Collection) -> None:
    """Delete the files that these rows name once the rows are gone for good."""
    for field in model._meta.get_fields():
        if not isinstance(field, models.FileField):
            continue
        with connection.cursor() as cursor:
            statement = f'SELECT "{field.column}" FROM "{model._meta.db_table}" WHERE {condition}'  # noqa: S608
            cursor.execute(statement, {"collection": collection.pk})
            for name in filter(None, (name for (name,) in cursor.fetchall())):
                transaction.on_commit(partial(field.storage.delete, name))
