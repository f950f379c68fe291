"""Every named constraint refuses its violation; one without a case here fails the test."""

import pytest
from django.db import IntegrityError, connection, transaction

from annotate.checks.constraints import COMPOSITE, TRIGGERS, constraints_of
from tests import campaigns
from tests.tables.constraint_cases import CASES, FOREIGN_ROWS, REFUSED_STATEMENTS, Copy
from tests.tables.table_cleanup import MAY_TRUNCATE

pytestmark = pytest.mark.django_db


@pytest.fixture
def collections():
    """Keys of two collections with campaigns; no constraint is left deferred."""
    campaign, other = campaigns.campaigns("made", "other")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    return {"made": campaign.collection.pk, "other": other.collection.pk}


def insert(cursor, case):
    if case.first:
        cursor.execute(case.first)
    cursor.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s", [case.table]
    )
    columns = [name for (name,) in cursor.fetchall() if name != "id" or "id" in case.changed]
    values = ", ".join(case.changed.get(name, f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    cursor.execute(
        f"INSERT INTO {case.table} ({names}) SELECT {values} FROM {case.table} WHERE {case.where} "
        "ORDER BY id LIMIT 1"
    )


def refused_by(case, before="SELECT"):
    """Name of the constraint that refused the case, or "nothing"; all is rolled back."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(before)
            insert(cursor, case) if isinstance(case, Copy) else cursor.execute(case)
            transaction.set_rollback(True)
    except IntegrityError as refusal:
        return refusal.__cause__.diag.constraint_name
    return "nothing"


def test_every_constraint_and_wall_has_a_case():
    declared = {name for app in ("annotate", "pooling", "metrics") for name in constraints_of(app)}
    assert declared | set(COMPOSITE) == set(CASES) | set(FOREIGN_ROWS)
    assert set(TRIGGERS) == set(REFUSED_STATEMENTS)


def test_each_constraint_refuses_its_case(collections):
    asleep = "SET LOCAL session_replication_role = replica"  # triggers would refuse first
    assert {name: refused_by(case, asleep) for name, case in CASES.items()} == {
        name: name for name in CASES
    }


def test_no_row_can_point_into_another_collection(collections):
    asleep = "ALTER TABLE annotate_judgment DISABLE TRIGGER annotate_judgment_append_only"
    refused = {
        name: refused_by(case.format(**collections), asleep) for name, case in FOREIGN_ROWS.items()
    }
    assert refused == {name: name for name in FOREIGN_ROWS}


def test_what_only_grows_refuses_to_change(collections):
    refused = {
        statement: refused_by(statement)
        for statements in REFUSED_STATEMENTS.values()
        for statement in statements
    }
    assert refused == {
        statement: name
        for name, statements in REFUSED_STATEMENTS.items()
        for statement in statements
    }


def test_tables_that_only_grow_are_emptied_by_tests_alone(collections):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%append_only'"
        )
        growing = {table for (table,) in cursor.fetchall()}
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (True,)  # only a trigger stops a superuser
    for table in growing:
        assert (table, refused_by(f"TRUNCATE {table} CASCADE") != "nothing") == (table, True)
        assert (
            refused_by(f"TRUNCATE {table} CASCADE", "SET LOCAL assayer.purge = 'made'") != "nothing"
        )
    assert refused_by("TRUNCATE annotate_collection CASCADE") != "nothing"
    for table in growing:
        assert refused_by(f"TRUNCATE {table} CASCADE", MAY_TRUNCATE) == "nothing"


def test_a_case_that_nothing_refuses_is_told(collections):
    assert refused_by("UPDATE annotate_collection SET name = 'other'") == "nothing"
