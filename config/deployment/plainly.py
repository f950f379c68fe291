"""How a server process that refuses to start ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

REFUSED = 3  # by this number gunicorn knows a worker that will never start, and ends too


@contextmanager
def plainly() -> Iterator[None]:
    """End the process with the sentence alone, in place of a traceback, where settings or services are refused."""
    try:
        yield
    except ImproperlyConfigured as error:
        print(error, file=sys.stderr, flush=True)
        raise SystemExit(REFUSED) from None
