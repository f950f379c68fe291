"""Clocks that pass when a test says so."""

from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django_redis.client import DefaultClient

MOMENT = 1_700_000_000  # seconds since 1970, where a clock of the day stands still


class Clock:
    """Seconds, read by calling it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def wait(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self.seconds += seconds


class LastingClient(DefaultClient):
    """The cache of tests: what is put by for some seconds stays until it is deleted, however slow the machine is."""

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, *args: Any, **kwargs: Any) -> bool:
        """Store a value; says whether it was stored. Nothing is put by for ever: who computes it may have died."""
        assert timeout is not None, f"{key} would stay in the cache for ever"
        is_moment = isinstance(timeout, int | float) and timeout > 0
        return super().set(key, value, None if is_moment else timeout, *args, **kwargs)
