"""The servers of a test run."""

import pytest
from django.core.cache import cache
from django.db import connection

pytestmark = pytest.mark.django_db


def test_the_database_is_postgresql_18() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        assert cursor.fetchone()[0].startswith("18.")


def test_the_cache_is_a_running_redis() -> None:
    cache.set("key", "value")
    assert cache.get("key") == "value"
