"""Backup and restore of a site with a million judgments: seconds, and whether all is sound.

Run: python3 manage.py test --heavy -s tests/benchmarks/files/test_backups.py
`--share 0.1` makes a tenth of them.
"""

import resource
import secrets
import time
from functools import partial
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Side
from config.up.embedded import create_database
from config.up.home import Home
from tests import cast
from tests.benchmarks.files import test_big_imports as imports
from tests.benchmarks.files.downloads import make_in_process
from tests.judgment_imports import import_judgments
from tests.scorecard.figures import Figures
from tests.servers.databases import migrated_template
from tests.servers.stack import Stack

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(3600)]


def seconds_of(stack: Stack, *arguments: str) -> tuple[float, str]:
    """Run a command; returns its seconds and its output."""
    start = time.perf_counter()
    output = stack.manage(*arguments)
    return time.perf_counter() - start, output


def qrels_of(stack: Stack) -> tuple[int, str]:
    """Number of lines and SHA-256 of the qrels download."""
    env = {**stack.env, "DJANGO_SETTINGS_MODULE": "config.settings"}
    file = make_in_process("fire", ("qrels",), media=str(stack.folder), env=env)
    assert file["rows"] > 0
    return file["rows"], file["sha256"]


def test_a_million_judgments_are_restored_within_five_minutes(
    service_home: Home,
    open_folder: Path,
    django_db_blocker: DjangoDbBlocker,
    monkeypatch: pytest.MonkeyPatch,
    figures: Figures,
) -> None:
    n_judgments = figures.size("judgments")
    key = secrets.token_urlsafe(64)
    names = [f"{name}_{open_folder.stat().st_ino}" for name in ("judged", "restored")]
    create_database(
        service_home, names[0], template=migrated_template(service_home, django_db_blocker)
    )
    create_database(service_home, names[1])
    judged, restored = (
        Stack(
            open_folder / name,
            {
                "DATABASE_URL": service_home.database_url(name),
                "REDIS_URL": service_home.redis_url,
                "SECRET_KEY": key,
            },
        )
        for name in names
    )
    monkeypatch.setattr(imports, "N_JUDGMENTS", n_judgments)
    (judged.home.var / "media").mkdir(parents=True)
    with judged.orm(django_db_blocker):
        collection = cast.collection("fire", grades=4)
        cast.items(collection, Side.QUERY, 2000)
        cast.items(collection, Side.DOCUMENT, n_judgments // 2000 + 1)
        load = partial(
            import_judgments, collection=collection, file_name="fire.csv", columns=JudgmentColumns()
        )
        load(name="fire", stream=imports.judgments_file(), on_progress=imports.tell)
    backup_seconds, output = seconds_of(judged, "backup", str(judged.folder / "backup"))
    figures.record("backup", backup_seconds, "s")
    restore_seconds, output = seconds_of(restored, "restore", str(judged.folder / "backup"))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    assert f"{n_judgments:,} judgments" in output and "nothing broken" in output
    figures.record("restore, fsck in it", restore_seconds, "s", at_most=300)
    figures.record("fsck alone", seconds_of(restored, "fsck")[0], "s")
    figures.record("the largest process of both", peak, "MiB")
    exported = [stack.manage("export_judgments", "fire") for stack in (judged, restored)]
    assert exported[0].count("\n") > n_judgments
    qrels = [qrels_of(stack) for stack in (judged, restored)]
    n_other = (exported[0] != exported[1]) + (qrels[0] != qrels[1])
    figures.record(
        "exports, of judgments and of qrels, with other bytes than before", n_other, at_most=0
    )
