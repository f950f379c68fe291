"""Workers that die in the middle of their work."""

import os
import subprocess
import sys

from django.conf import settings as project
from django.db import connection

from annotate.models import Import
from config.up.home import Home
from config.up.processes import wait_until
from pooling.models import Run


def kill_worker(job: Run | Import, code: str, home: Home) -> None:
    """Let a process of its own do a job by `code`, and kill it once the attempt is counted.

    Returns when PostgreSQL has noticed: until then the dead worker's session holds the job's lock.
    """
    address = home.database_url(connection.settings_dict["NAME"])
    env = {**os.environ, "DATABASE_URL": address, "MEDIA_ROOT": str(project.MEDIA_ROOT),
           "DJANGO_SETTINGS_MODULE": "config.settings"}  # fmt: skip
    worker = subprocess.Popen([sys.executable, "-c", code, str(job.pk)], env=env, cwd=project.BASE_DIR)

    def has_begun() -> bool:
        job.refresh_from_db()
        return job.attempts > 0

    try:
        assert wait_until(has_begun, seconds=240, step=0.01)
    finally:
        worker.kill()
        worker.wait()
    assert wait_until(nobody_holds_a_job, seconds=240, step=0.01)
    job.refresh_from_db()


def nobody_holds_a_job() -> bool:
    """Whether no session of this database holds the lock of a job (annotate.services.workers)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database "
                       "WHERE locktype = 'advisory' AND datname = current_database()")  # fmt: skip
        return cursor.fetchone()[0] == 0
