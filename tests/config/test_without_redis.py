"""Pages people need when Redis is gone."""

import socket

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from django.test import Client

from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["unix:///proc/no-such-redis.sock?db=0", "redis://127.0.0.1:1/0"])
def no_redis(request: pytest.FixtureRequest, settings: LazySettings) -> None:
    """A cache without a Redis behind it, and without values of another test."""
    LocMemCache("redis-is-away", {}).clear()
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": request.param}}


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The addresses of connection attempts, which show repeated waits better than a clock."""
    results: list[object] = []

    class Watched(socket.socket):
        def connect(self, where: object) -> None:
            results.append(where)
            super().connect(where)

    monkeypatch.setattr(socket, "socket", Watched)
    return results


@pytest.mark.usefixtures("no_redis")
def test_sign_in_works_and_is_quick(client: Client, tries: list[object]) -> None:
    cast.user("maria")
    form = {"login": "maria", "password": cast.PASSWORD}
    client.get("/accounts/login/")
    tries.clear()
    answer = client.post("/accounts/login/", form)
    assert answer.status_code == 302
    assert "_auth_user_id" in client.session
    assert 0 < len(tries) < 40, len(tries)  # 20; the library would try each four times


@pytest.mark.usefixtures("no_redis")
def test_guessing_passwords_is_limited_all_the_same(client: Client) -> None:
    cast.user("maria")
    form = {"login": "maria", "password": "a wrong guess"}
    statuses = {client.post("/accounts/login/", form).status_code for _ in range(6)}
    right = client.post("/accounts/login/", {"login": "maria", "password": cast.PASSWORD})
    assert 429 in statuses or right.status_code != 302


@pytest.mark.usefixtures("no_redis")
def test_the_cache_answers_at_once(tries: list[object]) -> None:
    cache.set("key", "value")
    assert cache.get("key") == "value"
    assert not cache.add("key", "other")
    cache.delete("key")
    assert cache.get("key") is None
    assert len(tries) == 5  # one for each: nothing is tried again
