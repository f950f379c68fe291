"""What the product draws at random, and the numbers of what tests make: the same in every run.

Who is handed which pair hangs on where a person enters the queue, on the collection's key and on the rows' numbers.
Without this they would hang on the machine, and on what the same process tested before.
"""

import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from django.db import connection

from annotate.services import collections, queues

SEED = 20260101
APART = 10_000_000  # between the first keys of two places, a thousandth of it between the numbers in names
OF_COPIES, OF_A_MODULE, OF_A_TEST = range(3)  # places; what is made later has larger keys
RESTART = "SELECT setval(seqrelid::regclass, %s) FROM pg_sequence WHERE seqtypid = 'bigint'::regtype"

rng = random.Random(SEED)
queues.secrets = SimpleNamespace(randbelow=rng.randrange)
collections.secrets = SimpleNamespace(token_bytes=rng.randbytes)
_names = itertools.count(1)
_place = OF_A_TEST
_go_on = False


def next_number() -> int:
    """The next number for a name."""
    return next(_names)


def begin_at(place: int) -> int:
    """Draw from the beginning, and number rows and names from a place on; returns the place of before.

    Rows of two places have no key in common, so that they may stand beside each other.
    """
    global _names, _place  # noqa: PLW0603 - a process runs one test at a time
    before, _place = _place, place
    rng.seed(SEED)
    _names = itertools.count((OF_A_TEST - place) * APART // 1_000 + 1)
    with connection.cursor() as cursor:  # tables that migrations fill have small numbers
        cursor.execute(RESTART, [place * APART + 1])
    return before


def is_making_a_copy() -> bool:
    """Whether what is made now has the numbers of what will be copied."""
    return _place == OF_COPIES


def begin_a_test() -> None:
    """Begin at the place of a test, unless rows of the tests before it stay."""
    if not _go_on:
        begin_at(OF_A_TEST)


@contextmanager
def going_on() -> Iterator[None]:
    """Around a module's tests whose rows stay: each goes on from where the one before it ended."""
    global _go_on  # noqa: PLW0603
    begin_at(OF_A_MODULE)
    _go_on = True
    try:
        yield
    finally:
        _go_on = False
