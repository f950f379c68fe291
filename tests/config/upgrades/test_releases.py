"""A database of each released version is upgraded; its migrations stay as they were.

`releases/` has two files a version: the database as SQL, and the checksums of its migrations. A new
version gets its own, once, when the changelog has its day:

    python3 manage.py test --heavy tests/config/upgrades/test_releases.py
"""

import gzip
import hashlib
import re
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from annotate.models import Collection, Judgment, Resolution, User
from config.backups.programs import client_program
from config.up.embedded import create_database
from config.up.home import Home
from tests import campaigns
from tests.config.test_version import CHANGELOG, HEADING
from tests.config.upgrades.test_migrating import migrate, schema_of
from tests.servers.databases import migrated_template, using_database
from tests.servers.stack import ROOT

RELEASES = Path(__file__).with_name("releases")
VERSIONS = sorted(path.name.removesuffix(".sql.gz") for path in RELEASES.glob("*.sql.gz"))
APPS = ("annotate", "pooling", "metrics")
JUDGMENTS = """
    SELECT judgment.submission_id, level.grade FROM annotate_judgment judgment
    JOIN annotate_level level ON level.id = judgment.level_id ORDER BY 1
"""
GRADES = "SELECT pair_id, status, grade FROM annotate_resolution ORDER BY 1"


def checksums() -> Iterator[str]:
    """One line for each migration of the code: its SHA-256 and its path."""
    for app in APPS:
        for path in sorted((ROOT / app / "migrations").glob("[0-9]*.py")):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            yield f"{digest}  {path.relative_to(ROOT).as_posix()}"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_migration_is_not_edited(version: str) -> None:
    released = (RELEASES / f"{version}.migrations").read_text().splitlines()
    assert len(released) > 30 and set(released) - set(checksums()) == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_database_of_a_release_is_upgraded_without_loss(
    version: str, service_home: Home, django_db_blocker: DjangoDbBlocker
) -> None:
    name = f"release_{version.replace('.', '_')}"
    create_database(service_home, name)
    url = service_home.database_url(name)
    with psycopg.connect(url) as connection:
        connection.execute(gzip.decompress((RELEASES / f"{version}.sql.gz").read_bytes()))
        connection.execute("SET search_path = public")
        judgments = connection.execute(JUDGMENTS).fetchall()
        grades = connection.execute(GRADES).fetchall()
    assert len(judgments) > 20 and len(grades) > 5
    with using_database(url, django_db_blocker):
        migrate()
        call_command("migrate", check_unapplied=True)
        call_command("fsck", stdout=StringIO())
        kept = Judgment.objects.order_by("submission_id")
        assert list(kept.values_list("submission_id", "level__grade")) == judgments
        rows = Resolution.objects.order_by("pair").values_list("pair", "status", "grade")
        assert list(rows) == grades
        client = Client()
        client.force_login(User.objects.get(username="admin"))
        for slug in Collection.objects.values_list("slug", flat=True):
            for page in ("metrics:dashboard", "metrics:leaderboard", "annotate:inbox"):
                assert client.get(reverse(page, args=[slug])).status_code == 200, (page, slug)
    template = service_home.database_url(migrated_template(service_home, django_db_blocker))
    upgraded, new = (plain_schema(address, django_db_blocker) for address in (url, template))
    assert upgraded - new == set() and new - upgraded == set()


def plain_schema(database_url: str, blocker: DjangoDbBlocker) -> set[tuple[str, str]]:
    """The schema without dropped columns, and without casts and brackets, which a dump rewrites."""
    return {
        (name, re.sub(r"::(character varying|text)(\[\])?|[()]", "", text))
        for name, text in schema_of(database_url, blocker)
        if ".pg.dropped." not in text
    }


@pytest.mark.heavy
def test_this_version_is_recorded_once(
    service_home: Home, django_db_blocker: DjangoDbBlocker
) -> None:
    """Write the files of the version in VERSION, unless it has them or is not released yet."""
    database = RELEASES / f"{settings.VERSION}.sql.gz"
    version, day = HEADING.findall(CHANGELOG)[0]
    if database.exists() or day == "Unreleased":
        pytest.skip(f"{version} is recorded already, or not released yet")
    name = "release_to_record"
    create_database(service_home, name, template=migrated_template(service_home, django_db_blocker))
    url = service_home.database_url(name)
    with using_database(url, django_db_blocker):
        User.objects.create_superuser("admin")
        campaigns.campaign("first", n_pairs=12, n_annotators=4)
        campaigns.campaign("second")
        call_command("fsck", stdout=StringIO())
    with psycopg.connect(url) as connection:
        program = client_program("pg_dump", major=str(connection.info.server_version // 10_000))
    # rows as statements, which any client can send
    options = ["--rows-per-insert=500", "--no-owner", "--no-privileges", "--dbname", url]
    text = subprocess.run([program, *options], check=True, capture_output=True).stdout
    # what psql alone understands, or this server and no older one
    special = rb"^(\\(un)?restrict |SET transaction_timeout ).*$"
    statements = re.sub(special, b"", text, flags=re.MULTILINE)
    database.write_bytes(gzip.compress(statements, mtime=0))
    database.with_name(f"{settings.VERSION}.migrations").write_text("\n".join(checksums()) + "\n")
