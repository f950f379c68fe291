"""The database server for a command: a running one, or the embedded one for this command alone."""

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TextIO

from django.db import connections

from config.backups.programs import BackupError
from config.up import first_start
from config.up.cluster_upgrade import (
    earlier_major,
    earlier_programs,
    finish_upgrade,
    serve_earlier,
    upgrade_cluster,
)
from config.up.embedded import start_postgres
from config.up.home import Home, make_var
from config.up.processes import StartError, stop
from config.up.progress import ConsoleProgress
from config.up.server_data import data_folder, keep_data_folder
from config.up.supervisor import take_lock


@contextmanager
def database_server(home: Home, *, alone: bool) -> Iterator[None]:
    """Make sure that the database answers; start the embedded server where `up` does not run.

    alone : refuse where `up` runs, since it fills the database of a new `var` at once; if False,
        the database is served as it is: files of an earlier version by that version, without an
        upgrade
    """
    if os.environ.get("DATABASE_URL"):
        yield
        return
    make_var(home)
    with ExitStack() as lock_stack:
        lock_stack.enter_context(wait_for_turn(home, ConsoleProgress()))
        try:
            lock_stack.enter_context(
                take_lock(home, f"manage.py {'restore' if alone else 'backup'}")
            )
        except StartError as error:
            if alone:
                raise BackupError(
                    f"{error} Stop it first: the database is started without it."
                ) from None
            lock_stack.close()
            yield
            return
        try:
            if alone:
                upgrade_cluster(home, ConsoleProgress())
            with serve_cluster(home):
                yield
                keep_data_folder(home)
        finally:
            first_start.forget_failed_start(home)
            with suppress(OSError):
                home.sockets.rmdir()


def wait_for_turn(home: Home, progress: ConsoleProgress) -> TextIO:
    """Wait for other commands that may start the server, which one would use and then lose."""
    lock_file = open(home.var / ".turn", "a")  # noqa: SIM115 - held until the command ends
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        progress.show("Waiting for another backup or restore to end")
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        progress.end()
    return lock_file


@contextmanager
def serve_cluster(home: Home) -> Iterator[None]:
    """Run the embedded server in the version of the files."""
    with ExitStack() as cleanup:
        folder = data_folder(home)
        finish_upgrade(folder)
        if major := earlier_major(folder):
            programs = cleanup.enter_context(earlier_programs(folder, major))
            server = serve_earlier(home, folder / "postgres", programs)
        else:
            server = start_postgres(home)
        try:
            yield
        finally:
            connections.close_all()
            stop(server, first=signal.SIGINT, seconds=600)
