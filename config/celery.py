"""The Celery application; its options are the CELERY_ names of the settings."""

import os

from celery import Celery
from celery.signals import worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("assayer")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_ready.connect
def beat_heart_at_once(**_: object) -> None:
    """A worker that has just started is seen now, not at the next beat."""
    app.send_task("annotate.tasks.beat_heart")
