"""Checks of the database, Redis and the disk, by every server process as it starts.

A service that is away is an outage, which pages and workers survive: it is logged, and the start
goes on.
"""

import errno
import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import redis
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, ProgrammingError, connection, transaction
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from annotate.services.people import site_accounts
from config.up import first_start

SECONDS = 10  # a service that is silent for so long is away
# faults that the operator mends; other errors, as of a silent network file system, may be temporary
PERMANENT_ERRORS = {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
}
log = logging.getLogger(__name__)


class ServiceUnavailable(Exception):
    """A service does not answer the check, so that its state is unknown."""


def synchronous_commit_fault() -> str:
    """Return a fault if PostgreSQL answers before labels are on its disk, else an empty text."""
    with bounded_transaction():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'"
            )
            setting, source = cursor.fetchone()
        if setting != "off":
            return ""
    return (
        "PostgreSQL answers before labels are on its disk, and a crash would lose them "
        f'(synchronous_commit is off, as its {source} says): set it to "on", by ALTER SYSTEM, '
        "ALTER DATABASE or ALTER ROLE, or in DATABASE_URL."
    )


def demo_accounts_are_open() -> str:
    """Check for open demo accounts: their passwords lie in a file, and were shown on a screen."""
    if settings.IS_LOCAL:
        return ""
    try:
        with bounded_transaction():
            users = site_accounts.open_demo_accounts(
                passwords=first_start.existing_passwords(settings.HOME)
            )
            names = [user.username for user in users]
    except ProgrammingError:  # no tables yet, so no accounts
        return ""
    if not names:
        return ""
    return (
        f"The demo accounts {', '.join(names)} have the passwords of the demo, and others reach "
        "the site at SITE_URL: "
        f"give each another one by `python3 manage.py changepassword {names[0]}`."
    )


def redis_evicts() -> str:
    """Check Redis's eviction: `allkeys-...` drops queued work silently, `volatile-...` does not."""
    retry = Retry(NoBackoff(), 0)
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=SECONDS, socket_connect_timeout=SECONDS, retry=retry
        ) as client:
            memory = client.info("memory")
    except RedisError as error:
        raise ServiceUnavailable("Redis") from error
    policy, max_bytes = (
        memory.get("maxmemory_policy", "noeviction"),
        int(memory.get("maxmemory", 0)),
    )
    if not policy.startswith("allkeys-") or not max_bytes:
        return ""
    return (
        f"The Redis of REDIS_URL throws queued work away once it holds {max_bytes // 1_000_000} MB "
        f"(maxmemory-policy is {policy}): set maxmemory-policy noeviction there, or volatile-lru, "
        "which spares what is queued; another Redis for the cache alone, CACHE_URL, "
        "may evict anything."
    )


def media_cannot_be_written() -> str:
    """Check MEDIA_ROOT, where uploads are written; a full or silent disk counts as away.

    The folder is not made here: made by root, it would be closed to the account that uploads.
    """
    folder = Path(settings.MEDIA_ROOT)
    try:
        with tempfile.TemporaryFile(dir=nearest_existing(folder)):
            return ""
    except OSError as error:
        if error.errno not in PERMANENT_ERRORS:
            raise ServiceUnavailable("the disk of MEDIA_ROOT") from error
        return (
            f"Uploads cannot be written to MEDIA_ROOT, {folder} ({error.strerror}): give the "
            "account of web and workers that folder, or set MEDIA_ROOT to one it may write to."
        )


def nearest_existing(path: Path) -> Path:
    """The path itself, or its nearest parent that exists, in which it would be made."""
    try:
        path.lstat()
    except FileNotFoundError:
        return nearest_existing(path.parent)
    return path


Check = Callable[[], str]
DISK_CHECKS: tuple[Check, ...] = (media_cannot_be_written,)
SERVER_CHECKS: tuple[Check, ...] = (synchronous_commit_fault, demo_accounts_are_open, redis_evicts)


@contextmanager
def bounded_transaction() -> Iterator[None]:
    """A transaction with a time limit.

    Raises ServiceUnavailable, and ProgrammingError without a table.
    """
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = '{SECONDS}s'")
            yield
    except ProgrammingError:
        raise
    except Error as error:
        raise ServiceUnavailable("the database") from error


def check_services() -> None:
    """Raise ImproperlyConfigured if a service must be mended; else make the folder of uploads."""
    sentences = []
    for check in (*DISK_CHECKS, *SERVER_CHECKS):
        try:
            sentences.append(check())
        except ServiceUnavailable as service:
            why = str(service.__cause__ or "").strip().partition("\n")[0]
            log.warning(
                "It starts although %s is away or does not tell how it is set. %s", service, why
            )
    if any(sentences):
        raise ImproperlyConfigured(" ".join(filter(None, sentences)))
    with suppress(OSError):  # a disk that is away was logged above
        Path(settings.MEDIA_ROOT).mkdir(parents=True, exist_ok=True)


def check_services_before_forking() -> None:
    """Check the services in a process that then forks, which must hold no connection."""
    try:
        check_services()
    finally:
        connection.close()
