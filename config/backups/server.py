"""The database's server for a command: one that runs, or the embedded one for this command alone."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import connections

from config.backups.programs import BackupError
from config.up import firststart
from config.up.data import keep_data_folder
from config.up.embedded import start_postgres
from config.up.home import Home, make_var
from config.up.processes import StartError, stop
from config.up.progress import Progress
from config.up.supervisor import take_lock
from config.up.upgrading import upgrade_cluster


@contextmanager
def database_server(home: Home, *, alone: bool) -> Iterator[None]:
    """Have the database answer; the embedded server is started where `up` does not run.

    alone : refuse where `up` runs, which has filled the database of a new `var` at once
    """
    if os.environ.get("DATABASE_URL"):
        yield
        return
    make_var(home)
    try:
        lock = take_lock(home)
    except StartError as error:
        if alone:
            raise BackupError(f"{error} Stop it first: the database is started without it.") from None
        yield
        return
    with lock:
        try:
            upgrade_cluster(home, Progress())
            server = start_postgres(home)
            try:
                yield
                keep_data_folder(home)
            finally:
                connections.close_all()
                stop(server, first=signal.SIGINT, seconds=600)
        finally:
            firststart.forget_failed_start(home)
            with suppress(OSError):
                home.sockets.rmdir()
