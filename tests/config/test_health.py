"""The answers for load balancers."""

from datetime import timedelta

import pytest
import redis
from django.db.models.functions import Now
from django.test import Client

from annotate.models import WorkerHeartbeat
from config import health

pytestmark = pytest.mark.django_db


def test_a_process_that_answers_is_alive(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_everything_there_is_ready(client: Client) -> None:
    WorkerHeartbeat.objects.create(name="worker", at=Now() + timedelta(days=1))  # just now, however slow this is
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["parts"] == {"database": "ok", "redis": "ok", "worker": "ok"}


@pytest.mark.parametrize("age", [None, 61])
def test_a_worker_not_seen_for_a_minute_is_named(client: Client, age: int | None) -> None:
    if age:
        WorkerHeartbeat.objects.create(name="worker", at=Now() - timedelta(seconds=age))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"] == {"database": "ok", "redis": "ok", "worker": "failing"}


def test_a_redis_that_is_away_is_named_at_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = redis.Redis(unix_socket_path="/proc/no-such-redis.sock", retry=health.broker.get_retry())
    monkeypatch.setattr(health, "broker", gone)
    assert client.get("/readyz").json()["parts"]["redis"] == "failing"
