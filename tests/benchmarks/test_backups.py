"""A site of a million judgments is backed up and restored: seconds, and whether all is sound.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_backups.py
N_JUDGMENTS=100000 in the environment makes it a tenth.
"""

import os
import resource
import secrets
import time
from functools import partial
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import Side
from config.up.embedded import create_database
from config.up.home import Home
from tests import cast
from tests.benchmarks import test_big_imports as imports
from tests.databases import migrated_template
from tests.imported import import_judgments
from tests.stack import Stack

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(3600)]
N_JUDGMENTS = int(os.environ.get("N_JUDGMENTS", "1000000"))


def seconds_of(stack: Stack, *arguments: str) -> tuple[float, str]:
    """How long a command takes, and what it says."""
    begun = time.perf_counter()
    said = stack.manage(*arguments)
    return time.perf_counter() - begun, said


def test_a_million_judgments_are_restored_within_five_minutes(
    service_home: Home, open_folder: Path, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = secrets.token_urlsafe(64)
    names = [f"{name}_{open_folder.stat().st_ino}" for name in ("judged", "restored")]
    create_database(service_home, names[0], template=migrated_template(service_home, django_db_blocker))
    create_database(service_home, names[1])
    judged, restored = (
        Stack(
            open_folder / name,
            {"DATABASE_URL": service_home.database_url(name), "REDIS_URL": service_home.redis_url, "SECRET_KEY": key},
        )
        for name in names
    )
    monkeypatch.setattr(imports, "N_JUDGMENTS", N_JUDGMENTS)
    with judged.orm(django_db_blocker):
        collection = cast.collection("fire", grades=4)
        cast.items(collection, Side.QUERY, 2000)
        cast.items(collection, Side.DOCUMENT, N_JUDGMENTS // 2000 + 1)
        load = partial(import_judgments, collection=collection, file_name="fire.csv", columns=JudgmentColumns())
        load(name="fire", stream=imports.judgments_file(), tell=imports.tell)
    backed_up, said = seconds_of(judged, "backup", str(judged.folder / "backup"))
    print(f"\nbackup: {backed_up:.0f} s. {said.splitlines()[-2]}")
    taken, said = seconds_of(restored, "restore", str(judged.folder / "backup"))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    checked = seconds_of(restored, "fsck")[0]
    print(f"restore: {taken:.0f} s, fsck in them, which alone takes {checked:.0f} s. The largest process: {peak} MiB.")
    assert f"{N_JUDGMENTS:,} judgments" in said and "nothing broken" in said
    assert taken < 300
    exported = [stack.manage("export_judgments", "fire") for stack in (judged, restored)]
    assert exported[0].count("\n") > N_JUDGMENTS and exported[0] == exported[1]
