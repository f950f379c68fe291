"""Upgrade of the data of an earlier major version of PostgreSQL to the embedded one.

The new version dumps the old server and loads a new cluster, which is like a fresh one: with
checksums, and with the same collation rules. The old files are only read, by their own server, and
stay until somebody deletes them. A killed start begins again as long as the old files are in their
place: the earlier version of the product may have gone on with them meanwhile. Only a copy that was
whole when they were moved away, as its name tells, takes that place.
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

from config.up.embedded import (
    create_database,
    end_orphan,
    forget_dead_postgres,
    make_cluster,
    serve,
)
from config.up.home import Home, make_folder, prepare_sockets, server_account
from config.up.processes import StartError, die_with_parent, last_words, stop
from config.up.programs import POSTGRES_FOLDERS, POSTGRES_MAJOR, postgres_package, programs_folder
from config.up.progress import ConsoleProgress
from config.up.server_data import data_folder

# names of sockets; no program looks for the product's database there
OLD_PORT, NEW_PORT = 5433, 5434
BLOCK = 1_000_000
NEW_CLUSTER_BYTES = 130_000_000  # an empty cluster (48 MB), copies of both versions' programs
WAL_BYTES = 1_100_000_000  # max_wal_size and a little more; beyond it the WAL is recycled

FAILED = "The database could not be upgraded, and is as it was: {}"


def upgrade_cluster(home: Home, progress: ConsoleProgress) -> None:
    """Upgrade the files of an earlier version to the present one; do nothing where there are none.

    Call it while nobody else uses `var`, before the server is started.
    """
    folder = data_folder(home)
    finish_upgrade(folder)
    major = earlier_major(folder)
    if not major:
        return
    cluster, draft, finished = cluster_folders(folder)
    old_cluster = old_cluster_folder(folder, major)
    if old_cluster.exists():
        raise StartError(
            f"The database in {cluster} is of PostgreSQL {major} and is to be copied to "
            f"{POSTGRES_MAJOR}, but {old_cluster} is there, as an earlier upgrade leaves it: "
            "move it away."
        )
    remove_leftovers(folder)
    check_space(cluster)
    progress.show(f"Upgrading the database from PostgreSQL {major} to {POSTGRES_MAJOR}")
    try:
        copy_cluster(home, cluster, draft, major=major, progress=progress)
        os.sync()  # files must be on the disk before the renamings make them final
        draft.rename(finished)
    finally:
        remove_draft(draft)  # of a failed copy: it takes the space that the next one needs
    cluster.rename(old_cluster)
    finished.rename(cluster)
    progress.end(
        f"The database is upgraded from PostgreSQL {major} to {POSTGRES_MAJOR}. "
        f"The files of before are in {old_cluster}: delete them once all is well."
    )


def cluster_folders(folder: Path) -> tuple[Path, Path, Path]:
    """Folders of the database, of its copy in the making, and of the finished copy."""
    return folder / "postgres", folder / "postgres.upgrading", folder / "postgres.upgraded"


def old_cluster_folder(folder: Path, major: str) -> Path:
    """Folder where the earlier version's files stay."""
    return folder / f"postgres-{major}"


def earlier_major(folder: Path) -> str:
    """The files' version if it is an earlier one of ours; "" if not, or if there are no files."""
    try:
        major = (folder / "postgres" / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        return ""
    return major if major in POSTGRES_FOLDERS and major != POSTGRES_MAJOR else ""


def finish_upgrade(folder: Path) -> None:
    """Finish an upgrade killed before its last renaming.

    Raises StartError rather than begin a new database beside half a copy.
    """
    cluster, draft, finished = cluster_folders(folder)
    if cluster.exists():
        return
    if finished.exists() and any(
        old_cluster_folder(folder, major).exists() for major in POSTGRES_FOLDERS
    ):
        finished.rename(cluster)
    elif leftover := next(filter(Path.exists, (draft, finished)), None):
        raise StartError(
            f"An upgrade of the database was cut off, and {cluster} is not there: "
            "move the files of before back to that place, "
            f"or {leftover} away to begin with nothing."
        )


def remove_leftovers(folder: Path) -> None:
    """End the servers of a killed upgrade, and remove its copy."""
    cluster, draft, finished = cluster_folders(folder)
    for folder_to_end in (cluster, draft):
        end_orphan(folder_to_end / "postmaster.pid", folder_to_end, signal.SIGINT)
    remove_draft(draft)
    shutil.rmtree(finished, ignore_errors=True)


def remove_draft(draft: Path) -> None:
    """Remove an unfinished copy, and the draft that `make_cluster` makes before it."""
    for leftover in (draft, draft.with_name(draft.name + ".new")):
        shutil.rmtree(leftover, ignore_errors=True)


def check_space(cluster: Path) -> None:
    """Refuse to begin without space for a second copy and for the server's files while it is made.

    An index is sorted in files of its own size: the largest index is less than a third of the
    database.
    """
    files = (file for file in cluster.rglob("*") if file.is_file() and file.parent.name != "pg_wal")
    size = sum(file.stat().st_size for file in files)
    n_bytes_needed = size + size // 3 + min(size, WAL_BYTES) + NEW_CLUSTER_BYTES
    free = shutil.disk_usage(cluster).free
    if free < n_bytes_needed:
        raise StartError(
            f"The upgrade of the database needs {n_bytes_needed // 1_000_000} MB in "
            f"{cluster.parent} ({size // 1_000_000} MB for the copy, the others while it is made), "
            f"and {free // 1_000_000} MB are free there: make room."
        )


@contextmanager
def earlier_programs(folder: Path, major: str) -> Iterator[Path]:
    """Give the programs of an earlier version.

    Where they must be copied, the copy is removed afterwards.
    """
    copy_folder = folder / "earlier-postgres"
    try:
        yield programs_folder(postgres_package(major), make_folder(copy_folder, 0o755)) / "bin"
    finally:
        shutil.rmtree(copy_folder, ignore_errors=True)


def serve_earlier(
    home: Home, cluster: Path, earlier_binaries: Path, *, port: int | None = None
) -> subprocess.Popen[bytes]:
    """Start the server of an earlier version on its own files, which stay as they are."""
    prepare_sockets(home)
    forget_dead_postgres(home, cluster)
    return serve(home, cluster, earlier_binaries / "postgres", port=port)


def copy_cluster(
    home: Home, cluster: Path, draft: Path, *, major: str, progress: ConsoleProgress
) -> None:
    """Copy roles and databases of an earlier version's cluster to a new one of this version."""
    new_programs = programs_folder(postgres_package(), cluster.parent) / "bin"
    make_cluster(
        draft,
        new_programs / "initdb",
        log=home.logs / "postgres.log",
        account=server_account(),
        durable=True,
    )
    with earlier_programs(cluster.parent, major) as old_programs, ExitStack() as cleanup:
        source = serve_earlier(home, cluster, old_programs, port=OLD_PORT)
        cleanup.callback(stop, source, first=signal.SIGINT, seconds=600)
        target = serve(home, draft, new_programs / "postgres", port=NEW_PORT)
        # after a failure: on a full disk it can write no more
        cleanup.callback(stop, target, first=signal.SIGQUIT)
        try:
            copy_databases(home, new_programs, progress)
        except psycopg.Error as error:
            raise StartError(FAILED.format(error)) from error
        stop(target, first=signal.SIGINT, seconds=600)


def copy_databases(home: Home, programs_: Path, progress: ConsoleProgress) -> None:
    """Copy the old server's roles, then each database in one transaction, to the new server."""
    source, target = (home.database_url("postgres", port=port) for port in (OLD_PORT, NEW_PORT))
    roles: list[str | Path] = [programs_ / "pg_dumpall", "--roles-only", "--dbname", source]
    # ours is there
    pipe(home, roles, [programs_ / "psql", "--no-psqlrc", "--quiet", "--dbname", target], progress)
    with psycopg.connect(source) as connection:
        rows = connection.execute(
            "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate "
            "AND datname <> 'postgres'"
        ).fetchall()
    for (name,) in rows:
        create_database(home, name, port=NEW_PORT)
        old, new = (
            psycopg.conninfo.make_conninfo(address, dbname=name) for address in (source, target)
        )
        dump: list[str | Path] = [
            programs_ / "pg_dump",
            "--format=custom",
            "--compress=none",
            "--dbname",
            old,
        ]
        load: list[str | Path] = [
            programs_ / "pg_restore",
            "--exit-on-error",
            "--single-transaction",
            "--dbname",
            new,
        ]
        pipe(home, dump, load, progress)
        with psycopg.connect(new, autocommit=True) as connection:
            connection.execute("ANALYZE")  # else the planner has no statistics


def pipe(
    home: Home,
    reader_command: Sequence[str | Path],
    writer_command: Sequence[str | Path],
    progress: ConsoleProgress,
) -> None:
    """Pipe one program's output to another, and show its size; raises StartError if one fails."""
    log, n_copied = home.logs / "upgrade.log", 0
    with (
        open(log, "wb") as log_file,
        start_child(reader_command, log_file, stdout=PIPE) as dump,
        start_child(writer_command, log_file, stdin=PIPE) as load,
    ):
        assert dump.stdout and load.stdin  # noqa: S101 - both are pipes
        try:
            while block := dump.stdout.read(BLOCK):
                load.stdin.write(block)
                n_copied += len(block)
                progress.show("Upgrading the database", f"{n_copied / 1_000_000:,.0f} MB copied")
            load.stdin.close()
        except BrokenPipeError:
            dump.terminate()
    if dump.returncode or load.returncode:
        # a full disk may be told by the server alone
        words = [last_words(log), last_words(home.logs / "postgres.log")]
        reason = next((word for word in words if "No space left" in word), words[0])
        raise StartError(FAILED.format(reason))


def start_child(
    argv: Sequence[str | Path],
    log_file: BinaryIO,
    *,
    stdin: int | None = None,
    stdout: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that ends with us, its messages in a file."""
    return subprocess.Popen(
        argv,
        stdin=stdin,
        stdout=log_file if stdout is None else stdout,
        stderr=log_file,
        preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509 - this process has one thread
    )
