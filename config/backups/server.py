"""The database's server for a command: one that runs, or the embedded one for this command alone."""

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TextIO

from django.db import connections

from config.backups.programs import BackupError
from config.up import firststart
from config.up.data import data_folder, keep_data_folder
from config.up.embedded import start_postgres
from config.up.home import Home, make_var
from config.up.processes import StartError, stop
from config.up.progress import Progress
from config.up.supervisor import take_lock
from config.up.upgrading import earlier_major, earlier_programs, finish_upgrade, serve_earlier, upgrade_cluster


@contextmanager
def database_server(home: Home, *, alone: bool) -> Iterator[None]:
    """Have the database answer; the embedded server is started where `up` does not run.

    alone : refuse where `up` runs, which has filled the database of a new `var` at once; else the database is
        wanted as it is: files of an earlier version are served by that, not upgraded
    """
    if os.environ.get("DATABASE_URL"):
        yield
        return
    make_var(home)
    with ExitStack() as held:
        held.enter_context(wait_for_turn(home, Progress()))
        try:
            held.enter_context(take_lock(home, f"manage.py {'restore' if alone else 'backup'}"))
        except StartError as error:
            if alone:
                raise BackupError(f"{error} Stop it first: the database is started without it.") from None
            held.close()
            yield
            return
        try:
            if alone:
                upgrade_cluster(home, Progress())
            with files_served(home):
                yield
                keep_data_folder(home)
        finally:
            firststart.forget_failed_start(home)
            with suppress(OSError):
                home.sockets.rmdir()


def wait_for_turn(home: Home, progress: Progress) -> TextIO:
    """Hold the turn of commands that may start the server: else one would use another's, and lose it in the middle."""
    turn = open(home.var / ".turn", "a")  # noqa: SIM115 - held until the command ends
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        progress.show("Waiting for another backup or restore to end")
        fcntl.flock(turn, fcntl.LOCK_EX)
        progress.end()
    return turn


@contextmanager
def files_served(home: Home) -> Iterator[None]:
    """Have the embedded server of the version that the files are of."""
    with ExitStack() as after:
        folder = data_folder(home)
        finish_upgrade(folder)
        if major := earlier_major(folder):
            old = after.enter_context(earlier_programs(folder, major))
            server = serve_earlier(home, folder / "postgres", old)
        else:
            server = start_postgres(home)
        try:
            yield
        finally:
            connections.close_all()
            stop(server, first=signal.SIGINT, seconds=600)
