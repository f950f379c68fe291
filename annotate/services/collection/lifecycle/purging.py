"""The one way to delete a collection: every row and file of it, by the owner of the tables.

The operator can delete any collection; a lead can delete one in which nobody has judged.
"""

import logging
import shutil
from functools import partial

from django.db import connection, models, transaction

from annotate.core.consequences import CountChanged, require_told
from annotate.models import Collection, Judgment, QuizAttempt, Report, User
from annotate.services.collection.media import media_folder
from annotate.services.storage.collection_rows import (
    NotOwner,
    applications_with_rows,
    is_owner,
    models_with_rows,
)
from annotate.services.storage.files import delete_on_commit
from annotate.signals import deletion_requested

log = logging.getLogger(__name__)


class CollectionJudged(Exception):
    """People have answered in the collection, so that it stays; nothing was deleted."""


@transaction.atomic
def purge_collection(*, collection: Collection) -> dict[str, int]:
    """Delete a collection with its rows in every application; return the number of rows by table.

    Files go once everything is committed. Raises NotOwner.
    """
    allow_deleting(name=collection.slug, command=f"purge_collection {collection.slug} --yes")
    Collection.objects.select_for_update().get(pk=collection.pk)
    counts: dict[str, int] = {}
    for label in applications_with_rows():
        for model, condition in models_with_rows(label):
            _forget_files(model, condition, collection)
            table = model._meta.db_table
            with connection.cursor() as cursor:
                statement = f'DELETE FROM "{table}" WHERE {condition}'  # noqa: S608 - own names
                cursor.execute(statement, {"collection": collection.pk})
                counts[table] = cursor.rowcount
    transaction.on_commit(partial(shutil.rmtree, media_folder(collection), ignore_errors=True))
    return {table: n for table, n in counts.items() if n}


@transaction.atomic
def request_deletion(*, collection: Collection, by: User, expected: int | None = None) -> None:
    """Have a worker delete a collection in which nobody has answered anything.

    Raises CollectionJudged, NotOwner, CountChanged.

    expected : number of items that was told, no more than which may go
    """
    require_unjudged(collection=collection)
    require_owner(command=f"purge_collection {collection.slug} --yes")
    require_told(collection.items.count(), expected=expected, noun="item")
    deletion_requested.send(
        sender=Collection, collection_id=collection.pk, by_id=by.pk, expected=expected
    )


@transaction.atomic
def delete_if_unjudged(*, collection_id: int, by: User | None, expected: int | None = None) -> bool:
    """Delete a collection in which nobody has answered anything; return whether it was deleted.

    Raises NotOwner.

    expected : number of items that was told; with more of them by now it stays
    """
    collection = Collection.objects.select_for_update().filter(pk=collection_id).first()
    if collection is None:
        return False
    try:
        require_unjudged(collection=collection)
        require_told(collection.items.count(), expected=expected, noun="item")
    except (CollectionJudged, CountChanged) as error:
        log.warning("%s wanted the collection %s deleted: %s", by, collection.slug, error)
        return False
    counts = purge_collection(collection=collection)
    log.info("%s deleted the collection %s: %s rows", by, collection.slug, sum(counts.values()))
    return True


def require_unjudged(*, collection: Collection) -> None:
    """Raise CollectionJudged where there are judgments, imported labels, quizzes or reports."""
    answers = (
        Judgment.objects.filter(collection=collection),
        Report.objects.filter(collection=collection),
        QuizAttempt.objects.filter(quiz__collection=collection),
    )
    if any(rows.exists() for rows in answers):
        raise CollectionJudged(
            f"People have answered in “{collection}”, so it stays. The operator can delete it: "
            f"python3 manage.py purge_collection {collection.slug}."
        )


def require_owner(*, command: str) -> None:
    """Raise NotOwner where the database role may not delete from such tables.

    command : for the operator to call.
    """
    if not is_owner():
        raise NotOwner(
            "Nothing was deleted: the database role of this site's pages and workers does not own "
            "the tables. The operator can delete it, as the role that does: "
            f"docker compose run --rm migrate python manage.py {command}"
        )


def allow_deleting(*, name: str, command: str) -> None:
    """Allow deleting from tables that only grow until the transaction ends. Raises NotOwner.

    name : purpose of the deletion; command : for the operator to call where this role may not
    """
    require_owner(command=command)
    with connection.cursor() as cursor:
        # read by the tables' triggers
        cursor.execute("SELECT set_config('assayer.purge', %s, true)", [name])


def forbid_deleting() -> None:
    """Forbid deleting from tables that only grow in the rest of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('assayer.purge', '', true)")


def _forget_files(model: type[models.Model], condition: str, collection: Collection) -> None:
    """Delete the files that these rows name once the rows are gone for good."""
    for field in model._meta.get_fields():
        if not isinstance(field, models.FileField):
            continue
        with connection.cursor() as cursor:
            statement = f'SELECT "{field.column}" FROM "{model._meta.db_table}" WHERE {condition}'  # noqa: S608 - own names
            cursor.execute(statement, {"collection": collection.pk})
            for name in filter(None, (name for (name,) in cursor.fetchall())):
                delete_on_commit(name, storage=field.storage)
