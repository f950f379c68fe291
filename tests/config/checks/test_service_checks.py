"""Faults of disk, Redis and accounts at the start, as opposed to outages and sound states.

To see these tests fail: let `media_cannot_be_written` make the folder, or name every error a fault;
refuse each policy of Redis but `noeviction`.
"""

import errno
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from django.conf import LazySettings
from kombu import Connection

from config.celery import app
from config.checks import service_checks
from config.settings import broker_url
from tests.servers.stack import separate_redis


@pytest.mark.parametrize(
    "number", [errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.ENOSPC, errno.EDQUOT, errno.EMFILE]
)
def test_a_disk_that_does_not_serve_now_is_away(
    media_root: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(**_: object) -> None:
        raise OSError(number, "not now")

    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    with pytest.raises(service_checks.ServiceUnavailable, match="the disk of MEDIA_ROOT"):
        service_checks.media_cannot_be_written()


def test_a_file_system_whose_program_has_ended_is_away(
    dead_disk: Path, settings: LazySettings
) -> None:
    for settings.MEDIA_ROOT in (dead_disk, dead_disk / "media"):
        with pytest.raises(service_checks.ServiceUnavailable, match="the disk of MEDIA_ROOT"):
            service_checks.media_cannot_be_written()


def test_a_full_disk_is_away(small_disk: Callable[[str], Path], settings: LazySettings) -> None:
    settings.MEDIA_ROOT = disk = small_disk("64k,nr_inodes=2")
    (disk / "file").touch()
    with pytest.raises(service_checks.ServiceUnavailable, match="the disk of MEDIA_ROOT"):
        service_checks.media_cannot_be_written()


@pytest.mark.parametrize(
    "name", ["file", "file/media", "nowhere", "nowhere/media", "round", "x" * 300]
)
def test_a_place_where_no_folder_can_be_is_refused(
    tmp_path: Path, settings: LazySettings, name: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to("no such place")
    (tmp_path / "round").symlink_to("round")
    settings.MEDIA_ROOT = tmp_path / name
    assert (
        f"Uploads cannot be written to MEDIA_ROOT, {tmp_path / name} ("
        in service_checks.media_cannot_be_written()
    )


def test_looking_makes_no_folder(tmp_path: Path, settings: LazySettings) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads" / "media"
    assert service_checks.media_cannot_be_written() == ""
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def own_redis(open_folder: Path, settings: LazySettings) -> Iterator[redis.Redis]:
    """A Redis of the product's own, with little memory."""
    with (
        separate_redis(open_folder) as settings.REDIS_URL,
        redis.Redis.from_url(settings.REDIS_URL) as client,
    ):
        client.config_set("maxmemory", 64_000_000)
        yield client


@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-lfu", "allkeys-random"])
def test_a_redis_that_evicts_any_key_is_refused(own_redis: redis.Redis, policy: str) -> None:
    own_redis.config_set("maxmemory-policy", policy)
    assert f"holds 64 MB (maxmemory-policy is {policy})" in service_checks.redis_evicts()
    own_redis.config_set("maxmemory", 0)
    assert service_checks.redis_evicts() == ""


@pytest.mark.parametrize(
    "policy", ["noeviction", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"]
)
def test_a_redis_that_evicts_what_expires_or_nothing_is_taken(
    own_redis: redis.Redis, policy: str
) -> None:
    own_redis.config_set("maxmemory-policy", policy)
    assert service_checks.redis_evicts() == ""


def test_no_key_of_queued_work_expires(own_redis: redis.Redis, settings: LazySettings) -> None:
    with Connection(broker_url(settings.REDIS_URL)) as broker:
        for _ in range(2):
            app.send_task("annotate.tasks.tidy", connection=broker, expires=10.0)
        with broker.SimpleQueue("short") as queue:
            queue.get(timeout=60)  # one is with a worker, and the other waits
            times = {key.decode(): own_redis.ttl(key) for key in own_redis.scan_iter()}
    assert {"short", "unacked", "unacked_index"} <= times.keys()
    assert set(times.values()) == {-1}
