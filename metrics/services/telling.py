"""Telling how far a file is while its transaction sees one moment only.

Within such a moment nobody's wish to cancel can be seen, and in the middle of a COPY nothing can be asked at all. So a
thread with a connection of its own tells and asks.
"""

from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from django.db import connection

from annotate.services.background.progress import Tell

ROWS_BETWEEN = 5_000


class Teller:
    """Counts rows and tells how many; use it as a context.

    done, total : rows so far and in all, None where nobody knows
    """

    def __init__(self, tell: Tell) -> None:
        self.done = 0
        self.total: int | None = None
        self._tell = tell
        self._told = 0
        self._thread = ThreadPoolExecutor(max_workers=1)

    def __enter__(self) -> "Teller":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.submit(_leave)
        self._thread.shutdown()

    def count(self, n: int) -> None:
        """So many more rows. Raises Cancelled when somebody asked the work to stop."""
        self.done += n
        if self.done - self._told >= ROWS_BETWEEN:
            self.tell()

    def tell(self) -> None:
        """Tell at once. Raises Cancelled."""
        self._told = self.done
        self._thread.submit(self._tell, self.done, self.total).result()


def _leave() -> None:
    """Close the connection of the thread that calls this."""
    connection.close()
