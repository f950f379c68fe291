"""Pages people need when Redis is gone."""

import time

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from django.test import Client

from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["unix:///tmp/no-such-redis.sock?db=0", "redis://127.0.0.1:1/0"])
def no_redis(request: pytest.FixtureRequest, settings: LazySettings) -> None:
    """A cache with nobody behind it, and nothing remembered from another test."""
    LocMemCache("redis-is-away", {}).clear()
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": request.param}}


@pytest.mark.usefixtures("no_redis")
def test_sign_in_works_and_is_quick(client: Client) -> None:
    factories.user("maria")
    form = {"login": "maria", "password": factories.PASSWORD}
    client.get("/accounts/login/")
    begun = time.monotonic()
    answer = client.post("/accounts/login/", form)
    assert answer.status_code == 302
    assert "_auth_user_id" in client.session
    assert time.monotonic() - begun < 1.0  # most of it is the password's hash


@pytest.mark.usefixtures("no_redis")
def test_guessing_passwords_is_limited_all_the_same(client: Client) -> None:
    factories.user("maria")
    form = {"login": "maria", "password": "a wrong guess"}
    statuses = {client.post("/accounts/login/", form).status_code for _ in range(6)}
    right = client.post("/accounts/login/", {"login": "maria", "password": factories.PASSWORD})
    assert 429 in statuses or right.status_code != 302


@pytest.mark.usefixtures("no_redis")
def test_the_cache_answers_at_once() -> None:
    begun = time.monotonic()
    cache.set("key", "value", 5)
    assert cache.get("key") == "value"
    assert not cache.add("key", "other")
    cache.delete("key")
    assert cache.get("key") is None
    assert time.monotonic() - begun < 0.3
