"""Answers for load balancers: is this process alive, and is everything it needs there?"""

from datetime import timedelta

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models.functions import Now
from django.http import HttpRequest, JsonResponse
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from annotate.models import WorkerHeartbeat

HEARTBEAT_AGE = timedelta(seconds=60)
broker = redis.Redis.from_url(
    settings.REDIS_URL, socket_timeout=0.2, socket_connect_timeout=0.2, retry=Retry(NoBackoff(), 0)
)


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Each part the product stands on; 503 when one is missing."""
    database = database_answers()
    parts = {
        "database": database,
        "redis": redis_answers(),
        "worker": database and worker_was_seen(),
    }
    ready = all(parts.values())
    answer = {
        "status": "ok" if ready else "failing",
        "parts": {name: "ok" if well else "failing" for name, well in parts.items()},
    }
    return JsonResponse(answer, status=200 if ready else 503)


def database_answers() -> bool:
    """The database takes a query."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def redis_answers() -> bool:
    """Redis answers a ping."""
    try:
        return bool(broker.ping())
    except RedisError:
        return False


def worker_was_seen() -> bool:
    """A worker has done a scheduled task within the last minute, by the database's clock."""
    return WorkerHeartbeat.objects.filter(at__gt=Now() - HEARTBEAT_AGE).exists()
