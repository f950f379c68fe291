"""The Celery application; its options are the CELERY_ names of the settings.

Two queues, with workers of their own: `short` for numbers, pages and mails, `long` for what grows with somebody's file.
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

from config.deployment.plainly import plainly

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

with plainly():
    _ = settings.SECRET_KEY  # loaded here, where a refusal ends with its sentence

app = Celery("assayer")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
log = logging.getLogger(__name__)

BEAT_SECONDS = 15
HAND_OVER_SECONDS = 0.5  # that a request waits for a Redis that has stopped; sweeps find what was not handed over


def hand_over_soon() -> None:
    """Let nobody who judges wait for Redis; workers must wait longer, who ask it for a second whether there is work."""
    app.conf.broker_transport_options = {
        **app.conf.broker_transport_options, "socket_timeout": HAND_OVER_SECONDS
    }  # fmt: skip


def queues_of(of: Celery) -> list[str]:
    """The queues that a worker takes from."""
    return sorted(of.amqp.queues.consume_from)


@worker_init.connect
def refuse(**_: object) -> None:
    """Begin with no task where something must be mended first."""
    with plainly():
        import_module("config.deployment.services").refuse_before_forking()  # not before Django is set up


@worker_init.connect
def give_way(*, sender: Worker, **_: object) -> None:
    """Let people who wait for a page or an answer have the processor first, then numbers, then long work."""
    is_long = queues_of(sender.app) == ["long"]
    os.nice(10 if is_long else 5)
    if is_long:
        keep_to_one_processor()


def keep_to_one_processor() -> None:
    """Let no statement of this process take several processors: those of PostgreSQL know nothing of niceness."""
    outages = import_module("config.outages")  # not before Django is set up
    outages.begin_sessions_with("-c max_parallel_workers_per_gather=0 -c max_parallel_maintenance_workers=0")


@worker_ready.connect
def begin_beating(*, sender: Consumer, **_: object) -> None:
    """Show from now on that this worker lives: from its main process, as its slots may all be at long work."""
    arguments = (sender.hostname, queues_of(sender.app))
    threading.Thread(target=_beat, args=arguments, name="heartbeat", daemon=True).start()


def _beat(name: str, queues: list[str]) -> None:
    housekeeping = import_module("annotate.services.housekeeping")  # not before Django is set up
    while True:
        try:
            housekeeping.beat_heart(name=name, queues=queues)
        except Error as error:
            log.warning("The worker cannot show that it lives: %s", error)
        finally:
            connection.close()  # none is open while a child is forked
        time.sleep(BEAT_SECONDS)
