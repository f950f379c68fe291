"""Answers for load balancers: is this process alive, and do the services it needs work?"""

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

MIN_FREE_BYTES = 64_000_000  # bytes: with fewer, uploads and the database may stop at any moment
broker = redis.Redis.from_url(
    settings.REDIS_URL, socket_timeout=0.2, socket_connect_timeout=0.2, retry=Retry(NoBackoff(), 0)
)
_migrated: set[bool] = set()  # holds True once all migrations are applied, which stays so


def healthz(request: HttpRequest) -> JsonResponse:
    """Answer that the process is alive, with its version."""
    return JsonResponse({"status": "ok", "version": settings.VERSION})


def readyz(request: HttpRequest) -> JsonResponse:
    """Report the state of each service; 503 where one fails that every page needs.

    Without the optional ones people go on judging: numbers are late, all else that is sent or
    computed waits.
    """
    required_checks: dict[str, Callable[[], bool]] = {
        "database": database_answers,
        "migrations": database_is_migrated,
        "disk": disk_has_room,
    }
    optional: dict[str, Callable[[], bool]] = {
        "redis": redis_answers,
        "short worker": lambda: not worker_is_missing(queue="short"),
        "long worker": lambda: not worker_is_missing(queue="long"),
        "webhook worker": lambda: not worker_is_missing(queue="webhook"),
    }
    parts: dict[str, bool] = {}
    for name, check in (required_checks | optional).items():
        try:
            parts[name] = check()
        except Error:  # the database's, of a connection that died too
            connection.close()  # the next check, or request, has a new one
            parts[name] = False
    is_ready = all(parts[name] for name in required_checks)
    report = {
        "status": "ok" if is_ready else "failing",
        "parts": {name: "ok" if is_well else "failing" for name, is_well in parts.items()},
    }
    return JsonResponse(report, status=200 if is_ready else 503)


def database_answers() -> bool:
    """True if the database answers and writes: a few bytes go to its write-ahead log."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_logical_emit_message(true, 'readyz', '')")
    return True


def database_is_migrated() -> bool:
    """True if the database's tables are those of this version."""
    if not _migrated:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return False
        _migrated.add(True)
    return True


def disk_has_room() -> bool:
    """True if an upload can be written, with room for more."""
    folder = Path(settings.MEDIA_ROOT)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(4096))
            os.fsync(file.fileno())
        return shutil.disk_usage(folder).free >= MIN_FREE_BYTES
    except OSError:
        return False


def redis_answers() -> bool:
    """True if Redis takes a write; a full one answers reads alone."""
    with suppress(RedisError):
        return bool(broker.set("readyz", "ok", ex=60))
    return False
