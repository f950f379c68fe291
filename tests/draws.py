"""What the product draws at random, and the numbers of what tests make: the same in every run.

Who is handed which pair hangs on where a person enters the queue, on the collection's key and on the rows' numbers.
Without this they would hang on the machine, and on what the same process tested before.
"""

import itertools
import random
from types import SimpleNamespace

from django.db import connection

from annotate.services import collections, queues

SEED = 20260101
APART = 1_000_000  # between the first keys of two places, a thousandth of it between the numbers in names
PLACES = 2_000  # of copies, whose keys come first; the product's locks take keys of 32 bits
OF_A_MODULE, OF_A_TEST = PLACES + 1, PLACES + 2  # what is made later has larger keys
RESTART = "SELECT setval(seqrelid::regclass, %s) FROM pg_sequence WHERE seqtypid = 'bigint'::regtype"

rng = random.Random(SEED)
queues.secrets = SimpleNamespace(randbelow=rng.randrange)
collections.secrets = SimpleNamespace(token_bytes=rng.randbytes)
_names = itertools.count(1)
_place = OF_A_TEST


def next_number() -> int:
    """The next number for a name."""
    return next(_names)


def begin_at(place: int) -> int:
    """Draw from the beginning, and number rows and names from a place on; returns the place of before.

    Rows of two places have no key in common, so that they may stand beside each other.
    """
    global _names, _place  # noqa: PLW0603 - a process runs one test at a time
    rng.seed(SEED)
    _names = itertools.count((OF_A_TEST - place) * APART // 1_000 + 1)
    before, _place = _place, place
    with connection.cursor() as cursor:  # tables that migrations fill have small numbers
        cursor.execute(RESTART, [place * APART + 1])
    return before
