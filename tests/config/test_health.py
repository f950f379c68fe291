"""The answers for load balancers."""

from collections import namedtuple
from datetime import timedelta

import psycopg
import pytest
import redis
from django.conf import LazySettings
from django.core.management import call_command
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from annotate.models import WorkerHeartbeat
from config import health
from tests.servers.databases import connection_parameters

pytestmark = pytest.mark.django_db
WELL = dict.fromkeys(
    (
        "database",
        "migrations",
        "disk",
        "redis",
        "short worker",
        "long worker",
        "webhook worker",
    ),
    "ok",
)
QUEUES = ("short", "long", "webhook")


@pytest.fixture(autouse=True)
def workers() -> None:
    """Let all workers' heartbeats be fresh, however slow the test is."""
    for queue in QUEUES:
        WorkerHeartbeat.objects.create(
            name=f"{queue}@here", queues=[queue], at=Now() + timedelta(days=1)
        )


@pytest.fixture(autouse=True)
def writable(settings: LazySettings, media_root: object) -> None:
    """A media folder of the test's own."""


def test_a_process_that_answers_is_alive(client: Client, settings: LazySettings) -> None:
    assert client.get("/healthz").json() == {"status": "ok", "version": settings.VERSION}


def test_everything_there_is_ready(client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "parts": WELL})


@pytest.mark.parametrize("queue", QUEUES)
@pytest.mark.parametrize("age", [None, 61])
def test_a_worker_not_seen_for_a_minute_is_named_and_pages_are_answered_all_the_same(
    client: Client, age: int | None, queue: str
) -> None:
    hers = WorkerHeartbeat.objects.filter(queues=[queue])
    hers.update(at=Now() - timedelta(seconds=age)) if age else hers.delete()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["parts"]) == (
        200,
        {**WELL, f"{queue} worker": "failing"},
    )


def test_a_worker_of_all_queues_stands_for_all(client: Client) -> None:
    WorkerHeartbeat.objects.all().delete()
    WorkerHeartbeat.objects.create(
        name="one@here", queues=list(QUEUES), at=Now() + timedelta(days=1)
    )
    assert client.get("/readyz").json()["parts"] == WELL


def test_a_redis_that_is_away_is_named_at_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent_redis = redis.Redis(
        unix_socket_path="/proc/no-such-redis.sock", retry=health.broker.get_retry()
    )
    monkeypatch.setattr(health, "broker", absent_redis)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["parts"]) == (200, {**WELL, "redis": "failing"})


def test_a_redis_that_refuses_writes_is_named(client: Client, broker: redis.Redis) -> None:
    before = broker.config_get("min-replicas-to-write")
    # as full: it answers to a ping, and takes nothing
    broker.config_set("min-replicas-to-write", 1)
    try:
        assert client.get("/readyz").json()["parts"] == {**WELL, "redis": "failing"}
    finally:
        broker.config_set(*next(iter(before.items())))


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_died_is_503_once_and_no_500(client: Client) -> None:
    client.handler.raise_request_exception = False
    with connection.cursor() as cursor, psycopg.connect(**connection_parameters()) as operator:
        cursor.execute("SELECT pg_backend_pid()")
        operator.execute("SELECT pg_terminate_backend(%s)", cursor.fetchone())
    parts = health.readyz(client.get("/healthz").wsgi_request)
    assert parts.status_code == 503
    assert client.get("/readyz").status_code == 200


def test_tables_of_before_are_named(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", set())
    call_command("migrate", "metrics", "0001_initial", fake=True, verbosity=0)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["parts"]) == (503, {**WELL, "migrations": "failing"})
    call_command("migrate", "metrics", fake=True, verbosity=0)
    assert client.get("/readyz").status_code == 200


def test_a_disk_without_room_is_named(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")(10**9, 10**9 - 10**6, 10**6)
    monkeypatch.setattr(health.shutil, "disk_usage", lambda folder: usage)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["parts"]) == (503, {**WELL, "disk": "failing"})


def test_media_that_cannot_be_written_are_named(client: Client, settings: LazySettings) -> None:
    settings.MEDIA_ROOT = "/proc/no-such-place"
    assert client.get("/readyz").json()["parts"] == {**WELL, "disk": "failing"}
