"""The role of web and workers runs the product, alters no table, and names the owner's commands."""

from io import StringIO

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from annotate.models import Collection, Judgment, Role
from annotate.services.storage.collection_rows import NotOwner
from config import app_role
from metrics.services.numbers import refresh
from pooling.models import Run, RunEvent
from pooling.services.runs import deletion as run_deletion
from tests import cast
from tests.metrics import studies
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_app():
    """Run the product's statements with the role of web and workers, until the test ends."""
    app_role.make_app_role(password="x", name="role_of_a_test")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE role_of_a_test")
    return "role_of_a_test"


def refused(statement: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            transaction.set_rollback(True)
    except DatabaseError as error:
        assert isinstance(error.__cause__, psycopg.errors.InsufficientPrivilege), error
        return True
    return False


def test_a_study_is_made_and_judged_and_its_numbers_written_by_the_role(as_app):
    study = studies.study()
    studies.judge(cast.annotator(study))
    refresh.refresh(collection=study)
    refresh.rebuild(collection=study)
    assert Judgment.objects.exists() and study.snapshots.exists()


@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE annotate_change",
        "DROP TABLE annotate_change",
        "ALTER TABLE annotate_judgment DISABLE TRIGGER ALL",
        "CREATE TABLE public.mine (a int)",
        "DROP TRIGGER annotate_judgment_append_only ON annotate_judgment",
        "CREATE OR REPLACE FUNCTION annotate_refuse_change() RETURNS trigger LANGUAGE sql AS ''",
        "SET session_replication_role = replica",
        "CREATE ROLE another",
        "COPY annotate_user TO PROGRAM 'cat'",
    ],
)
def test_tables_triggers_and_roles_are_not_its_own(as_app, statement):
    assert refused(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SET LOCAL assayer.purge = 'x'; DELETE FROM annotate_judgment",
        "SET LOCAL assayer.rehearsal = '{pk}'; UPDATE annotate_judgment SET at = now()",
    ],
)
def test_no_table_of_its_own_passes_for_one_that_triggers_read(statement):
    study = studies.study()
    studies.judge(cast.annotator(study))
    app_role.make_app_role(password="x", name="role_of_a_test")
    # PostgreSQL looks for a name among the temporary tables before all others
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SET LOCAL ROLE role_of_a_test;
            CREATE TEMPORARY VIEW pg_tables AS SELECT 'public'::name AS schemaname,
                'annotate_judgment'::name AS tablename, current_user AS tableowner;
            CREATE TEMPORARY VIEW annotate_collection AS
                SELECT {study.pk} AS id, TRUE AS is_rehearsal;
            """
        )
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement.format(pk=study.pk))


def test_a_setting_opens_no_frozen_level_to_it(as_app):
    study = studies.study()
    studies.judge(cast.annotator(study))
    with (
        pytest.raises(IntegrityError, match="scheme is frozen"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            "SET LOCAL assayer.purge = 'x';"
            f"UPDATE annotate_level SET grade = grade + 50 WHERE collection_id = {study.pk}"
        )


def test_every_trigger_that_reads_tables_looks_among_temporary_ones_last():
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT DISTINCT proname FROM pg_proc JOIN pg_trigger ON tgfoid = pg_proc.oid
            WHERE NOT tgisinternal AND prosrc ~* '\\mFROM\\M'
              AND coalesce(proconfig::text, '') NOT LIKE '%search_path=%public, pg_temp%'
            """
        )
        assert cursor.fetchall() == []


def test_rows_of_later_tables_are_open_to_it_too():
    app_role.make_app_role(password="x", name="role_of_a_test")
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE later (id bigserial PRIMARY KEY, a int); SET LOCAL ROLE role_of_a_test"
        )
    assert not refused("INSERT INTO later (a) VALUES (1)")
    assert refused("TRUNCATE later")


def test_to_make_it_again_changes_its_password_and_takes_what_it_had_beyond():
    assert app_role.make_app_role(password="x", name="role_of_a_test")
    with connection.cursor() as cursor:
        cursor.execute(
            "GRANT ALL ON ALL TABLES IN SCHEMA public TO role_of_a_test; "
            "ALTER ROLE role_of_a_test CREATEDB"
        )
        assert not app_role.make_app_role(password="y'; --", name="role_of_a_test")
        cursor.execute(
            "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = 'role_of_a_test'"
        )
        assert cursor.fetchone() == (False,)
        cursor.execute("SET LOCAL ROLE role_of_a_test")
    assert refused("TRUNCATE annotate_change")


def test_the_command_wants_a_password(monkeypatch):
    monkeypatch.delenv("APP_PASSWORD", raising=False)
    with pytest.raises(CommandError, match="Set APP_PASSWORD"):
        call_command("make_app_role")


def test_the_lead_is_told_what_the_operator_can_do(client, as_app):
    collection = cast.collection("fresh")
    client.force_login(cast.member(collection, Role.LEAD))
    command = "docker compose run --rm migrate python manage.py purge_collection fresh --yes"
    page = text_of(client.get("/c/fresh/settings/"))
    assert command in page and "Delete fresh with" not in page
    answer = client.post("/c/fresh/settings/delete/", {"slug": "fresh"}, follow=True)
    assert (
        f"The operator can delete it, as the role that does: {command}" in answer.content.decode()
    )
    assert Collection.objects.filter(slug="fresh").exists()


def test_a_run_with_a_log_is_deleted_by_the_operator_s_command_alone(as_app):
    collection = cast.collection("fresh")
    run = cast.run(collection, "a b", {})
    RunEvent.objects.create(run=run, kind="retired")
    command = "manage.py delete_run fresh 'a b'$"
    with pytest.raises(NotOwner, match=command):
        run_deletion.delete_run(run=run, by=None)
    with pytest.raises(CommandError, match=command):
        call_command("delete_run", "fresh", "a b")
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
    with pytest.raises(CommandError, match='no run "c" in "fresh"'):
        call_command("delete_run", "fresh", "c")
    call_command("delete_run", "fresh", "a b", stdout=StringIO())
    assert not Run.objects.exists()
