"""States of imports and of leads' decisions before works held them, and after migrating back."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from psycopg.types.json import Json

from annotate.models import Import, ReviewAction, ReviewWork, Work
from tests import campaigns, cast
from tests.config.upgrades.test_migrating import migrate

pytestmark = pytest.mark.django_db

OLD_IMPORT = """
    INSERT INTO annotate_import (collection_id, kind, parameters, file, file_name, sha256,
                                 media_file, media_name, media_sha256, state, report,
                                 attempts, finished_at)
    VALUES (%(collection)s, 'items', '{}', '', 'a', '', '', '', '', %(state)s, %(report)s,
            %(attempts)s, %(finished_at)s) RETURNING id
"""
OLD_WISH = """
    INSERT INTO annotate_cancellation (collection_id, kind, object_id, by_id)
    VALUES (%s, 'import', %s, %s)
"""


def migrate_back() -> None:
    """Migrate to the earlier tables."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "annotate", "0013_worker_queues", interactive=False, stdout=StringIO())


def fault(message: str) -> dict[str, object]:
    """The report of an import that was rejected for one thing."""
    error = {"file": "", "line": None, "field": "", "message": message}
    return {"sentences": [], "loads": [], "errors": [error], "n_errors": 1}


def test_what_became_of_imports_is_said_by_their_works_and_the_way_back_says_it_too() -> None:
    collection, person = cast.collection(), cast.user("ada")
    migrate_back()
    at = timezone.now()
    before = [
        ("received", {}, 1, None),
        ("done", {"sentences": ["4 rows"]}, 1, at),
        ("rejected", fault("Line 2 is no JSON."), 2, at),
        ("cancelled", {}, 0, at),
        ("received", {}, 0, None),
    ]
    keys = []
    with connection.cursor() as cursor:
        for row in before:
            values = dict(zip(("state", "report", "attempts", "finished_at"), row, strict=True))
            cursor.execute(
                OLD_IMPORT,
                {**values, "collection": collection.pk, "report": Json(values["report"])},
            )
            keys.append(cursor.fetchone()[0])
        cursor.execute(OLD_WISH, [collection.pk, keys[0], person.pk])
    migrate()
    works = [import_.work for import_ in Import.objects.select_related("work").order_by("pk")]
    assert [work.state for work in works] == ["asked", "done", "failed", "cancelled", "asked"]
    assert [(work.kind, work.subject) for work in works] == [("import", key) for key in keys]
    assert (works[2].error_code, works[2].error, works[2].attempts) == (
        "refused",
        "Line 2 is no JSON.",
        2,
    )
    assert works[0].cancel_asked_at and works[0].cancelled_by == person
    Work.objects.filter(pk=works[4].pk).update(
        state="failed",
        error_code="worn-out",
        error_data={"message": "It never ended."},
        finished_at=at,
    )
    migrate_back()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT state, report::text, attempts, finished_at FROM annotate_import ORDER BY id"
        )
        back = [(state, json.loads(report), *rest) for state, report, *rest in cursor.fetchall()]
    assert back == [*before[:4], ("rejected", fault("It never ended."), 0, at)]
    with connection.cursor() as cursor:
        assert cursor.execute("SELECT object_id FROM annotate_cancellation").fetchall() == [
            (keys[0],)
        ]
    assert not Work.objects.exists()
    migrate()


def test_what_became_of_decisions_is_said_by_their_works_and_the_way_back_says_it_too() -> None:
    campaign = campaigns.campaign("made")
    actions = [
        ReviewAction.objects.create(
            collection=campaign.collection,
            kind="labels_withdrawn",
            annotator=campaign.annotators[0],
            by=campaign.lead,
        )
        for _ in range(3)
    ]
    ReviewWork.objects.all().delete()
    migrate_back()
    at = timezone.now()
    ends = [at, None, None]
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO annotate_reviewwork (action_id, n_total, n_done, n_surplus, cursor, "
            "finished_at)"
            " VALUES (%s, 9, 5, 1, 7, %s)",
            [(action.pk, end) for action, end in zip(actions, ends, strict=True)],
        )
    migrate()
    decisions = list(ReviewWork.objects.select_related("work").order_by("pk"))
    works = [decision.work for decision in decisions]
    assert [(work.state, work.finished_at) for work in works] == [
        ("done", at),
        ("asked", None),
        ("asked", None),
    ]
    assert [(work.kind, work.subject, work.by) for work in works] == [
        ("review", action.pk, campaign.lead) for action in actions
    ]
    assert (decisions[1].n_examined, decisions[1].cursor, works[1].asked_at) == (
        6,
        7,
        actions[1].at,
    )
    failed = {"state": "failed", "error_code": "worn-out", "finished_at": at}
    Work.objects.filter(pk=works[2].pk).update(**failed)
    migrate_back()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT n_done, cursor, finished_at FROM annotate_reviewwork ORDER BY action_id"
        )
        assert cursor.fetchall() == [(5, 7, end) for end in ends]
    assert not Work.objects.filter(kind="review").exists()
    migrate()
