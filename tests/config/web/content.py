"""The long answer of the application behind the worker of the tests."""

from functools import cache

LONG = 6 * 1024 * 1024  # bytes: more than the kernel keeps for a client that takes little at a time


@cache
def long_content() -> bytes:
    """Bytes of a given length without repeated stretches."""
    return b"".join(b"%015d\n" % number for number in range(LONG // 16))
