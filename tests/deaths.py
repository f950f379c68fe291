"""Workers that die in the middle of their work."""

import os
import subprocess
import sys

from django.conf import settings as project
from django.db import connection, transaction
from django.db.models import Model

from annotate.models import Work
from config.up.home import Home
from config.up.processes import wait_until
from tests.sessions import nobody_is_at_a_job, waiting_session


def die(*arguments: object, **options: object) -> None:
    """Stands where a worker runs out of memory."""
    raise MemoryError


def kill_worker(job: Work, code: str, home: Home, *, at: type[Model]) -> None:
    """Let a process of its own do a job by `code`, and kill it where it begins to store rows of `at`.

    Returns when PostgreSQL has noticed: until then the dead worker's session holds the job's lock.
    """
    address = home.database_url(connection.settings_dict["NAME"])
    env = {**os.environ, "DATABASE_URL": address, "MEDIA_ROOT": str(project.MEDIA_ROOT),
           "DJANGO_SETTINGS_MODULE": "config.settings"}  # fmt: skip
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {at._meta.db_table} IN EXCLUSIVE MODE")
        worker = subprocess.Popen([sys.executable, "-c", code, str(job.pk)], env=env, cwd=project.BASE_DIR)
        try:
            waiting_session(unless=lambda: worker.poll() is not None)
        finally:
            worker.kill()
            worker.wait()
    assert wait_until(nobody_is_at_a_job, seconds=240)
    job.refresh_from_db()
