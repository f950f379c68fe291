"""Answers for load balancers: is this process alive, is what its pages stand on there, and the rest?"""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import redis
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from annotate.services.background.workers import worker_is_missing

LEAST_FREE = 64_000_000  # bytes: with fewer, what people upload and what the database writes may stop at any moment
broker = redis.Redis.from_url(
    settings.REDIS_URL, socket_timeout=0.2, socket_connect_timeout=0.2, retry=Retry(NoBackoff(), 0)
)
_migrated: set[bool] = set()  # True once all were applied: they stay so while this process runs


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers, and says of which version it is."""
    return JsonResponse({"status": "ok", "version": settings.VERSION})


def readyz(request: HttpRequest) -> JsonResponse:
    """Each part the product stands on; 503 when one is missing without which no page is answered and nothing saved.

    Without the others people go on judging: numbers are late, and mails and long work wait.
    """
    needed: dict[str, Callable[[], bool]] = {
        "database": database_answers, "migrations": database_is_migrated, "disk": disk_has_room,
    }  # fmt: skip
    others: dict[str, Callable[[], bool]] = {
        "redis": redis_answers,
        "short worker": lambda: not worker_is_missing(queue="short"),
        "long worker": lambda: not worker_is_missing(queue="long"),
    }
    parts = {name: _is_well(check) for name, check in (needed | others).items()}
    is_ready = all(parts[name] for name in needed)
    answer = {
        "status": "ok" if is_ready else "failing",
        "parts": {name: "ok" if is_well else "failing" for name, is_well in parts.items()},
    }
    return JsonResponse(answer, status=200 if is_ready else 503)


def _is_well(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except Error:  # the database's, of a connection that died too
        connection.close()  # the next check, or request, has a new one
        return False


def database_answers() -> bool:
    """The database takes a query, and writes: a message of some bytes, which nobody reads, goes to its log."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_logical_emit_message(true, 'readyz', '')")
    return True


def database_is_migrated() -> bool:
    """Its tables are those of this version."""
    if not _migrated:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return False
        _migrated.add(True)
    return True


def disk_has_room() -> bool:
    """What is uploaded can be written, and there is room for more."""
    folder = Path(settings.MEDIA_ROOT)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(4096))
            os.fsync(file.fileno())
        return shutil.disk_usage(folder).free >= LEAST_FREE
    except OSError:
        return False


def redis_answers() -> bool:
    """Redis takes what is written to it; full, it answers to nothing but reads."""
    with suppress(RedisError):
        return bool(broker.set("readyz", "ok", ex=60))
    return False
