"""The door to Celery, with a real Redis behind it, and without one."""

import socket

import pytest
import redis
from celery import Celery
from django.conf import settings as project
from django.db import transaction

from annotate.task_queue import enqueue_on_commit
from annotate.tasks import perform_work, sweep
from config.celery import app


@pytest.mark.django_db(transaction=True)
def test_a_task_is_queued_after_the_commit_and_not_before(broker: redis.Redis) -> None:
    with transaction.atomic():
        enqueue_on_commit(sweep)
        assert broker.llen("short") == 0
    assert broker.llen("short") == 1


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_transaction_queues_nothing(broker: redis.Redis) -> None:
    with transaction.atomic():
        enqueue_on_commit(sweep)
        transaction.set_rollback(True)
    assert broker.llen("short") == 0


@pytest.mark.django_db(transaction=True)
def test_a_task_queued_after_redis_forgot_all_is_not_lost_on_the_way(broker: redis.Redis) -> None:
    enqueue_on_commit(sweep)
    broker.flushdb()  # ours alone: the run's other processes have databases of their own in it
    enqueue_on_commit(sweep)
    assert broker.llen("short") == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "address", ["redis+socket:///proc/no-such-redis.sock?virtual_host=0", "redis://127.0.0.1:1/0"]
)
def test_without_redis_the_door_tries_once_and_does_not_wait(
    address: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[object] = []

    class Watched(socket.socket):
        """Clocks differ, but who tries again and again waits on any."""

        def connect(self, where: object) -> None:
            tries.append(where)
            super().connect(where)

    monkeypatch.setattr(socket, "socket", Watched)
    lonely = Celery("lonely", set_as_current=False)
    lonely.config_from_object("django.conf:settings", namespace="CELERY")
    lonely.conf.broker_url = address
    lonely.conf.broker_read_url = lonely.conf.broker_write_url = address

    @lonely.task
    def nothing() -> None: ...

    enqueue_on_commit(nothing)  # the first one loads the transport
    tries.clear()
    for _ in range(10):
        enqueue_on_commit(nothing)
    assert len(tries) == 10, tries
    assert "was not queued, a sweep or the next look will" in caplog.text


def test_a_task_survives_its_worker() -> None:
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1
    longest = max(app.conf.task_time_limit, perform_work.time_limit)
    assert app.conf.broker_transport_options["visibility_timeout"] == pytest.approx(1.1 * longest)


def test_what_grows_with_a_file_may_take_an_hour() -> None:
    assert (perform_work.time_limit, perform_work.soft_time_limit) == (3600, 3570)


def test_what_may_take_an_hour_is_what_has_a_queue_of_its_own() -> None:
    app.loader.import_default_modules()
    long = {
        name for name, task in app.tasks.items() if task.time_limit == project.LONG_TASK_SECONDS
    }
    routes = app.conf.task_routes.items()
    assert long == {name for name, route in routes if route["queue"] == "long"}


@pytest.mark.django_db(transaction=True)
def test_long_work_has_a_queue_of_its_own(broker: redis.Redis) -> None:
    enqueue_on_commit(perform_work, work_id=1)
    assert (broker.llen("long"), broker.llen("short")) == (1, 0)
