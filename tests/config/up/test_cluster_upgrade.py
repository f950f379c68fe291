"""`up` on the files of an earlier PostgreSQL: it upgrades them, also after a kill at any moment."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from psycopg import sql
from pytest_django import DjangoDbBlocker

from config.backups.server import wait_for_turn
from config.testing import once_a_run
from config.up.cluster_upgrade import earlier_programs, serve_earlier, upgrade_cluster
from config.up.embedded import end_orphan, serve, start_postgres
from config.up.home import Home, owned_folder, prepare_home, prepare_sockets, server_account
from config.up.processes import StartError, spawn, stop, wait_until
from config.up.programs import POSTGRES_MAJOR, postgres_package, programs_folder
from config.up.progress import ConsoleProgress
from config.up.supervisor import take_lock
from tests import cast
from tests.metrics import studies
from tests.servers.databases import using_database
from tests.servers.stack import Stack

pytestmark = pytest.mark.full
EARLIER = "16"


def rows(home: Home) -> dict[str, str]:
    """A checksum of every table's rows."""
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    digest = sql.SQL("SELECT md5(string_agg(row::text, ',' ORDER BY row::text)) FROM {} AS row")
    with psycopg.connect(home.database_url()) as connection:
        names = [name for (name,) in connection.execute(tables).fetchall()]
        return {
            name: connection.execute(digest.format(sql.Identifier(name))).fetchone()[0]
            for name in names
        }


@pytest.fixture(scope="module")
def earlier(django_db_blocker: DjangoDbBlocker) -> Path:
    """A `var` with a database of PostgreSQL 16 with judgments, its server stopped.

    Tests copy it.
    """
    with once_a_run("earlier") as folder:
        home = Home(folder / "var")
        if (folder / "made").exists():
            return home.var
        folder.mkdir(mode=0o755)
        prepare_home(home)
        home.var.chmod(0o755)
        prepare_sockets(home)
        server = serve(home, *cluster_of_before(home))
        try:
            with using_database(home.database_url(), django_db_blocker):
                call_command("migrate", verbosity=0, interactive=False)
                collection = studies.study("kept")
                studies.name_pairs(collection)
                studies.judge(cast.annotator(collection))
            with psycopg.connect(home.database_url()) as connection:
                assert connection.info.server_version // 10_000 == int(EARLIER)
                connection.execute("CREATE ROLE reader LOGIN")
                connection.execute("GRANT SELECT ON annotate_judgment TO reader")
            (home.var / "rows").write_text(json.dumps(rows(home)))
        finally:
            stop(server, first=signal.SIGINT, seconds=600)
            shutil.rmtree(home.sockets, ignore_errors=True)
        (folder / "made").touch()
    return home.var


def cluster_of_before(home: Home) -> tuple[Path, Path]:
    """New files of an earlier PostgreSQL, and the program of its server."""
    account, cluster = server_account(), owned_folder(home.var / "postgres", server_account())
    old = programs_folder(postgres_package(EARLIER), home.var / "of-before") / "bin"
    options = ["--auth=trust", "--username=assayer", "--encoding=UTF8", "--no-locale", "--no-sync"]
    log = home.logs / "postgres.log"
    process = spawn(
        [old / "initdb", "-D", cluster, *options], log=log, cwd=home.var, account=account
    )
    assert process.wait() == 0
    return cluster, old / "postgres"


def copy_of(earlier: Path, folder: Path) -> Home:
    """A copy of the earlier `var` that a test may change."""
    home = Home(folder / "var")
    subprocess.run(["cp", "-a", earlier, home.var], check=True)
    return home


def assert_nothing_lost(home: Home, earlier: Path) -> None:
    """Assert that the present server has all rows, and that the earlier files are kept."""
    server = start_postgres(home)
    try:
        assert rows(home) == json.loads((earlier / "rows").read_text())
        with psycopg.connect(home.database_url()) as connection:
            assert connection.info.server_version // 10_000 == int(POSTGRES_MAJOR)
            right = connection.execute(
                "SELECT has_table_privilege('reader', 'annotate_judgment', 'SELECT')"
            )
            assert right.fetchone() == (True,)
    finally:
        stop(server, first=signal.SIGINT, seconds=600)
        shutil.rmtree(home.sockets, ignore_errors=True)
    assert (home.var / "postgres-16" / "PG_VERSION").read_text().strip() == EARLIER
    assert_no_leftovers(home)


def assert_no_leftovers(home: Home) -> None:
    """Assert that no unneeded files are left."""
    assert not list(home.var.glob("postgres.*")) and not (home.var / "earlier-postgres").exists()


def test_up_upgrades_the_files_of_an_earlier_version_and_says_so(
    earlier: Path, open_folder: Path
) -> None:
    home = copy_of(earlier, open_folder)
    with Stack(open_folder, {"STATIC_FILES": "plain"}) as stack:
        stack.start()
        assert (
            "upgraded from PostgreSQL 16 to 18. The files of before are in" in stack.output_text()
        )
        assert "nothing broken" in stack.manage("fsck")
        with psycopg.connect(home.database_url()) as connection:
            n_judgments = connection.execute("SELECT count(*) FROM annotate_judgment").fetchone()[0]
        assert n_judgments > 10
        assert (
            rows(home)["annotate_judgment"]
            == json.loads((earlier / "rows").read_text())["annotate_judgment"]
        )


def test_an_upgrade_that_is_killed_begins_again(earlier: Path, open_folder: Path) -> None:
    home = copy_of(earlier, open_folder)
    with Stack(open_folder) as stack:
        stack.launch("--port", "0")
        draft = home.var / "postgres.upgrading"
        assert wait_until(lambda: draft.exists() or stack.process.poll() is not None, seconds=600)
        stack.process.kill()
        stack.process.wait()
    upgrade_cluster(home, ConsoleProgress())
    assert_nothing_lost(home, earlier)


def half_a_copy(home: Home, *, n_bytes: int = 0) -> Path:
    """Leave the files of a kill in the middle of the copying."""
    half = owned_folder(home.var / "postgres.upgrading", server_account())
    (half / "PG_VERSION").write_text(POSTGRES_MAJOR)
    (half / "rows").write_bytes(bytes(n_bytes))
    return half


def test_half_a_copy_of_a_killed_upgrade_is_made_anew(earlier: Path, open_folder: Path) -> None:
    home = copy_of(earlier, open_folder)
    half_a_copy(home)
    upgrade_cluster(home, ConsoleProgress())
    assert_nothing_lost(home, earlier)


def test_a_copy_that_was_whole_is_made_anew_while_the_old_files_may_have_been_written(
    earlier: Path, open_folder: Path
) -> None:
    home = copy_of(earlier, open_folder)
    # a kill between the first renaming and the second
    half_a_copy(home).rename(home.var / "postgres.upgraded")
    upgrade_cluster(home, ConsoleProgress())
    assert_nothing_lost(home, earlier)


def test_an_upgrade_that_is_killed_before_its_last_renaming_is_ended(
    earlier: Path, open_folder: Path
) -> None:
    home = copy_of(earlier, open_folder)
    upgrade_cluster(home, ConsoleProgress())
    (home.var / "postgres").rename(home.var / "postgres.upgraded")
    upgrade_cluster(home, ConsoleProgress())
    assert_nothing_lost(home, earlier)


@pytest.mark.parametrize("folder_name", ["postgres-16", "elsewhere"])
def test_half_a_copy_is_never_taken_for_the_database(
    earlier: Path, open_folder: Path, folder_name: str
) -> None:
    home = copy_of(earlier, open_folder)
    half = half_a_copy(home)
    # by somebody who does as the upgrade does
    (home.var / "postgres").rename(home.var / folder_name)
    with pytest.raises(
        StartError, match=f"move the files of before back to that place, or {half} away"
    ):
        upgrade_cluster(home, ConsoleProgress())
    assert not (home.var / "postgres").exists() and half.exists()


def test_half_a_copy_is_not_in_the_way_of_the_next(
    earlier: Path, open_folder: Path, small_disk: Callable[[str], Path]
) -> None:
    home = copy_of(earlier, small_disk("600m"))
    half_a_copy(home, n_bytes=shutil.disk_usage(home.var).free - 10_000_000)
    upgrade_cluster(home, ConsoleProgress())
    assert_nothing_lost(home, earlier)


def test_no_room_for_the_copy_and_what_comes_with_it_is_refused(
    earlier: Path, open_folder: Path, small_disk: Callable[[str], Path]
) -> None:
    disk = small_disk("600m")
    home = copy_of(earlier, disk)
    tables = sum(file.stat().st_size for file in (home.var / "postgres" / "base").rglob("*"))
    (disk / "others").write_bytes(bytes(shutil.disk_usage(disk).free - 2 * tables))
    with pytest.raises(
        StartError, match=r"needs .* MB for the copy, the others while it is made.*: make room"
    ):
        upgrade_cluster(home, ConsoleProgress())
    (disk / "others").unlink()
    upgrade_cluster(home, ConsoleProgress())
    assert_nothing_lost(home, earlier)


@pytest.mark.parametrize(
    ("obstacle", "reason"),
    [
        (
            "CREATE TABLE stays (here bool CHECK (version() LIKE 'PostgreSQL 16%')); "
            "INSERT INTO stays VALUES (true)",
            "stays",
        ),
        ("ALTER ROLE assayer SET default_transaction_read_only = on", "read-only"),
    ],
    ids=["a table that is not taken", "no new database"],
)
def test_a_copy_that_fails_leaves_no_half_of_it(
    earlier: Path, open_folder: Path, obstacle: str, reason: str
) -> None:
    home = copy_of(earlier, open_folder)
    with earlier_programs(home.var, EARLIER) as old:
        server = serve_earlier(home, home.var / "postgres", old)
        with psycopg.connect(home.database_url()) as connection:
            connection.execute(obstacle)
        stop(server, first=signal.SIGINT, seconds=600)
    with pytest.raises(StartError, match=rf"could not be upgraded, and is as it was: .*{reason}"):
        upgrade_cluster(home, ConsoleProgress())
    assert_no_leftovers(home)
    assert (home.var / "postgres" / "PG_VERSION").read_text().strip() == EARLIER


@pytest.mark.heavy
def test_a_killed_starts_server_may_take_long_to_end(tmp_path: Path) -> None:
    end = "lambda *_: (time.sleep(25), exit())"
    slow = f"import signal, time; signal.signal(signal.SIGINT, {end}); print(); signal.pause()"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", slow, tmp_path], stdout=subprocess.PIPE, start_new_session=True
    ) as server:
        try:
            assert server.stdout and server.stdout.readline()
            (tmp_path / "pid").write_text(f"{server.pid}\n")
            assert end_orphan(tmp_path / "pid", tmp_path, signal.SIGINT)
        finally:
            server.kill()


def test_files_that_an_earlier_upgrade_left_are_not_written_over(
    earlier: Path, open_folder: Path
) -> None:
    home = copy_of(earlier, open_folder)
    (home.var / "postgres-16").mkdir()
    with pytest.raises(
        StartError, match="postgres-16 is there, as an earlier upgrade leaves it: move it away"
    ):
        upgrade_cluster(home, ConsoleProgress())


def test_a_backup_before_the_upgrade_upgrades_nothing(earlier: Path, open_folder: Path) -> None:
    home, target = copy_of(earlier, open_folder), open_folder / "backup"
    stack = Stack(open_folder)
    (home.var / "media").mkdir()
    output = stack.manage("backup", str(target))
    assert ", PostgreSQL 16." in output
    assert (home.var / "postgres" / "PG_VERSION").read_text().strip() == EARLIER
    assert not (home.var / "postgres-16").exists()
    assert_no_leftovers(home)
    restored = Stack(open_folder / "restored").manage("restore", str(target))
    n_judgments = re.search(r"\d+ judgments", output)
    assert "nothing broken" in restored and n_judgments and n_judgments.group() in restored
    upgrade_cluster(home, ConsoleProgress())
    assert_nothing_lost(home, earlier)


def test_a_backup_waits_for_another_that_has_the_server_and_is_named_to_a_start(
    earlier: Path, open_folder: Path
) -> None:
    home, output = copy_of(earlier, open_folder), open_folder / "said"
    stack = Stack(open_folder)
    (home.var / "media").mkdir()
    with wait_for_turn(home, ConsoleProgress()), take_lock(home, "manage.py backup"):
        command = [sys.executable, "manage.py", "backup", str(open_folder / "backup")]
        with open(output, "wb") as output_file:
            second = subprocess.Popen(
                command, cwd=stack.root, env=stack.env, stdout=output_file, stderr=subprocess.STDOUT
            )
        waits = "Waiting for another backup or restore to end"
        assert wait_until(
            lambda: waits in output.read_text() or second.poll() is not None, seconds=600
        )
        assert second.poll() is None, output.read_text()
        refusal = stack.run("up", "--port", "0")
        assert refusal.returncode == 1
        assert (
            f"already running on this folder (process {os.getpid()}, manage.py backup)"
            in refusal.stderr
        )
    assert second.wait(600) == 0, output.read_text()
    assert (home.var / ".lock").read_text() == f"process {second.pid}, manage.py backup"
