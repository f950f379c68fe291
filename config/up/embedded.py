"""The embedded PostgreSQL and Redis servers; DATABASE_URL and REDIS_URL replace them."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg
import psycopg.sql

from config.up.home import DATABASE, Home, owned_folder, prepare_sockets, server_account
from config.up.processes import (
    NO_ROOM,
    StartError,
    command_line,
    last_words,
    spawn,
    stop,
    wait_until,
)
from config.up.programs import POSTGRES_MAJOR, postgres_package, programs_folder, redis_program
from config.up.server_data import data_folder

SERVER_OPTIONS = ("-c", "listen_addresses=", "-c", "jit=off", "-c", "max_connections=200")
# autovacuum counts a table's rows at any time, which changes plans: no test may depend on that
TEST_OPTIONS = ("-c", "autovacuum=off", "-c", "fsync=off", "-c", "full_page_writes=off")


def start_postgres(home: Home, *, durable: bool = True) -> subprocess.Popen[bytes]:
    """Start PostgreSQL on the home's data; make the cluster first if there is none."""
    prepare_sockets(home)
    account, folder = server_account(), data_folder(home)
    binaries = programs_folder(postgres_package(), folder) / "bin"
    cluster, log = folder / "postgres", home.logs / "postgres.log"
    if not cluster.exists():
        make_cluster(cluster, binaries / "initdb", log=log, account=account, durable=durable)
    version = (cluster / "PG_VERSION").read_text().strip()
    if version != POSTGRES_MAJOR:
        raise StartError(
            f"{cluster} was written by PostgreSQL {version}, this is PostgreSQL {POSTGRES_MAJOR}: "
            "move the folder away to start afresh, "
            "or dump it with the old version and load it here."
        )
    forget_dead_postgres(home, cluster)
    return serve(home, cluster, binaries / "postgres", options=() if durable else TEST_OPTIONS)


def serve(
    home: Home,
    cluster: Path,
    program: Path,
    *,
    options: Sequence[str] = (),
    port: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start the server of a cluster and wait until it answers.

    port : names the socket of a server that programs must not take for the product's database
    """
    log, account = home.logs / "postgres.log", server_account()
    port_options = ("-p", str(port)) if port else ()
    command = [program, "-D", cluster, "-k", home.sockets, *SERVER_OPTIONS, *port_options, *options]
    # SIGINT is the fast shutdown; SIGTERM would wait for clients
    server = spawn(
        command, log=log, cwd=cluster.parent, account=account, death_signal=signal.SIGINT
    )
    while not wait_for_postgres(home, server, log, port=port):
        time.sleep(0.2)
        server = spawn(
            command, log=log, cwd=cluster.parent, account=account, death_signal=signal.SIGINT
        )
    return server


def make_cluster(
    cluster: Path, initdb: Path, *, log: Path, account: pwd.struct_passwd | None, durable: bool
) -> None:
    """Run initdb beside the final folder and rename it: no failed attempt counts as data."""
    draft = cluster.with_name(cluster.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    owned_folder(draft, account)
    options = [
        "--auth=trust",
        "--username=assayer",
        "--encoding=UTF8",
        "--no-locale",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
    ]
    process = spawn(
        [initdb, "-D", draft, *options, *(() if durable else ["--no-sync"])],
        log=log,
        cwd=draft.parent,
        account=account,
    )
    if process.wait() != 0:
        raise StartError(
            f"PostgreSQL could not make its files in {cluster.parent}: {last_words(log)}"
        )
    draft.rename(cluster)


def end_orphan(pid_file: Path, mark: Path, first_signal: int) -> bool:
    """End a server that an earlier supervisor left behind; return whether the file names a process.

    The caller holds the lock of `var`, so a server still running on these files is an orphan.
    Before it ends it writes all its memory to the disk, which takes minutes on a busy one.
    """
    try:
        pid = int(pid_file.read_text().splitlines()[0])
    except (OSError, ValueError, IndexError):
        return False

    def runs() -> bool:
        return os.fsencode(mark) in command_line(pid)

    if runs():
        os.kill(pid, first_signal)
        if not wait_until(lambda: not runs(), seconds=600):
            raise StartError(
                f"A server of an earlier start (process {pid}) does not end: "
                "stop it and start again."
            )
    return True


def forget_dead_postgres(home: Home, cluster: Path) -> None:
    """Let PostgreSQL start although its files name the process of a server that was killed.

    It refuses while the number is in use: by a stranger, or by a dead child that was not reaped.
    Its own parent's number counts as stale, so that is written. The file must stay: it also leads
    PostgreSQL to the shared memory of the dead server, where sessions may still be writing.
    """
    pid_file = cluster / "postmaster.pid"
    if end_orphan(pid_file, cluster, signal.SIGINT) and pid_file.exists():
        _, further_lines = pid_file.read_text().split("\n", 1)
        pid_file.write_text(f"{os.getpid()}\n{further_lines}")
    for leftover in home.sockets.glob(".s.PGSQL*"):
        leftover.unlink()


def wait_for_postgres(
    home: Home,
    server: subprocess.Popen[bytes],
    log: Path,
    *,
    port: int | None = None,
    seconds: float = 1800,
) -> bool:
    """Wait until the database answers and make sure ours exists.

    Recovery after a crash reads and syncs all changes since the last checkpoint: minutes on a busy
    disk. A server that cannot start ends by itself.

    False when sessions of a killed server are still ending: PostgreSQL rightly refuses, and is
    started again. Raises StartError where it runs and refuses connections because the disk is full.
    """

    def answers() -> bool:
        if server.poll() is not None:
            return True
        try:
            create_database(home, DATABASE, port=port)
        except psycopg.OperationalError as error:
            if no_room := NO_ROOM.search(str(error)):
                stop(server, first=signal.SIGINT)
                raise StartError(f"PostgreSQL did not start: {no_room[0]}") from error
            return False
        return True

    if not wait_until(answers, seconds=seconds):
        stop(server, first=signal.SIGINT)
        raise StartError(
            f"PostgreSQL did not answer within {seconds:.0f} seconds; its log is {log}."
        )
    if server.poll() is None:
        return True
    if "shared memory block" in last_words(log):
        return False
    raise StartError(f"PostgreSQL did not start: {last_words(log)}")


def create_database(
    home: Home, name: str, *, template: str = "template1", port: int | None = None
) -> None:
    """Make a database if it does not exist, as a copy of a template without connections."""
    with psycopg.connect(
        home.database_url("postgres", port=port), autocommit=True, connect_timeout=5
    ) as connection:
        if not connection.execute(
            "SELECT 1 FROM pg_database WHERE datname = %s", [name]
        ).fetchone():
            names = map(psycopg.sql.Identifier, (name, template))
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))


def start_redis(home: Home, *, durable: bool = True) -> subprocess.Popen[bytes]:
    """Start Redis on a socket, with an append-only file so that a crash keeps queued tasks.

    Writing that file, Redis stands still while the disk is busy.
    """
    prepare_sockets(home)
    account, folder, log = server_account(), data_folder(home), home.logs / "redis.log"
    data = owned_folder(folder / "redis", account)
    pid_file = data / "server.pid"
    end_orphan(pid_file, home.redis_socket, signal.SIGTERM)
    home.redis_socket.unlink(missing_ok=True)
    server = spawn(
        [
            redis_program(folder),
            "--port",
            "0",
            "--unixsocket",
            home.redis_socket,
            "--unixsocketperm",
            "700",
            "--dir",
            data,
            "--pidfile",
            pid_file,
            "--appendonly",
            "yes" if durable else "no",
            "--save",
            "",
            "--maxmemory-policy",
            "noeviction",
        ],
        log=log,
        cwd=data,
        account=account,
    )

    def answers() -> bool:
        if server.poll() is not None:
            raise StartError(f"Redis did not start: {last_words(log)}")
        return ping(home.redis_socket)

    if not wait_until(answers, seconds=30):
        stop(server)
        raise StartError(f"Redis did not answer within 30 seconds; its log is {log}.")
    return server


def ping(address: Path, *, seconds: float = 0.2) -> bool:
    """True if a Redis answers on a socket; the client library would retry for seconds."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(str(address))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
    except OSError:
        return False
