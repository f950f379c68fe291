"""Checks that every named constraint and trigger is there and in force."""

from collections.abc import Callable, Iterable
from importlib import import_module

from django.apps import apps
from django.db import connection

from annotate.checks.check import Check

_WALLS = import_module("annotate.migrations.0002_walls")
_LATER = import_module("annotate.migrations.0006_report_events")
_DUPLICATES = import_module("annotate.migrations.0021_duplicates")
_TRUNCATE = import_module("annotate.migrations.0017_truncate_refused")
_CONCERNS = import_module("annotate.migrations.0033_concerns")
_GROWING = (*_WALLS.APPEND_ONLY, *_LATER.APPEND_ONLY, *_CONCERNS.APPEND_ONLY)
TRIGGERS = [
    *(f"{table}_append_only" for table in _GROWING),
    *(f"{table}_no_truncate" for table in (*_TRUNCATE.TABLES, *_CONCERNS.APPEND_ONLY)),
    "annotate_level_frozen",
    "annotate_collection_rehearsal_kept",
]
COMPOSITE = [*_WALLS.COMPOSITE_KEYS, *_WALLS.TARGETS, *_DUPLICATES.COMPOSITE_KEYS]


def constraints_of(app_label: str) -> list[str]:
    """Return the names of all constraints that an application's models declare."""
    models = apps.get_app_config(app_label).get_models()
    return [constraint.name for model in models for constraint in model._meta.constraints]


def missing_constraints(names: Iterable[str]) -> list[str]:
    """Return the constraints that the database lacks or does not enforce."""
    # A unique constraint with a condition or an expression is an index to PostgreSQL.
    return _missing(
        names,
        """
        SELECT conname FROM pg_constraint WHERE convalidated
        UNION SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
              WHERE indisvalid AND indisunique""",
    )


def missing_triggers(names: Iterable[str] = TRIGGERS) -> list[str]:
    """Return the triggers that the database lacks or does not fire."""
    return _missing(
        names, "SELECT tgname FROM pg_trigger WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal"
    )


def constraints_check(app_label: str, *, also: Iterable[str] = ()) -> Check:
    """Return the check that an application's constraints are there."""
    find: Callable[[], list[str]] = lambda: missing_constraints([*constraints_of(app_label), *also])  # noqa: E731 - short
    return Check(
        f"{app_label}.constraints",
        "Every declared constraint is in the database and in force.",
        find,
    )


def _missing(names: Iterable[str], query_of_names: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(query_of_names)
        present_names = {row[0] for row in cursor.fetchall()}
    return [name for name in names if name not in present_names]


CHECKS = [
    constraints_check("annotate", also=COMPOSITE),
    Check(
        "annotate.triggers",
        "Tables that only grow refuse changes; a used scheme and what is a rehearsal are fixed.",
        missing_triggers,
    ),
]
