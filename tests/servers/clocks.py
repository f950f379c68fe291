"""Clocks that advance when a test says so."""

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


class NonExpiringClient(DefaultClient):
    """The cache of tests: values with a timeout stay until deleted, on slow machines too."""

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, *args: Any, **kwargs: Any
    ) -> bool:
        """Store a value; returns whether it was stored.

        A value without a timeout is refused: the process that computes it may have died.
        """
        assert timeout is not None, f"{key} would stay in the cache for ever"
        has_timeout = isinstance(timeout, int | float) and timeout > 0
        return super().set(key, value, None if has_timeout else timeout, *args, **kwargs)
