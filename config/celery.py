"""The Celery application; its options are the CELERY_ names of the settings."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("assayer")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
