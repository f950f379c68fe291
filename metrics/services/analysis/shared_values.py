"""Values that several analyses need: computed by one of them, in the cache for the others."""

import hashlib
from collections.abc import Callable, Iterable
from time import sleep
from typing import TypeVar

import numpy as np
from django.core.cache import cache
from numpy.typing import NDArray

from annotate.services.background.workers import try_lock_subject

KEPT_SECONDS = 7 * 24 * 3600
SECONDS_BETWEEN = 0.5  # looks of who waits for another worker
Value = TypeVar("Value")


def shared_value(key: str, compute: Callable[[], Value]) -> Value:
    """A value from the cache, or computed and put there for a week.

    Of workers that want it at once one computes it, and the others wait for that one. Without Redis
    each computes it by itself, one after the other.
    key : a hash of all inputs is part of it; compute : reads nothing from the database
    """
    number = int(hashlib.sha256(key.encode()).hexdigest()[:7], 16)
    while True:
        value: Value | None = cache.get(key)
        if value is not None:
            return value
        with try_lock_subject("shared", number) as is_ours:
            if is_ours:
                value = cache.get(key)
                if value is None:
                    value = compute()
                    cache.set(key, value, timeout=KEPT_SECONDS)
                return value
        sleep(SECONDS_BETWEEN)


def cached_arrays(
    key: str, compute: Callable[[], Iterable[NDArray[np.generic]]]
) -> list[NDArray[np.float64]]:
    """Arrays of numbers from the cache, or computed and put there; see shared_value."""
    values = shared_value(key, lambda: [array.astype(np.float64).tobytes() for array in compute()])
    return [np.frombuffer(value, dtype=np.float64) for value in values]
