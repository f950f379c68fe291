"""A worker in a thread: it performs what a site in the same process is asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from annotate.models import Work
from annotate.services.background import works
from tests.servers.databases import closing_connections

PAUSE = 0.02  # seconds between looks


@contextmanager
def worker() -> Iterator[None]:
    """Perform all works meanwhile, each as a worker does."""
    is_over = Event()

    @closing_connections
    def perform_all() -> None:
        while not is_over.wait(PAUSE):
            for work in Work.objects.filter(state=Work.State.ASKED).order_by("pk"):
                works.perform(work=work)

    thread = Thread(target=perform_all)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
