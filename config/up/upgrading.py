"""Data of an earlier major version of PostgreSQL, moved to the one that comes along now.

Dumped by the new version out of the old server and loaded into a new cluster, which so is as a fresh one would be: with
checksums, and with the same rules for letters. The old files are only read by their own server, and stay until somebody
deletes them. A start that is killed begins again as long as the old files are in their place: the version of before may
have gone on with them meanwhile. Only a copy that was whole when they left it, as its name says, takes that place.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import BinaryIO

import psycopg
import psycopg.conninfo

from config.up.data import data_folder
from config.up.embedded import create_database, end_orphan, forget_dead_postgres, make_cluster, serve
from config.up.home import Home, make_folder, prepare_sockets, server_account
from config.up.processes import StartError, die_with_parent, last_words, stop
from config.up.programs import POSTGRES_FOLDERS, POSTGRES_MAJOR, postgres_package, programs
from config.up.progress import Progress

OLD_PORT, NEW_PORT = 5433, 5434  # names of sockets; nobody looks for the product's database there
BLOCK = 1_000_000
NEW = 130_000_000  # bytes: a new cluster without tables (48 MB), copies of both versions' programs for root's servers
WAL = 1_100_000_000  # bytes: beyond max_wal_size, and a little, the log of changes is written over

FAILED = "The database could not be upgraded, and is as it was: {}"


def upgrade_cluster(home: Home, progress: Progress) -> None:
    """Bring the files of an earlier version to the present one; nothing where there are none.

    Call it while nobody else uses `var`, before the server is started.
    """
    folder = data_folder(home)
    finish_upgrade(folder)
    major = earlier_major(folder)
    if not major:
        return
    cluster, draft, whole = places(folder)
    kept = kept_folder(folder, major)
    if kept.exists():
        raise StartError(
            f"The database in {cluster} is of PostgreSQL {major} and is to be copied to {POSTGRES_MAJOR}, "
            f"but {kept} is there, as an earlier upgrade leaves it: move it away."
        )
    remove_leftovers(folder)
    check_room(cluster)
    progress.show(f"Upgrading the database from PostgreSQL {major} to {POSTGRES_MAJOR}")
    try:
        copy_cluster(home, cluster, draft, major=major, progress=progress)
        os.sync()  # what the renamings make final must be on the disk
        draft.rename(whole)
    finally:
        remove_draft(draft)  # of a copy that failed: it has the room that the next one needs
    cluster.rename(kept)
    whole.rename(cluster)
    progress.end(
        f"The database is upgraded from PostgreSQL {major} to {POSTGRES_MAJOR}. "
        f"The files of before are in {kept}: delete them once all is well."
    )


def places(folder: Path) -> tuple[Path, Path, Path]:
    """Where the database is, where a copy of it is made, and where that waits once it is whole."""
    return folder / "postgres", folder / "postgres.upgrading", folder / "postgres.upgraded"


def kept_folder(folder: Path, major: str) -> Path:
    """Where the files of before stay."""
    return folder / f"postgres-{major}"


def earlier_major(folder: Path) -> str:
    """The earlier version that the files are of; nothing if there are none, or of a version that is none of ours."""
    try:
        major = (folder / "postgres" / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        return ""
    return major if major in POSTGRES_FOLDERS and major != POSTGRES_MAJOR else ""


def finish_upgrade(folder: Path) -> None:
    """End an upgrade that was killed before its last renaming; refuse to begin with nothing beside half of one."""
    cluster, draft, whole = places(folder)
    if cluster.exists():
        return
    if whole.exists() and any(kept_folder(folder, major).exists() for major in POSTGRES_FOLDERS):
        whole.rename(cluster)
    elif leftover := next(filter(Path.exists, (draft, whole)), None):
        raise StartError(
            f"An upgrade of the database was cut off, and {cluster} is not there: "
            f"move the files of before back to that place, or {leftover} away to begin with nothing."
        )


def remove_leftovers(folder: Path) -> None:
    """End the servers of an upgrade that was killed, and remove its copy."""
    cluster, draft, whole = places(folder)
    for files in (cluster, draft):
        end_orphan(files / "postmaster.pid", files, signal.SIGINT)
    remove_draft(draft)
    shutil.rmtree(whole, ignore_errors=True)


def remove_draft(draft: Path) -> None:
    """Remove a copy that is not whole, and what `make_cluster` makes before it."""
    for leftover in (draft, draft.with_name(draft.name + ".new")):
        shutil.rmtree(leftover, ignore_errors=True)


def check_room(cluster: Path) -> None:
    """Refuse to begin where there is no room for a second copy and for what the server writes while it is made.

    An index is sorted in files of its own size: a third of the database is more than the largest has.
    """
    files = (file for file in cluster.rglob("*") if file.is_file() and file.parent.name != "pg_wal")
    size = sum(file.stat().st_size for file in files)
    needed = size + size // 3 + min(size, WAL) + NEW
    free = shutil.disk_usage(cluster).free
    if free < needed:
        raise StartError(
            f"The upgrade of the database needs {needed // 1_000_000} MB in {cluster.parent} "
            f"({size // 1_000_000} MB for the copy, the others while it is made), "
            f"and {free // 1_000_000} MB are free there: make room."
        )


@contextmanager
def earlier_programs(folder: Path, major: str) -> Iterator[Path]:
    """The programs of an earlier version; where they must be copied, the copy goes afterwards."""
    spare = folder / "earlier-postgres"
    try:
        yield programs(postgres_package(major), make_folder(spare, 0o755)) / "bin"
    finally:
        shutil.rmtree(spare, ignore_errors=True)


def serve_earlier(home: Home, cluster: Path, old: Path, *, port: int | None = None) -> subprocess.Popen[bytes]:
    """Start the server of an earlier version on its own files, which stay as they are."""
    prepare_sockets(home)
    forget_dead_postgres(home, cluster)
    return serve(home, cluster, old / "postgres", port=port)


def copy_cluster(home: Home, cluster: Path, draft: Path, *, major: str, progress: Progress) -> None:
    """Make a cluster of the present version beside one of an earlier version, with the same roles and databases."""
    new = programs(postgres_package(), cluster.parent) / "bin"
    make_cluster(draft, new / "initdb", log=home.logs / "postgres.log", account=server_account(), durable=True)
    with earlier_programs(cluster.parent, major) as old, ExitStack() as ends:
        source = serve_earlier(home, cluster, old, port=OLD_PORT)
        ends.callback(stop, source, first=signal.SIGINT, seconds=600)
        target = serve(home, draft, new / "postgres", port=NEW_PORT)
        ends.callback(stop, target, first=signal.SIGQUIT)  # after a failure: on a full disk it can write no more
        try:
            copy_databases(home, new, progress)
        except psycopg.Error as error:
            raise StartError(FAILED.format(error)) from error
        stop(target, first=signal.SIGINT, seconds=600)


def copy_databases(home: Home, programs_: Path, progress: Progress) -> None:
    """Copy what one server has to the other: roles, then each database in one transaction."""
    source, target = (home.database_url("postgres", port=port) for port in (OLD_PORT, NEW_PORT))
    roles: list[str | Path] = [programs_ / "pg_dumpall", "--roles-only", "--dbname", source]
    pipe(home, roles, [programs_ / "psql", "--no-psqlrc", "--quiet", "--dbname", target], progress)  # ours is there
    with psycopg.connect(source) as connection:
        rows = connection.execute(
            "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate AND datname <> 'postgres'"
        ).fetchall()
    for (name,) in rows:
        create_database(home, name, port=NEW_PORT)
        old, new = (psycopg.conninfo.make_conninfo(address, dbname=name) for address in (source, target))
        dump: list[str | Path] = [programs_ / "pg_dump", "--format=custom", "--compress=none", "--dbname", old]
        load: list[str | Path] = [programs_ / "pg_restore", "--exit-on-error", "--single-transaction", "--dbname", new]
        pipe(home, dump, load, progress)
        with psycopg.connect(new, autocommit=True) as connection:
            connection.execute("ANALYZE")  # else the planner knows nothing of the tables


def pipe(home: Home, read: Sequence[str | Path], write: Sequence[str | Path], progress: Progress) -> None:
    """Let one program read what another writes, and say how much it was; raises StartError if one fails."""
    log, done = home.logs / "upgrade.log", 0
    with open(log, "wb") as told, child(read, told, stdout=PIPE) as dump, child(write, told, stdin=PIPE) as load:
        assert dump.stdout and load.stdin  # noqa: S101 - both are pipes
        try:
            while block := dump.stdout.read(BLOCK):
                load.stdin.write(block)
                done += len(block)
                progress.show("Upgrading the database", f"{done / 1_000_000:,.0f} MB copied")
            load.stdin.close()
        except BrokenPipeError:
            dump.terminate()
    if dump.returncode or load.returncode:
        words = [last_words(log), last_words(home.logs / "postgres.log")]  # a full disk may be told by the server alone
        reason = next((word for word in words if "No space left" in word), words[0])
        raise StartError(FAILED.format(reason))


def child(argv: Sequence[str | Path], told: BinaryIO, **pipes: int) -> subprocess.Popen[bytes]:
    """Start a program that ends with us, what it has to say in a file."""
    ends = die_with_parent(signal.SIGTERM)
    return subprocess.Popen(argv, stderr=told, preexec_fn=ends, **{"stdout": told, **pipes})  # type: ignore[call-overload,no-any-return]  # noqa: PLW1509 - no thread holds a lock
