"""Data of an earlier major version of PostgreSQL, moved to the one that comes along now.

Dumped by the new version out of the old server and loaded into a new cluster, which so is as a fresh one would be: with
checksums, and with the same rules for letters. The old files are only read by their own server, and stay until somebody
deletes them. A start that is killed begins again: until the copy is whole the old files keep their place, and the two
renamings at the end are told apart from all that comes before them.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
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


def upgrade_cluster(home: Home, progress: Progress) -> None:
    """Bring the files of an earlier version to the present one; nothing where there are none.

    Call it while nobody else uses `var`, before the server is started.
    """
    folder = data_folder(home)
    cluster, draft = folder / "postgres", folder / "postgres.upgrading"
    if not cluster.exists():
        if draft.exists() and any(kept_folder(folder, major).exists() for major in POSTGRES_FOLDERS):
            draft.rename(cluster)  # a start was killed between the two renamings
        return
    major = (cluster / "PG_VERSION").read_text().strip()
    if major == POSTGRES_MAJOR or major not in POSTGRES_FOLDERS:
        return  # the server's start says what is wrong with any other
    kept = kept_folder(folder, major)
    if kept.exists():
        raise StartError(
            f"The database in {cluster} is of PostgreSQL {major} and is to be copied to {POSTGRES_MAJOR}, "
            f"but {kept} is there, as an earlier upgrade leaves it: move it away."
        )
    check_room(cluster)
    progress.show(f"Upgrading the database from PostgreSQL {major} to {POSTGRES_MAJOR}")
    copy_cluster(home, cluster, draft, major=major, progress=progress)
    os.sync()  # what the renamings make final must be on the disk
    cluster.rename(kept)
    draft.rename(cluster)
    progress.end(
        f"The database is upgraded from PostgreSQL {major} to {POSTGRES_MAJOR}. "
        f"The files of before are in {kept}: delete them once all is well."
    )


def kept_folder(folder: Path, major: str) -> Path:
    """Where the files of before stay."""
    return folder / f"postgres-{major}"


def check_room(cluster: Path) -> None:
    """Refuse to begin where there is no room for a second copy."""
    size = sum(file.stat().st_size for file in cluster.rglob("*") if file.is_file())
    free = shutil.disk_usage(cluster).free
    if free < size:
        raise StartError(
            f"The upgrade of the database copies {size // 1_000_000} MB in {cluster.parent}, "
            f"and {free // 1_000_000} MB are free there: make room."
        )


def copy_cluster(home: Home, cluster: Path, draft: Path, *, major: str, progress: Progress) -> None:
    """Make a cluster of the present version beside one of an earlier version, with the same roles and databases."""
    prepare_sockets(home)
    account, spare = server_account(), cluster.parent / "earlier-postgres"
    new = programs(postgres_package(), cluster.parent) / "bin"
    old = programs(postgres_package(major), make_folder(spare, 0o755)) / "bin"
    end_orphan(draft / "postmaster.pid", draft, signal.SIGINT)  # of an upgrade that was killed
    shutil.rmtree(draft, ignore_errors=True)
    make_cluster(draft, new / "initdb", log=home.logs / "postgres.log", account=account, durable=True)
    forget_dead_postgres(home, cluster)
    servers = [serve(home, cluster, old / "postgres", port=OLD_PORT)]
    try:
        servers.append(serve(home, draft, new / "postgres", port=NEW_PORT))
        copy_databases(home, new, progress)
    finally:
        for server in servers:
            stop(server, first=signal.SIGINT, seconds=600)
    shutil.rmtree(spare, ignore_errors=True)


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
        raise StartError(f"The database could not be upgraded, and is as it was: {last_words(log)}")


def child(argv: Sequence[str | Path], told: BinaryIO, **pipes: int) -> subprocess.Popen[bytes]:
    """Start a program that ends with us, what it has to say in a file."""
    ends = die_with_parent(signal.SIGTERM)
    return subprocess.Popen(argv, stderr=told, preexec_fn=ends, **{"stdout": told, **pipes})  # type: ignore[call-overload,no-any-return]  # noqa: PLW1509 - no thread holds a lock
