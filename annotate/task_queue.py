"""The only place where tasks are handed to Celery."""

import logging
from functools import partial

from celery import Task
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)

# Limits of tasks whose work grows with somebody's file. People see how far such a task is and may
# cancel it. The setting CELERY_TASK_ROUTES gives them a queue of their own, so that numbers do not
# wait behind them.
LONG = {
    "time_limit": settings.LONG_TASK_SECONDS,
    "soft_time_limit": settings.LONG_TASK_SECONDS - 30,
}


def enqueue_on_commit(
    task: Task, *, countdown: float = 0, expires: float | None = None, **arguments: object
) -> None:
    """Queue a task once the present transaction is committed.

    Never before, never if it is rolled back.

    countdown : seconds that the worker waits before it starts
    expires : seconds after which it is no longer needed, as it is queued again by then
    A broker that is away loses nothing: a task's work is also a row that a scheduled sweep
    finds, or a kept value, which is requested again by whoever looks next. A look of guards alone
    is neither; the next refresh of the numbers makes up for it.
    """
    transaction.on_commit(partial(send, task, arguments, countdown=countdown, expires=expires))


def send(
    task: Task, arguments: dict[str, object], *, countdown: float = 0, expires: float | None = None
) -> None:
    """Queue a task now; with the broker away, note it and go on."""
    try:
        task.apply_async(kwargs=arguments, countdown=countdown or None, expires=expires)
    except OperationalError as error:
        log.warning("Task %s was not queued, a sweep or the next look will: %s", task.name, error)
