"""The Celery application; its options are the CELERY_ names of the settings.

Three queues, each with its worker: `short` for numbers, pages and mails, `long` for work that grows
with a file, `webhook` for messages to receivers, who may be slow.
"""

import logging
import os
import threading
import time
from importlib import import_module

from celery import Celery
from celery.apps.worker import Worker
from celery.signals import worker_init, worker_ready
from celery.worker.consumer import Consumer
from django.conf import settings
from django.db import Error, connection

from config.deployment.clean_exit import exit_without_traceback

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

with exit_without_traceback():
    _ = settings.SECRET_KEY  # loaded here, where a refusal ends with its sentence

app = Celery("assayer")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
log = logging.getLogger(__name__)

BEAT_SECONDS = 15
PUBLISH_SECONDS = 0.5  # a request's wait for a Redis that has stopped; sweeps find unsent tasks


def limit_publish_wait() -> None:
    """Limit the wait of requests for Redis.

    Workers wait longer, as they poll for a second at a time.
    """
    app.conf.broker_transport_options = {
        **app.conf.broker_transport_options,
        "socket_timeout": PUBLISH_SECONDS,
    }


def queues_of(celery_app: Celery) -> list[str]:
    """The queues that a worker consumes."""
    return sorted(celery_app.amqp.queues.consume_from)


@worker_init.connect
def check_services(**_: object) -> None:
    """End the worker before its first task where a service must be mended."""
    with exit_without_traceback():
        # not before Django is set up
        import_module("config.checks.service_checks").check_services_before_forking()


@worker_init.connect
def lower_priority(*, sender: Worker, **_: object) -> None:
    """Lower the worker's priority: requests come first, then short work, then long work."""
    is_long = queues_of(sender.app) == ["long"]
    os.nice(10 if is_long else 5)
    if is_long:
        # not before Django is set up
        import_module("annotate.services.storage.sessions").keep_to_one_processor()


@worker_ready.connect
def start_heartbeat(*, sender: Consumer, **_: object) -> None:
    """Start the worker's heartbeat, in its main process: all slots may be busy with long work."""
    arguments = (sender.hostname, queues_of(sender.app))
    threading.Thread(target=_beat, args=arguments, name="heartbeat", daemon=True).start()


def _beat(name: str, queues: list[str]) -> None:
    # not before Django is set up
    housekeeping = import_module("annotate.services.background.housekeeping")
    while True:
        try:
            housekeeping.beat_heart(name=name, queues=queues)
        except Error as error:
            log.warning("The worker cannot show that it lives: %s", error)
        finally:
            connection.close()  # none is open while a child is forked
        time.sleep(BEAT_SECONDS)
