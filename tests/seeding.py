"""Random draws of the product, and keys of the rows that tests make: the same in every run.

The pairs handed to a person depend on where she enters the queue, on the collection's key and on
the rows' keys. Without this they would depend on the machine and on the tests before.
"""

import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from django.db import connection

from annotate.services.collection import collections
from annotate.services.seating import queues

SEED = 20260101
KEY_RANGE = 10_000_000  # keys of one range; a thousandth of it: numbers in names
CACHE_KEYS, MODULE_KEYS, TEST_KEYS = range(3)  # key ranges; rows made later have larger keys
RESTART = (
    "SELECT setval(seqrelid::regclass, %s) FROM pg_sequence WHERE seqtypid = 'bigint'::regtype"
)

rng = random.Random(SEED)
queues.secrets = SimpleNamespace(randbelow=rng.randrange)
collections.secrets = SimpleNamespace(token_bytes=rng.randbytes)
_names = itertools.count(1)
_key_range = TEST_KEYS
_is_continuing = False


def next_number() -> int:
    """The next number for a name."""
    return next(_names)


def restart_numbers(key_range: int) -> int:
    """Reseed, and number rows and names from the start of a key range; returns the previous range.

    Rows of two ranges have no key in common, so that they may stand beside each other.
    """
    global _names, _key_range  # noqa: PLW0603 - a process runs one test at a time
    previous, _key_range = _key_range, key_range
    rng.seed(SEED)
    _names = itertools.count((TEST_KEYS - key_range) * KEY_RANGE // 1_000 + 1)
    with connection.cursor() as cursor:  # tables that migrations fill have small numbers
        cursor.execute(RESTART, [key_range * KEY_RANGE + 1])
    return previous


def is_making_cached_rows() -> bool:
    """Whether new rows get the keys of cached rows."""
    return _key_range == CACHE_KEYS


def restart_for_test() -> None:
    """Begin the key range of a test, unless rows of the tests before it stay."""
    if not _is_continuing:
        restart_numbers(TEST_KEYS)


@contextmanager
def continuing_numbers() -> Iterator[None]:
    """Let the tests of a module, whose rows stay, continue each other's numbers."""
    global _is_continuing  # noqa: PLW0603
    restart_numbers(MODULE_KEYS)
    _is_continuing = True
    try:
        yield
    finally:
        _is_continuing = False
