"""The Celery application; its options are the CELERY_ names of the settings."""

import os

from celery import Celery
from celery.signals import worker_init, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("assayer")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def give_way(**_: object) -> None:
    """Let people who wait for a page or an answer have the processor first; numbers may be a second later."""
    os.nice(5)


@worker_ready.connect
def beat_heart_at_once(**_: object) -> None:
    """A worker that has just started is seen now, not at the next beat."""
    app.send_task("annotate.tasks.beat_heart")
