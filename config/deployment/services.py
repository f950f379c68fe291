"""What only the database, Redis and the disk can tell; asked by every server process as it starts.

A service that is away is an outage, which pages and workers outlive: it is told, and the start goes on.
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

from annotate.services import site_accounts
from config.up import firststart

SECONDS = 10  # a service that says nothing for so long is away
# what the operator mends; any other error, such as of a network's file system that does not answer, may pass
REFUSED_PLACES = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG,
}  # fmt: skip
log = logging.getLogger(__name__)


class Away(Exception):
    """A service does not answer, or not to this question; nothing is known of it."""


def commits_are_late() -> str:
    """Labels that were acknowledged would be gone after a crash of the database."""
    with asking_database():
        with connection.cursor() as cursor:
            cursor.execute("SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'")
            setting, source = cursor.fetchone()
        if setting != "off":
            return ""
    return (
        "PostgreSQL answers before labels are on its disk, and a crash would lose them (synchronous_commit is off, as "
        f'its {source} says): set it to "on", by ALTER SYSTEM, ALTER DATABASE or ALTER ROLE, or in DATABASE_URL.'
    )


def demo_accounts_are_open() -> str:
    """Their passwords lie in a file, and were shown on a screen."""
    if settings.IS_LOCAL:
        return ""
    try:
        with asking_database():
            users = site_accounts.open_demo_accounts(passwords=firststart.known_passwords(settings.HOME))
            names = [user.username for user in users]
    except ProgrammingError:  # no tables yet, so no accounts
        return ""
    if not names:
        return ""
    return (
        f"The demo accounts {', '.join(names)} have the passwords of the demo, and others reach the site at SITE_URL: "
        f"give each another one by `python3 manage.py changepassword {names[0]}`."
    )


def redis_evicts() -> str:
    """Work that is queued would vanish without a word; a policy for what expires, `volatile-...`, spares it."""
    retry = Retry(NoBackoff(), 0)
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=SECONDS, socket_connect_timeout=SECONDS, retry=retry
        ) as client:
            memory = client.info("memory")
    except RedisError as error:
        raise Away("Redis") from error
    policy, most = memory.get("maxmemory_policy", "noeviction"), int(memory.get("maxmemory", 0))
    if not policy.startswith("allkeys-") or not most:
        return ""
    return (
        f"The Redis of REDIS_URL throws queued work away once it holds {most // 1_000_000} MB (maxmemory-policy is "
        f"{policy}): set maxmemory-policy noeviction there, or volatile-lru, which spares what is queued; another "
        "Redis for the cache alone, CACHE_URL, may evict anything."
    )


def media_cannot_be_written() -> str:
    """Nothing could be uploaded; a disk that is full, or does not answer, is waited for.

    The folder is not made: of root, who may ask, it would be root's, and closed to the account that uploads.
    """
    folder = Path(settings.MEDIA_ROOT)
    try:
        with tempfile.TemporaryFile(dir=nearest(folder)):
            return ""
    except OSError as error:
        if error.errno not in REFUSED_PLACES:
            raise Away("the disk of MEDIA_ROOT") from error
        return (
            f"Uploads cannot be written to MEDIA_ROOT, {folder} ({error.strerror}): give the account of web and "
            "workers that folder, or set MEDIA_ROOT to one it may write to."
        )


def nearest(place: Path) -> Path:
    """The place itself, or the nearest above it that is there, in which it would be made."""
    try:
        place.lstat()
    except FileNotFoundError:
        return nearest(place.parent)
    return place


Check = Callable[[], str]
OF_DISK: tuple[Check, ...] = (media_cannot_be_written,)
OF_SERVERS: tuple[Check, ...] = (commits_are_late, demo_accounts_are_open, redis_evicts)


@contextmanager
def asking_database() -> Iterator[None]:
    """A transaction that waits for no lock long. Raises Away, and ProgrammingError where a table is missing."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = '{SECONDS}s'")
            yield
    except ProgrammingError:
        raise
    except Error as error:
        raise Away("the database") from error


def refuse() -> None:
    """Raise ImproperlyConfigured where something must be mended before the start; make the folder of uploads if not."""
    sentences = []
    for check in (*OF_DISK, *OF_SERVERS):
        try:
            sentences.append(check())
        except Away as service:
            why = str(service.__cause__ or "").strip().partition("\n")[0]
            log.warning("It starts although %s is away or does not tell how it is set. %s", service, why)
    if any(sentences):
        raise ImproperlyConfigured(" ".join(filter(None, sentences)))
    with suppress(OSError):  # of a disk that is away, which was told
        Path(settings.MEDIA_ROOT).mkdir(parents=True, exist_ok=True)


def refuse_before_forking() -> None:
    """The same for a process that then forks, which must have no connection."""
    try:
        refuse()
    finally:
        connection.close()
