"""Workers that are killed in the middle of their work."""

import os
import subprocess
import sys

from django.conf import settings as project
from django.db import connection, transaction
from django.db.models import Model

from annotate.models import Work
from config.up.home import Home
from config.up.processes import wait_until
from tests.servers.database_sessions import no_job_is_locked, waiting_session


def run_out_of_memory(*arguments: object, **options: object) -> None:
    """Stand-in for a function in which a worker runs out of memory."""
    raise MemoryError


def kill_worker(job: Work, code: str, home: Home, *, at: type[Model]) -> None:
    """Run a job by `code` in a process, and kill that when it begins to store rows of `at`.

    Returns when PostgreSQL has noticed: until then the dead worker's session holds the job's lock.
    """
    address = home.database_url(connection.settings_dict["NAME"])
    env = {
        **os.environ,
        "DATABASE_URL": address,
        "MEDIA_ROOT": str(project.MEDIA_ROOT),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {at._meta.db_table} IN EXCLUSIVE MODE")
        worker = subprocess.Popen(
            [sys.executable, "-c", code, str(job.pk)], env=env, cwd=project.BASE_DIR
        )
        try:
            waiting_session(unless=lambda: worker.poll() is not None)
        finally:
            worker.kill()
            worker.wait()
    assert wait_until(no_job_is_locked, seconds=240)
    job.refresh_from_db()
