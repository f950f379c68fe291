"""Progress of a file while its transaction reads one moment of the database.

Inside such a transaction a cancellation is invisible, and in the middle of a COPY no query can run
at all. So a thread with a connection of its own reports the progress and looks for cancellations.
"""

from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from django.db import connection

from annotate.services.background.progress import ProgressCallback

ROWS_BETWEEN_REPORTS = 5_000


class ProgressReporter:
    """Counts rows and reports their number; use it as a context manager.

    n_rows, total : rows so far and in all; total is None where unknown
    """

    def __init__(self, callback: ProgressCallback) -> None:
        self.n_rows = 0
        self.total: int | None = None
        self._callback = callback
        self._n_reported = 0
        self._thread = ThreadPoolExecutor(max_workers=1)

    def __enter__(self) -> "ProgressReporter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.submit(_close_connection)
        self._thread.shutdown()

    def count(self, n: int) -> None:
        """Count n more rows. Raises Cancelled when the work was cancelled."""
        self.n_rows += n
        if self.n_rows - self._n_reported >= ROWS_BETWEEN_REPORTS:
            self.report()

    def report(self) -> None:
        """Report at once. Raises Cancelled when the work was cancelled."""
        self._n_reported = self.n_rows
        self._thread.submit(self._callback, self.n_rows, self.total).result()


def _close_connection() -> None:
    """Close the connection of the thread that calls this."""
    connection.close()
