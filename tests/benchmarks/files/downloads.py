"""Files of a million judgments, beside psql's \\copy of the same join: prints a table. Not a test.

    python -m tests.benchmarks.files.downloads postgresql://owner@host/scratch [--judgments 1000000]

The database is a scratch one: it is migrated and filled, and the collection stays. Each file is
made by a process of its own, like a worker; its peak memory is printed, and "begun with" before it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

MAKE = """
import json, re, sys, time
from pathlib import Path
class WithoutPandas:
    # it comes with the tests' packages alone, and pyarrow loads it where it is there
    def find_spec(self, name, path, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, WithoutPandas())
import django
from django.conf import settings
django.setup()
slug, settings.MEDIA_ROOT, kind, *options = sys.argv[1:]
def peak_memory():
    # MiB at most; getrusage would go on counting from the process that started this one
    return int(re.search("VmHWM:[^0-9]*([0-9]+)", Path("/proc/self/status").read_text())[1]) / 1024
from annotate.services.storage.sessions import keep_to_one_processor
keep_to_one_processor()  # as the worker of downloads does
from annotate.models import Collection
from metrics.models import Download
from annotate.services.background import works
from metrics.services.downloads import downloads
collection = Collection.objects.get(slug=slug)
data = dict(option.split("=") for option in options)
form = downloads.form_of(collection=collection, kind=Download.Kind(kind), data=data)
assert form.is_valid(), form.errors
download = downloads.ask(collection=collection, kind=Download.Kind(kind), form=form, by=None)
before, start = peak_memory(), time.perf_counter()
works.perform(work=download.work)
download.refresh_from_db()
seconds = time.perf_counter() - start
peak = peak_memory()
assert download.work.state == "done", download.work.error
print(json.dumps({"seconds": seconds, "peak": peak, "begun with": before, "rows": download.n_rows,
                  "bytes": download.n_bytes, "sha256": download.sha256}))
"""
FILL = """
INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
    SELECT {c}, 'query', 'q' || n, 'test', '', '' FROM generate_series(1, {queries}) n
    UNION ALL SELECT {c}, 'document', 'd' || n, 'test', '', ''
    FROM generate_series(1, {documents}) n;
INSERT INTO annotate_annotator (collection_id, pseudonym, origin, external_id)
    SELECT {c}, 'worker-' || n, 'import', 'w' || n FROM generate_series(0, 99) n;
INSERT INTO annotate_pair (collection_id, query_id, document_id)
    SELECT {c}, query.id, document.id FROM
        (SELECT id FROM annotate_item WHERE collection_id = {c} AND side = 'query') query,
        (SELECT id FROM annotate_item WHERE collection_id = {c} AND side = 'document'
            ORDER BY id LIMIT {per_query}) document;
INSERT INTO annotate_judgment
        (collection_id, pair_id, annotator_id, purpose, level_id, submission_id, reasons,
         active_ms, at)
    SELECT {c}, pair.id, annotator.id, 'import', level.id, gen_random_uuid(), '[]',
        1500 + pair.id % 4000, now()
    FROM annotate_pair pair JOIN generate_series(0, 1) twice ON true
    JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 n FROM annotate_annotator
          WHERE collection_id = {c}) annotator
        ON annotator.n = (pair.id + twice * 37) % 100
    JOIN (SELECT id, row_number() OVER (ORDER BY grade) - 1 n FROM annotate_level
          WHERE collection_id = {c}) level
        ON level.n = (pair.id * 7 + CASE WHEN pair.id % 5 = 0 THEN twice ELSE 0 END) % 3
    WHERE pair.collection_id = {c};
INSERT INTO annotate_seat
        (collection_id, round_id, pair_id, purpose, number, why, state, annotator_id, judgment_id,
         queue_key)
    SELECT {c}, {r}, pair_id, 'import', row_number() OVER (PARTITION BY pair_id ORDER BY id),
        'first', 'done', annotator_id, id, 0
    FROM annotate_judgment WHERE collection_id = {c};
INSERT INTO annotate_resolution
        (pair_id, collection_id, status, grade, n_labels, is_complete, policy_id)
    SELECT id, {c}, 'agreed', id % 3, 2, true, {p} FROM annotate_pair WHERE collection_id = {c};
ANALYZE;
"""
KINDS = (
    ("qrels",),
    ("qrels", "rule=majority"),
    ("beir",),
    ("fire",),
    ("judgments", "format=csv"),
    ("judgments", "format=csv", "packed=on"),
    ("judgments", "format=jsonl"),
    ("judgments", "format=parquet"),
)


def filled_collection(n_judgments: int) -> str:
    """Create a collection of n_judgments, two of each pair; returns its short name."""
    from django.db import connection

    from annotate.models import Round
    from tests import cast

    collection = cast.collection(f"downloads-{int(time.time())}", grades=3)
    round_ = Round.objects.create(
        collection=collection, policy=cast.policy(collection), kind="import", name="all"
    )
    n_queries = max(1, n_judgments // 40)
    sizes = {"queries": n_queries, "documents": 670, "per_query": 20}
    with connection.cursor() as cursor:
        cursor.execute(FILL.format(c=collection.pk, r=round_.pk, p=round_.policy_id, **sizes))
    return collection.slug


def make_in_process(
    slug: str, kind: Sequence[str], *, media: str, env: Mapping[str, str] = os.environ
) -> dict[str, Any]:
    """Make one of KINDS in a process of its own; returns its seconds, peak memory and file facts.

    media : the folder where the file stays
    """
    command = [sys.executable, "-c", MAKE, slug, media, *kind]
    finished = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout.splitlines()[-1])


def psql_seconds(url: str, slug: str) -> float:
    """Seconds that psql takes to copy the same join to a file."""
    from psycopg.sql import SQL

    from annotate.models import Collection
    from annotate.services.collection.judgment_export import _PIECES, KEYS_A_ROW

    pk = Collection.objects.get(slug=slug).pk
    parts = {
        "collection": pk,
        "condition": SQL(""),
        "telemetry": SQL("judgment.active_ms"),
        "keys_a_row": KEYS_A_ROW,
    }
    statement = " ".join(_PIECES.format(**parts).as_string(None).split())
    start = time.perf_counter()
    subprocess.run(["psql", url, "-qc", statement], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Fill the database, then make a file of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--judgments", type=int, default=1_000_000)
    arguments = parser.parse_args()
    os.environ["DATABASE_URL"] = arguments.url
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    slug = filled_collection(arguments.judgments)
    print("file|time|peak|begun with|rows|size")
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as media:
            measurement = make_in_process(slug, kind, media=media)
        print(
            f"{' '.join(kind)}|{measurement['seconds']:.1f} s|{measurement['peak']:.0f} MiB|"
            f"{measurement['begun with']:.0f} MiB|"
            f"{measurement['rows']:,}|{measurement['bytes'] / 1e6:.0f} MB",
            flush=True,
        )
    print(f"psql copy of the judgments' join|{psql_seconds(arguments.url, slug):.1f} s")


if __name__ == "__main__":
    main()
