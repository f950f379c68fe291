"""The Celery application of the clock: it sends tasks by name, so it needs neither them nor Django.

So it starts in a third of the time, and takes 100 MB less while the product runs.
"""

from importlib import import_module

from celery import Celery

from config.deployment.clean_exit import exit_without_traceback

with exit_without_traceback():
    import_module("config.settings")

app = Celery("assayer", fixups=set())
app.config_from_object("config.settings", namespace="CELERY")
