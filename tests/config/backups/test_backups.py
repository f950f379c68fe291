"""Backups made while people judge, restored elsewhere: no judgment is lost or doubled."""

import re
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from annotate.models import Collection, Judgment
from config import app_role
from config.backups.creation import make_backup
from config.backups.folder import RESTORING, Facts, draft_backup, read_facts, read_sums
from config.backups.programs import BackupError
from config.backups.restoration import RestoreMark, check_database, restore_site
from config.testing import process_number
from config.up.embedded import create_database
from config.up.home import NO_KEY_YET, Home
from config.up.processes import wait_until
from config.up.progress import ConsoleProgress
from tests import cast
from tests.journeys import test_faults as faults
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import forget_releases
from tests.servers.databases import migrated_template
from tests.servers.stack import Stack

FULL = pytest.mark.full


@pytest.fixture
def site(service_home: Home, open_folder: Path) -> Callable[..., Stack]:
    """Factory of sites that do not run, each with a database and a `var`; all have the same key."""
    key = secrets.token_urlsafe(64)

    def make(name: str, *, template: str = "template1", **settings: str) -> Stack:
        database = f"{name}_{open_folder.stat().st_ino}"
        create_database(service_home, database, template=template)
        address = service_home.database_url(database)
        # restores empty its cache
        redis = service_home.redis_url.replace("db=0", f"db={8 + process_number()}")
        environment = {"DATABASE_URL": address, "REDIS_URL": redis, "SECRET_KEY": key}
        return Stack(open_folder / name, {**environment, **settings})

    return make


@pytest.fixture
def judged(
    site: Callable[..., Stack], service_home: Home, django_db_blocker: DjangoDbBlocker
) -> Stack:
    """A site with judgments and files."""
    stack = site("judged", template=migrated_template(service_home, django_db_blocker))
    with stack.orm(django_db_blocker):
        collection = studies.study("kept")
        studies.name_pairs(collection)
        studies.judge(cast.annotator(collection), n=12)
    put_files(stack)
    return stack


def put_files(stack: Stack) -> None:
    """Write media of items, and an unfinished upload."""
    for name in ("collections/kept/a picture é.webp", "uploads/under way"):
        file = stack.home.var / "media" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(name.encode() * 1000)


def account_notes(stack: Stack) -> list[Path]:
    """The notes that demo accounts were made, which a restored site must not make anew."""
    return list(stack.home.var.glob("accounts-made-*"))


def n_tables(stack: Stack) -> int:
    """Number of tables in a site's database."""
    with psycopg.connect(stack.database_url) as connection:
        return connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        ).fetchone()[0]


def submissions(stack: Stack, blocker: DjangoDbBlocker) -> list[str]:
    """Ids of the stored submissions."""
    with stack.orm(blocker):
        return [str(uuid) for uuid in Judgment.objects.values_list("submission_id", flat=True)]


def refused(stack: Stack, *arguments: str) -> str:
    """The message of a command that is refused and changes nothing."""
    process = stack.run(*arguments)
    assert process.returncode == 1 and "Traceback" not in process.stderr, process.stderr
    return process.stderr


@FULL
def test_a_backup_made_while_people_judge_has_all_that_was_acknowledged_before(
    open_folder: Path, fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker
) -> None:
    stack, target = fault_stack("judging"), open_folder / "backup"
    with stack.orm(django_db_blocker):
        collection = faults.open_study(4000)
    put_files(stack)
    with faults.people_judge(stack) as (acknowledged, judge_on), ThreadPoolExecutor(1) as pool:
        judge_on()
        before = set(acknowledged)
        making = pool.submit(stack.manage, "backup", str(target))
        while not making.done():
            judge_on()
        judge_on()
    assert f"{target}: " in making.result() and "SECRET_KEY is not in it" not in making.result()
    with Stack(open_folder / "restored", {"STATIC_FILES": "plain"}) as restored:
        output = restored.manage("restore", str(target))
        assert "nothing broken" in output
        assert (
            {file.name for file in account_notes(restored)}
            == {file.name for file in account_notes(stack)}
            != set()
        )
        assert restored.home.secret_key.read_text() == stack.home.secret_key.read_text()
        restored.start()
        stored = submissions(restored, django_db_blocker)
        assert f"{len(stored):,} judgments and 1 files" in output
        assert len(stored) == len(set(stored)) and before <= set(stored) < set(acknowledged)
        media = restored.home.var / "media"
        assert [path.name for path in media.rglob("*") if path.is_file()] == ["a picture é.webp"]
        assert restored.sign_in("lead") == stack.sign_in("lead")
        going_on = faults.judge_continuously(faults.signed_in_client(restored, 0))
        assert next(going_on)[0] in submissions(restored, django_db_blocker)
        assert wait_until(
            lambda: faults.is_converged(restored, collection, django_db_blocker), seconds=600
        )
        assert restored.stop() == 0
        assert f"{len(stored) + 1:,} judgments" in restored.manage(
            "backup", str(open_folder / "of a stopped site")
        )


@FULL
def test_a_restored_site_exports_the_same_bytes(judged: Stack, site: Callable[..., Stack]) -> None:
    target, restored = judged.folder / "backup", site("restored")
    output = judged.manage("backup", str(target))
    assert "12 judgments, 1 files" in output and "SECRET_KEY is not in it" in output
    put_files(restored)  # as a restore leaves them that was killed before it came to the rows
    output = restored.manage("restore", str(target))
    assert "12 judgments and 1 files" in output and "nothing broken" in output
    exported = judged.manage("export_judgments", "kept")
    assert exported.count("\n") > 12 and restored.manage("export_judgments", "kept") == exported
    assert "is not empty" in refused(restored, "restore", str(target))


MAKE_RELEASE = """
from datetime import date
from annotate.models import Collection
from annotate.services.background import works
from metrics.services.releases import releases
release = releases.request_release(
    collection=Collection.objects.get(slug="kept"), version="1.0", title="Kept", notes="",
    released_on=date(2026, 3, 5), by=None)
works.perform(work=release.work)
release.refresh_from_db()
print("sha256", release.sha256)
"""


@FULL
def test_a_release_made_from_a_restored_site_has_the_same_bytes(
    judged: Stack, site: Callable[..., Stack], django_db_blocker: DjangoDbBlocker
) -> None:
    (checksum,) = re.findall("^sha256 .{64}$", judged.manage("shell", "-c", MAKE_RELEASE), re.M)
    target, restored = judged.folder / "backup", site("restored")
    judged.manage("backup", str(target))
    restored.manage("restore", str(target))
    with restored.orm(django_db_blocker):
        forget_releases(Collection.objects.get(slug="kept"))
    assert checksum in restored.manage("shell", "-c", MAKE_RELEASE)


@FULL
def test_a_restore_that_ended_after_its_rows_goes_on_from_there(
    judged: Stack, site: Callable[..., Stack]
) -> None:
    target, restored = judged.folder / "backup", site("restored")
    judged.manage("backup", str(target))
    restored.manage("restore", str(target))
    left = RestoreMark(read_sums(target)).text
    (restored.home.var / "media" / RESTORING).write_text(left)  # as a killed one leaves it
    assert "12 judgments and 1 files" in restored.manage("restore", str(target))
    assert "is not empty" in refused(restored, "restore", str(target))


@FULL
def test_web_servers_role_makes_whole_backups_and_restores_none(
    judged: Stack, site: Callable[..., Stack], django_db_blocker: DjangoDbBlocker
) -> None:
    role, target, empty = (
        f"app_{judged.folder.stat().st_ino}",
        judged.folder / "backup",
        site("empty"),
    )
    with judged.orm(django_db_blocker):
        app_role.make_app_role(password="x", name=role)
    try:
        judged.settings["DATABASE_URL"] = judged.database_url.replace("assayer@", f"{role}@")
        judged.manage("backup", str(target))
        owners = empty.database_url
        empty.settings["DATABASE_URL"] = owners.replace("assayer@", f"{role}@")
        assert "name the owner of the database" in refused(empty, "restore", str(target))
        empty.settings["DATABASE_URL"] = owners
        assert "12 judgments" in empty.manage("restore", str(target))
    finally:
        with psycopg.connect(
            judged.database_url.replace(f"{role}@", "assayer@"), autocommit=True
        ) as connection:
            connection.execute(f"DROP OWNED BY {role}")
            connection.execute(f"DROP ROLE {role}")


@FULL
def test_a_damaged_backup_changes_nothing(judged: Stack, site: Callable[..., Stack]) -> None:
    target, empty = judged.folder / "backup", site("empty")
    judged.manage("backup", str(target))
    with open(target / "database.dump", "r+b") as file:
        file.seek(-1, 2)
        file.truncate()
    output = refused(empty, "restore", str(target))
    assert (
        "Nothing was restored." in output and "the checksum of database.dump is another" in output
    )
    assert n_tables(empty) == 0 and not (empty.home.var / "media").exists()


@FULL
def test_what_pg_restore_reads_in_part_changes_nothing(
    judged: Stack, site: Callable[..., Stack]
) -> None:
    empty, target = site("empty"), judged.folder / "backup"
    judged.manage("backup", str(target))
    whole = (target / "database.dump").read_bytes()
    with draft_backup(target.with_name("cut"), ConsoleProgress()) as draft:
        draft.write("database.dump", [whole[:-1000]], stage="The database")
        draft.end(read_facts(target))
    output = refused(empty, "restore", str(target.with_name("cut")))
    assert "Nothing was restored. pg_restore ended with code 1: pg_restore: error: " in output
    assert n_tables(empty) == 0


@FULL
def test_files_are_copied_after_the_moment_of_the_database(judged: Stack) -> None:
    target = judged.folder / "backup"
    waits = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event = 'relation'"
    )
    with psycopg.connect(judged.database_url) as holder, ThreadPoolExecutor(1) as pool:
        holder.execute("LOCK TABLE annotate_workerheartbeat IN ACCESS EXCLUSIVE MODE")
        making = pool.submit(judged.run, "backup", str(target))
        with psycopg.connect(judged.database_url, autocommit=True) as looker:
            ended = wait_until(
                lambda: looker.execute(waits).fetchone() == (1,) or making.done(), seconds=240
            )
        assert ended and not making.done()
        (judged.home.var / "media" / "later").write_text("of a row that the backup may know")
        holder.rollback()
    assert making.result().returncode == 0
    assert (target / "media" / "later").exists()


@FULL
def test_another_key_and_another_file_are_refused_before_anything_is_changed(
    judged: Stack, site: Callable[..., Stack]
) -> None:
    target, empty = judged.folder / "backup", site("empty", SECRET_KEY=secrets.token_urlsafe(64))
    judged.manage("backup", str(target))
    assert "SECRET_KEY is not the one of the backup's site" in refused(
        empty, "restore", str(target)
    )
    other = empty.home.var / "media" / "collections" / "kept" / "a picture é.webp"
    other.parent.mkdir(parents=True)
    other.write_text("another")
    assert "is another file than the backup's" in refused(
        empty, "restore", str(target), "--new-key"
    )
    assert n_tables(empty) == 0 and other.read_text() == "another"
    other.unlink()
    assert "nothing broken" in empty.manage("restore", str(target), "--new-key")


@FULL
def test_a_full_disk_is_told_and_leaves_nothing(
    judged: Stack, small_disk: Callable[[str], Path]
) -> None:
    disk = small_disk("200k")
    assert "There is no backup. The disk is full." in refused(
        judged, "backup", str(disk / "backup")
    )
    assert list(disk.iterdir()) == []


def test_a_folder_of_files_that_is_not_mounted_is_no_empty_one(
    settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    with pytest.raises(BackupError, match="is not there: mount its disk"):
        make_backup(target=tmp_path / "backup", progress=ConsoleProgress())


def test_a_backup_goes_to_no_place_that_it_copies_and_to_none_that_is_not_there(
    media_root: Path,
) -> None:
    with pytest.raises(BackupError, match="choose a place outside"):
        make_backup(target=media_root / "backup", progress=ConsoleProgress())
    with pytest.raises(BackupError, match="There is no folder"):
        make_backup(target=media_root.parent / "missing" / "backup", progress=ConsoleProgress())


@pytest.mark.parametrize("new_key", [False, True])
def test_a_key_comes_back_unless_a_new_one_is_wanted(
    settings: Any, tmp_path: Path, new_key: bool
) -> None:
    settings.HOME, settings.SECRET_KEY = Home(tmp_path / "var"), NO_KEY_YET
    key = secrets.token_urlsafe(64)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "secret_key").write_text(key)
    (tmp_path / "site" / "sign-in.json").write_text("{}")
    facts = Facts(made_at="", key_mark="", n_judgments=0, postgres="18", migrations={})
    restore_site(tmp_path, facts, new_key=new_key)
    assert (settings.HOME.secret_key.read_text() == key) is not new_key
    # as where the environment gives it
    settings.HOME, settings.SECRET_KEY = Home(tmp_path / "elsewhere"), key
    restore_site(tmp_path, facts, new_key=new_key)
    assert (
        settings.HOME.var / "sign-in.json"
    ).read_text() == "{}" and not settings.HOME.secret_key.exists()


@pytest.mark.django_db
def test_only_an_empty_database_of_this_version_or_a_newer_one_is_filled() -> None:
    ours = {"made_at": "", "key_mark": "", "n_judgments": 0}
    with pytest.raises(
        BackupError, match="The backup is of PostgreSQL 99, and the database is PostgreSQL 18"
    ):
        check_database(Facts(**ours, postgres="99", migrations={}))
    with pytest.raises(BackupError, match="made by another version, which has annotate/9999_later"):
        check_database(Facts(**ours, postgres="18", migrations={"annotate": "9999_later"}))
    with pytest.raises(BackupError, match="The database is not empty"):
        check_database(Facts(**ours, postgres="16", migrations={"annotate": "0001_initial"}))
