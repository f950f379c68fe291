"""Pauses between the attempts to deliver a message."""

import hashlib

MINUTE, HOUR = 60, 3600
PAUSES = (30, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR, 24 * HOUR)  # seconds after each failure
MAX_ATTEMPTS = len(PAUSES) + 1
LONGEST_REST = 30 * MINUTE  # of a receiver that failed, before anything else is sent to it
JITTER = 0.2  # the largest part by which a pause is longer


def pause_after(*, n_attempts: int, message_id: str) -> float:
    """Seconds until the next attempt, after so many that failed, from 1 to MAX_ATTEMPTS - 1.

    Each message has its own jitter: what failed together does not come again together.
    """
    digest = hashlib.sha256(f"{message_id} {n_attempts}".encode()).digest()
    share = int.from_bytes(digest[:4]) / 2**32
    return PAUSES[n_attempts - 1] * (1 + JITTER * share)


def rest_after(*, n_failures: int) -> float:
    """Seconds for which a receiver rests after so many failures in a row, 1 or more."""
    return min(PAUSES[min(n_failures, len(PAUSES)) - 1], LONGEST_REST)
