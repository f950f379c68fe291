"""The one way to delete a collection: every row and file of it, by the owner of the tables.

The operator can delete any; who leads one can while nobody has judged in it.
"""

import logging
import shutil
from collections import deque
from collections.abc import Iterator
from functools import partial

from django.apps import apps
from django.db import connection, models, transaction

from annotate.models import Collection, Judgment, QuizAttempt, Report, User
from annotate.services.files import delete_on_commit
from annotate.services.media import media_folder

log = logging.getLogger(__name__)


class NotOwner(Exception):
    """The database role may not delete from tables that only grow; nothing was deleted."""


class Judged(Exception):
    """People have answered in the collection, so that it stays; nothing was deleted."""


@transaction.atomic
def purge_collection(*, collection: Collection) -> dict[str, int]:
    """Delete all that the applications hold of a collection, and the collection; rows by table.

    Files go once everything is committed. Raises NotOwner.
    """
    unlock(name=collection.slug, command=f"purge_collection {collection.slug} --yes")
    Collection.objects.select_for_update().get(pk=collection.pk)
    counts: dict[str, int] = {}
    for label in _applications():
        for model, condition in _own(label):
            _forget_files(model, condition, collection)
            counts[model._meta.db_table] = _delete(model, condition, collection)
    transaction.on_commit(partial(shutil.rmtree, media_folder(collection), ignore_errors=True))
    return {table: n for table, n in counts.items() if n}


@transaction.atomic
def delete_if_unjudged(*, collection_id: int, by: User | None) -> bool:
    """Delete a collection in which nobody has answered anything, and say whether it was. Raises NotOwner."""
    collection = Collection.objects.select_for_update().filter(pk=collection_id).first()
    if collection is None:
        return False
    try:
        require_unjudged(collection=collection)
    except Judged as error:
        log.warning("%s wanted the collection %s deleted: %s", by, collection.slug, error)
        return False
    counts = purge_collection(collection=collection)
    log.info("%s deleted the collection %s: %s rows", by, collection.slug, sum(counts.values()))
    return True


def require_unjudged(*, collection: Collection) -> None:
    """Raise Judged where somebody has judged, been trained or reported in a collection, or labels were imported."""
    answers = (
        Judgment.objects.filter(collection=collection),
        Report.objects.filter(collection=collection),
        QuizAttempt.objects.filter(quiz__collection=collection),
    )
    if any(given.exists() for given in answers):
        raise Judged(
            f"People have answered in “{collection}”, so it stays. The operator can delete it: "
            f"python3 manage.py purge_collection {collection.slug}."
        )


def is_owner() -> bool:
    """Whether the database role may delete from tables that only grow."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableowner = current_user FROM pg_tables WHERE tablename = 'annotate_judgment'")
        return bool(cursor.fetchone()[0])


def require_owner(*, command: str) -> None:
    """Raise NotOwner where the database role may not delete so; command : what the operator then calls."""
    if not is_owner():
        raise NotOwner(
            "Nothing was deleted: the database role of this site's pages and workers does not own the tables. The "
            f"operator can delete it, as the role that does: docker compose run --rm migrate python manage.py {command}"
        )


def unlock(*, name: str, command: str) -> None:
    """Let rows of tables that only grow be deleted until the transaction ends. Raises NotOwner.

    name : what for; command : what the operator calls where this role may not
    """
    require_owner(command=command)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('assayer.purge', %s, true)", [name])  # what their triggers look for


def lock_again() -> None:
    """Let nothing be deleted from tables that only grow in the rest of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('assayer.purge', '', true)")


def _applications() -> list[str]:
    """Those that hold rows of a collection, who stand on others first: they are installed after them."""
    holding = {model._meta.app_label for model in _ways()}
    return [each.label for each in reversed(list(apps.get_app_configs())) if each.label in holding]


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
                delete_on_commit(name, storage=field.storage)
