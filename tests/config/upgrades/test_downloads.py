"""Downloads and label sources of earlier tables are brought to those of now, and back."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from psycopg.types.json import Json

from annotate.models import Change, QuerySet, ReferenceSet
from metrics.models import Download, Observation, Score
from tests import cast
from tests.config.upgrades.test_migrating import migrate

OLD_DOWNLOAD = """
    INSERT INTO metrics_download (collection_id, kind, parameters, made_with, file_name,
                                  run_ids, state, file, n_bytes, n_rows, sha256, error,
                                  attempts, finished_at)
    VALUES (%(collection)s, 'qrels', %(parameters)s, '', 'a', '{}', %(state)s, %(file)s,
            %(n_bytes)s, %(n_rows)s, %(sha256)s, %(error)s, %(attempts)s, %(finished_at)s)
"""
ASKED = {
    "state": "asked",
    "file": "",
    "n_bytes": None,
    "n_rows": None,
    "sha256": "",
    "error": "",
    "attempts": 0,
    "finished_at": None,
}
TOLD = ("state", "error", "attempts", "finished_at")
OLD_SOURCES = """
    INSERT INTO metrics_score (run_id, query_set_id, reference_set_id, label_source, measure,
                               threshold, n_queries, n_missing, n_with_positive, per_query,
                               inputs_sha256)
    SELECT %(run)s, %(query_set)s, %(reference)s, source, 'AP', 1, 0, 0, 0, '', ''
    FROM unnest(%(sources)s::text[]) source
"""


@pytest.mark.django_db
def test_scores_downloads_and_history_of_before_name_their_label_source_by_its_key() -> None:
    collection = cast.collection()
    run = cast.run(collection, "system", {})
    query_set = QuerySet.objects.create(collection=collection, name="all", direction="forward")
    reference = ReferenceSet.objects.create(collection=collection, name="ours, v2")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "metrics", "0002_bounds", interactive=False, stdout=StringIO())
    call_command("migrate", "annotate", "0003_unknown_limit", interactive=False, stdout=StringIO())
    nameless = ReferenceSet.objects.create(collection=collection, name="").pk
    primary_keys = {"run": run.pk, "query_set": query_set.pk}
    with connection.cursor() as cursor:
        cursor.execute(OLD_SOURCES, primary_keys | {"reference": None, "sources": ["people"]})
        both = ["people_over_reference", "reference"]
        for pk in (reference.pk, nameless):
            cursor.execute(OLD_SOURCES, primary_keys | {"reference": pk, "sources": both})
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    old = {"label_source": "union", "reference": "ours, v2", "grades": "graded"}
    with connection.cursor() as cursor:
        cursor.execute(
            OLD_DOWNLOAD, {"collection": collection.pk, "parameters": Json(old), **ASKED}
        )
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    rows = [
        [run.pk, query_set.pk, None, "people", "AP", 0.1],
        [run.pk, 1, reference.pk, "reference", "AP", None],
    ]
    columns = ["run", "query_set", "reference_set", "label_source", "measure", "mean"]
    value = {"columns": columns, "rows": rows}
    Observation.objects.create(collection=collection, kind="scores", n_judgments=1, value=value)
    migrate()
    keys = set(Score.objects.values_list("label_source", flat=True))
    assert keys == {
        "only",
        "over:ours%2C%20v2",
        "none:ours%2C%20v2",
        "over:unnamed",
        "none:unnamed",
    }
    assert set(collection.reference_sets.values_list("name", flat=True)) == {"ours, v2", "unnamed"}
    assert Download.objects.get().parameters == {
        "label_source": "union:ours%2C%20v2",
        "grades": "graded",
    }
    assert Observation.objects.get().value["rows"] == [
        [run.pk, query_set.pk, "only", "AP", 0.1],
        [run.pk, 1, "none:ours%2C%20v2", "AP", None],
    ]
    assert Change.objects.filter(collection=collection).exists()


@pytest.mark.django_db
def test_what_became_of_downloads_is_said_by_their_works_and_the_way_back_says_it_too() -> None:
    collection = cast.collection()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "metrics", "0007_plans", interactive=False, stdout=StringIO())
    of_all = {"collection": collection.pk, "parameters": Json({})}
    ended = {**ASKED, "finished_at": timezone.now()}
    file = {"file": "downloads/a", "n_bytes": 1, "n_rows": 1, "sha256": "a"}
    before = [
        ASKED,
        {**ended, "state": "done", **file},
        {**ended, "state": "expired", **file, "file": ""},
        {**ended, "state": "failed", "error": "It is gone.", "attempts": 2},
        {**ended, "state": "cancelled"},
    ]
    with connection.cursor() as cursor:
        cursor.executemany(OLD_DOWNLOAD, [of_all | row for row in before])
    migrate()
    downloads = list(Download.objects.select_related("work").order_by("pk"))
    assert [download.state_text for download in downloads] == [
        "Asked for",
        "Done",
        "Expired",
        "Failed",
        "Cancelled",
    ]
    assert all(
        download.work.subject == download.pk and download.work.kind == "download"
        for download in downloads
    )
    assert (downloads[3].work.error, downloads[3].work.attempts) == ("It is gone.", 2)
    assert all(download.work.finished_at == ended["finished_at"] for download in downloads[1:])
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    call_command("migrate", "metrics", "0007_plans", interactive=False, stdout=StringIO())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT state, error, attempts, finished_at FROM metrics_download ORDER BY id"
        )
        assert cursor.fetchall() == [tuple(row[name] for name in TOLD) for row in before]
    migrate()
