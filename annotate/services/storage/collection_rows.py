"""The rows of a collection in the tables of every application, and who owns these tables."""

from collections import deque
from collections.abc import Iterator

from django.apps import apps
from django.db import connection, models
from django.db.models.fields.reverse_related import ForeignObjectRel

from annotate.models import Collection


class NotOwner(Exception):
    """The database role does not own the tables that only grow; nothing was changed."""


def is_owner() -> bool:
    """True if the database role may delete from tables that only grow."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tableowner = current_user FROM pg_tables WHERE tablename = 'annotate_judgment'"
        )
        return bool(cursor.fetchone()[0])


def applications_with_rows() -> list[str]:
    """Labels of the applications with rows of a collection, dependent ones first."""
    labels = {model._meta.app_label for model in _row_conditions()}
    return [app.label for app in reversed(list(apps.get_app_configs())) if app.label in labels]


def models_with_rows(label: str) -> Iterator[tuple[type[models.Model], str]]:
    """An application's models with rows of a collection, referring ones first."""
    conditions = _row_conditions()
    models_ = apps.get_app_config(label).get_models(include_auto_created=True)
    # a view has no rows of its own
    collection_models = [model for model in models_ if model in conditions and model._meta.managed]
    for model in sorted(collection_models, key=lambda model: -conditions[model][0]):
        yield model, conditions[model][1]


def _row_conditions() -> dict[type[models.Model], tuple[int, str]]:
    """Map each model to its distance in foreign keys and the SQL condition of its rows.

    Found by following foreign keys, so that a new table cannot be forgotten; by one that may be
    blank only where no other leads to the table, for it does not lead to all of its rows.
    """
    conditions: dict[type[models.Model], tuple[int, str]] = {Collection: (0, "id = %(collection)s")}
    for is_nullable in (False, True):
        queue: deque[type[models.Model]] = deque(conditions)
        while queue:
            target = queue.popleft()
            steps, condition = conditions[target]
            key, table = target._meta.pk.column, target._meta.db_table
            for relation in target._meta.get_fields(include_hidden=True):
                if not isinstance(relation, ForeignObjectRel) or relation.many_to_many:
                    continue
                model, field = relation.related_model, relation.field
                if model in conditions or (field.null and not is_nullable):
                    continue
                row_condition = (
                    f'"{field.column}" IN (SELECT "{key}" FROM "{table}" WHERE {condition})'  # noqa: S608 - own names
                )
                conditions[model] = (steps + 1, row_condition)
                queue.append(model)
    return conditions
