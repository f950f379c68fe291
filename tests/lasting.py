"""What all tests of a module look at: made once, and undone when the module ends."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from pytest_django import DjangoDbBlocker


@contextmanager
def lasting(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Around the making of rows in a module's fixture; each test is a savepoint in it, and undoes what it did itself.

    A test should load the objects anew: those of the fixture would carry one test's changes to the next. For the
    database the whole module is one moment, as a test always is; what waits for time to pass needs rows of its own.
    """
    with blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)
