"""The waiting states of runs and pools become works, and migrating back loses nothing."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from psycopg.types.json import Json

from annotate.models import Round, Work
from config.management.commands.fsck import CHECKS
from pooling.models import Pool, Run
from tests import cast
from tests.config.upgrades.test_migrating import migrate

OLD_RUN = """
    INSERT INTO pooling_run (collection_id, name, direction, system, team, paper, tags, description,
                             is_hidden, file, file_name, sha256, score_type, columns, marks_due,
                             state, report, attempts, reading_due_at, finished_at)
    VALUES (%s, %s, 'forward', '', '', '', '{}', '', false, '', '', '', 'float32', '{}', false,
            %s, %s, %s, %s, %s)
"""
CUT = "Reading was cancelled, and nothing of the file is stored; upload it again to have it read."
MOMENT = timezone.now()
# state, report, attempts, reading_due_at, finished_at -> kind, state, code and error of its work
OLD_RUNS = {
    ("received", "", 1, None, None): ("run_reading", "asked", "", ""),
    ("received", "", 0, MOMENT, None): ("run_reading", "asked", "", ""),
    ("ready", "", 1, None, MOMENT): ("run_reading", "done", "", ""),
    ("ready", "", 2, MOMENT, MOMENT): ("run_rereading", "asked", "", ""),
    ("rejected", "expected 6 fields.", 1, None, MOMENT): (
        "run_reading",
        "failed",
        "refused",
        "expected 6 fields.",
    ),
    ("rejected", CUT, 1, None, MOMENT): ("run_reading", "cancelled", "", ""),
}


@pytest.mark.django_db
def test_what_became_of_runs_is_said_by_their_works_and_the_way_back_says_it_too() -> None:
    collection = cast.collection()
    back_to_pooling_of_before()
    with connection.cursor() as cursor:
        for number, (state, message, *rest) in enumerate(OLD_RUNS):
            report = Json(
                {"errors": [{"line": None, "field": "", "message": message}]} if message else {}
            )
            cursor.execute(OLD_RUN, [collection.pk, f"run {number}", state, report, *rest])
        cursor.execute(
            "SELECT state, report, attempts, reading_due_at, finished_at FROM pooling_run "
            "ORDER BY id"
        )
        before = cursor.fetchall()
    migrate()
    runs = list(Run.objects.select_related("work").order_by("pk"))
    works = [run.work for run in runs]
    assert [(work.kind, work.state, work.error_code, work.error) for work in works] == list(
        OLD_RUNS.values()
    )
    assert [(work.subject, work.collection_id) for work in works] == [
        (run.pk, collection.pk) for run in runs
    ]
    assert [run.state_text for run in runs] == [
        "Being read",
        "Being read",
        "Ready",
        "Ready",
        "Rejected",
        "Cancelled",
    ]
    assert nothing_wrong("pooling.run-work", "pooling.own-works")
    Run.objects.filter(pk=runs[3].pk).update(reading_due_at=None)  # a worker has begun
    back_to_pooling_of_before()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT state, report, attempts, reading_due_at, finished_at FROM pooling_run "
            "ORDER BY id"
        )
        assert cursor.fetchall() == before
    assert not Work.objects.exists()
    migrate()


# state, round, error, opened_at -> state, phase, then kind, state, code and error of its work
OLD_POOLS = {
    ("draft", "", "", None): ("draft", "draft", None),
    ("opening", "", "", None): ("draft", "opening", ("pool_opening", "asked", "", "")),
    ("opening", "opening", "", None): ("draft", "opening", ("pool_opening", "asked", "", "")),
    ("failed", "", "No pair.", None): (
        "draft",
        "failed",
        ("pool_opening", "failed", "unfit", "No pair."),
    ),
    ("open", "open", "", MOMENT): ("open", "open", ("pool_opening", "done", "", "")),
    ("closing", "closing", "", MOMENT): ("open", "closing", ("pool_closing", "asked", "", "")),
    ("closing", "closing", "Begun.", MOMENT): (
        "open",
        "closing",
        ("pool_closing", "failed", "worn-out", "Begun."),
    ),
    ("closed", "closed", "", MOMENT): ("closed", "closed", ("pool_closing", "done", "", "")),
    ("reopening", "opening", "", MOMENT): (
        "closed",
        "reopening",
        ("pool_reopening", "asked", "", ""),
    ),
    ("reopening", "opening", "Begun.", MOMENT): (
        "closed",
        "reopening",
        ("pool_reopening", "failed", "worn-out", "Begun."),
    ),
}
OLD_POOL = """
    INSERT INTO pooling_pool (collection_id, name, strategy, parameters, seed, state, round_id,
                              error, opened_at, attempts)
    VALUES (%s, %s, 'depth-k', '{}', 1, %s, %s, %s, %s, %s)
"""


@pytest.mark.django_db
def test_what_pools_wait_for_is_said_by_their_works_and_the_way_back_says_it_too() -> None:
    collection = cast.collection()
    policy = cast.policy(collection)
    rounds = [
        Round.objects.create(
            collection=collection,
            kind="pool",
            name=f"pool {number}",
            policy=policy,
            state=state,
            closed_at=MOMENT if state in ("closing", "closed") else None,
        ).pk
        if state
        else None
        for number, (_, state, *_) in enumerate(OLD_POOLS)
    ]
    back_to_pooling_of_before()
    columns = "SELECT state, round_id, error, opened_at, attempts FROM pooling_pool ORDER BY id"
    with connection.cursor() as cursor:
        for number, (state, _, *rest) in enumerate(OLD_POOLS):
            attempts = 0 if state == "draft" else 1
            cursor.execute(
                OLD_POOL, [collection.pk, f"pool {number}", state, rounds[number], *rest, attempts]
            )
        cursor.execute(columns)
        before = cursor.fetchall()
    migrate()
    pools = list(Pool.objects.select_related("work").order_by("pk"))
    work_states = [
        pool.work and (pool.work.kind, pool.work.state, pool.work.error_code, pool.work.error)
        for pool in pools
    ]
    assert [
        (pool.state, pool.phase, work) for pool, work in zip(pools, work_states, strict=True)
    ] == list(OLD_POOLS.values())
    assert nothing_wrong("pooling.pool-round", "pooling.own-works")
    back_to_pooling_of_before()
    with connection.cursor() as cursor:
        cursor.execute(columns)
        assert cursor.fetchall() == before
    migrate()


def back_to_pooling_of_before() -> None:
    """Migrate runs and pools back to their own states, before works held them."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "pooling", "0004_pool_strata", interactive=False, stdout=StringIO())


def nothing_wrong(*names: str) -> bool:
    """Whether these checks find nothing."""
    return [check.name for check in CHECKS if check.name in names and list(check.find())] == []
