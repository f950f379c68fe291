"""The threads that large bodies may take at the same moment, counted over all web workers of this machine."""

import fcntl
import tempfile
import threading
from functools import cache

N_PLACES = 4  # of the 16 threads of two workers


class Places:
    """So many places, each a lock on one byte of a file: the kernel frees those of a worker that is killed."""

    def __init__(self, n_places: int) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self._n_places = n_places
        self._taken: set[int] = set()  # by this process, whose own locks never refuse it
        self._turn = threading.Lock()

    def take(self) -> int | None:
        """The number of a place that is now this process's; None if all are taken."""
        with self._turn:
            for number in set(range(self._n_places)) - self._taken:
                try:
                    fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
                except OSError:
                    continue
                self._taken.add(number)
                return number
        return None

    def leave(self, number: int) -> None:
        """Free a place that was taken here."""
        with self._turn:
            self._taken.discard(number)
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)


@cache
def places() -> Places:
    """The places of this server; called first before it forks, so that its workers share them."""
    return Places(N_PLACES)
