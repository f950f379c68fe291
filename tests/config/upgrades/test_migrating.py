"""Tables are made at once, equal to those made step by step; existing ones stay unchanged."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Max
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from annotate.first_migration import FirstMigration
from annotate.models import (
    Change,
    Collection,
    Delivery,
    Hook,
    Item,
    Judgment,
    Report,
    ReportEvent,
    Resolution,
    Round,
    Side,
)
from annotate.services.judging import reports
from annotate.services.policy import policies
from config.up.embedded import create_database
from config.up.home import Home
from pooling.models import Run
from tests import campaigns, cast
from tests.servers.databases import migrated_template, using_database

BEFORE = {
    "annotate": [
        "0001_initial",
        "0002_walls",
        "0003_judgments_by_day",
        "0004_cancellation",
        "0005_roundpair_dropped",
        "0006_rounds_under_way",
        "0007_imports",
        "0008_model_rule",
        "0009_reference_strata",
        "0010_import_query_sets",
        "0011_pay",
        "0012_policy_engine",
        "0013_training",
        "0014_review",
        "0015_html_parts",
        "0016_invitations_by_mail",
        "0018_review_work",
        "0019_gold_log",
        "0020_hand_outs_to_do",
        "0021_waiting_and_undos",
    ],
    "pooling": [
        "0001_initial",
        "0002_run_visibility",
        "0003_pools_under_way",
        "0004_pool_sources",
        "0005_rankings_uncompressed",
    ],
    "metrics": [
        "0001_initial",
        "0002_tallies",
        "0003_downloads",
        "0004_board_views",
        "0005_alarms",
    ],
}
OURS = "relnamespace = 'public'::regnamespace"
SCHEMA = f"""
    SELECT relname, attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attstorage::text
        || CASE WHEN attnotnull THEN ' NOT NULL ' ELSE ' ' END
        || coalesce(pg_get_expr(adbin, adrelid), '')
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE {OURS}
    UNION ALL SELECT relname, conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
    FROM pg_constraint JOIN pg_class ON conrelid = pg_class.oid WHERE {OURS}
    UNION ALL SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT relname, pg_get_triggerdef(pg_trigger.oid)
    FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid WHERE {OURS} AND NOT tgisinternal
    UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


def write_history(applied: dict[str, list[str]]) -> None:
    """Record these migrations of ours in the database, and no others."""
    migrations = MigrationRecorder(connection).migration_qs
    migrations.filter(app__in=BEFORE).delete()
    migrations.bulk_create(
        migrations.model(app=app, name=name) for app, names in applied.items() for name in names
    )


def history() -> set[tuple[str, str]]:
    """Our migrations recorded in the database."""
    return set(
        MigrationRecorder(connection).migration_qs.filter(app__in=BEFORE).values_list("app", "name")
    )


def on_disk() -> set[tuple[str, str]]:
    """Our migrations that the code has."""
    return {key for key in MigrationLoader(None).disk_migrations if key[0] in BEFORE}


def migrate() -> str:
    """Run the command, and return its output."""
    output = StringIO()
    call_command("migrate", interactive=False, stdout=output)
    return output.getvalue()


@pytest.mark.django_db
def test_tables_of_all_migrations_of_before_are_left_as_they_are() -> None:
    names = {app: {name for of_app, name in on_disk() if of_app == app} for app in BEFORE}
    write_history(
        {app: [*BEFORE[app], *sorted(names[app].difference(BEFORE[app]))] for app in BEFORE}
    )
    before = history()
    assert len(before) > sum(map(len, BEFORE.values()))
    for _ in range(2):
        assert "No migrations to apply." in migrate()
        assert history() == before


@pytest.mark.django_db
@pytest.mark.parametrize("app", BEFORE)
def test_tables_of_only_some_are_refused_with_the_version_to_start_first(app: str) -> None:
    for applied in range(1, len(BEFORE[app])):
        write_history({**BEFORE, app: BEFORE[app][:applied]})  # those since are to come
        before = history()
        with pytest.raises(CommandError) as refusal:
            migrate()
        assert f"the last version that has {app}/migrations/{BEFORE[app][-1]}.py" in str(
            refusal.value
        )
        assert history() == before


@pytest.mark.django_db
def test_runs_that_were_read_without_their_unknown_rows_are_due_to_be_read_again() -> None:
    collection = cast.collection()
    clean, strange, dropped = (
        cast.run(collection, name, {}) for name in ("clean", "strange", "dropped")
    )
    Run.objects.filter(pk=clean.pk).update(
        report={"n_dropped": 0, "unknown_targets": {"n": 0, "first": []}}
    )
    Run.objects.filter(pk=strange.pk).update(
        report={"n_dropped": 0, "unknown_targets": {"n": 2, "first": []}}
    )
    Run.objects.filter(pk=dropped.pk).update(
        report={"n_dropped": 3, "unknown_targets": {"n": 0, "first": []}}
    )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "pooling", "0001_initial", interactive=False, stdout=StringIO())
    migrate()
    due = Run.objects.filter(reading_due_at__isnull=False).order_by("pk")
    assert list(due) == [strange, dropped]
    assert {(run.work.kind, run.work.state) for run in due} == {("run_rereading", "asked")}
    clean.refresh_from_db()
    assert (clean.work.kind, clean.work.state) == ("run_reading", "done")


@pytest.mark.django_db
def test_agreement_of_before_planned_labels_is_counted_anew() -> None:
    collection = campaigns.campaign("made").collection
    Change.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "metrics", "0005_galleries", interactive=False, stdout=StringIO())
    assert collection.snapshots.filter(kind="agreement").exists()
    migrate()
    kinds = set(collection.snapshots.values_list("kind", flat=True))
    assert "agreement" not in kinds and "people" in kinds
    assert Change.objects.filter(collection=collection).exists()


@pytest.mark.django_db
def test_a_report_that_a_lead_settled_before_has_an_event_that_says_when_and_by_whom() -> None:
    campaign = campaigns.campaign("made", n_annotators=2)
    reports.settle(reports=Report.objects.all(), by=campaign.lead)
    settled = ReportEvent.objects.latest("pk")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command(
        "migrate", "annotate", "0005_reference_names", interactive=False, stdout=StringIO()
    )
    migrate()
    (event,) = ReportEvent.objects.all()
    assert (event.kind, event.at, event.by) == ("settled", settled.at, campaign.lead)
    assert Report.objects.get().state == "settled"


@pytest.mark.django_db
def test_webhooks_forget_the_event_of_guards_on_the_way_back() -> None:
    collection = cast.collection()
    for number, events in enumerate((["concern.rose"], ["alarm.rose", "concern.rose"])):
        url = f"https://hooks.example/{number}"
        hook = Hook.objects.create(collection=collection, url=url, events=events, secret="x" * 40)
        for event in events:
            hook.deliveries.create(event=event, data={}, next_at=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "annotate", "0032_alpha_marks", interactive=False, stdout=StringIO())
    assert [*Hook.objects.values_list("events", flat=True)] == [["alarm.rose"]]
    assert [*Delivery.objects.values_list("event", flat=True)] == ["alarm.rose"]
    migrate()


@pytest.mark.django_db
def test_pairs_of_before_are_complete_as_soon_as_their_rounds_were_gone_through_again() -> None:
    campaigns.campaign("made", n_annotators=4)
    complete = dict(Resolution.objects.values_list("pair", "is_complete"))
    assert set(complete.values()) == {True, False}
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "annotate", "0003_unknown_limit", interactive=False, stdout=StringIO())
    migrate()
    Resolution.objects.update(is_complete=False)  # what was nearly right at once may be wrong
    for pk in policies.rounds_behind():
        policies.follow(round_=Round.objects.get(pk=pk))
    assert dict(Resolution.objects.values_list("pair", "is_complete")) == complete


@pytest.mark.django_db
def test_numbers_of_every_collection_are_due_anew_as_intervals_go_by_groups_of_queries_now() -> (
    None
):
    collection = cast.collection()
    cast.items(collection, Side.QUERY, 1)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "annotate", "0009_media_types", interactive=False, stdout=StringIO())
    migrate()
    assert list(Change.objects.values_list("collection", "pair")) == [(collection.pk, None)]
    assert set(Collection.objects.values_list("query_groups", flat=True)) == {"reference"}
    assert Item.objects.get().group == ""


@pytest.mark.django_db
def test_resolutions_of_before_changed_when_their_pairs_were_judged_last() -> None:
    campaigns.campaign("made", n_annotators=4)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "annotate", "0025_receipts", interactive=False, stdout=StringIO())
    migrate()
    last_judged = dict(Judgment.objects.values_list("pair").annotate(Max("at")))
    moments = dict(Resolution.objects.values_list("pair", "changed_at"))
    assert moments == {pair: last_judged[pair] for pair in moments}
    assert Judgment.objects.filter(pair__in=moments).count() > len(moments) > 1


@pytest.mark.full
def test_tables_made_at_once_are_those_that_django_makes_step_by_step(
    service_home: Home, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = migrated_template(service_home, django_db_blocker)
    create_database(service_home, "made_at_once", template=template)
    create_database(service_home, "made_step_by_step")
    monkeypatch.setattr(FirstMigration, "apply", Migration.apply)
    with using_database(service_home.database_url("made_step_by_step"), django_db_blocker):
        migrate()
    at_once, step_by_step = (
        schema_of(service_home.database_url(name), django_db_blocker)
        for name in ("made_at_once", "made_step_by_step")
    )
    assert step_by_step == at_once
    assert {"annotate_judgment", "pooling_ranking", "metrics_score", "annotate_refuse_change"} <= {
        name for name, _ in at_once
    }


def schema_of(database_url: str, blocker: DjangoDbBlocker) -> list[tuple[str, str]]:
    """Every column, constraint, index, trigger and function of a database."""
    with using_database(database_url, blocker), connection.cursor() as cursor:
        cursor.execute(SCHEMA)
        return sorted(cursor.fetchall())
