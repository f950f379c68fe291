"""The end of a server process that refuses to start."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

REFUSED_EXIT_CODE = 3  # gunicorn's code of a worker that cannot boot, at which it ends, too


@contextmanager
def exit_without_traceback() -> Iterator[None]:
    """End the process with a sentence, not a traceback, where settings or services are refused."""
    try:
        yield
    except ImproperlyConfigured as error:
        print(error, file=sys.stderr, flush=True)
        raise SystemExit(REFUSED_EXIT_CODE) from None
