"""Slots for large bodies: the threads that may read them at once, over all workers here."""

import fcntl
import tempfile
import threading
from functools import cache

N_SLOTS = 4  # of the 16 threads of two workers


class BodySlots:
    """Slots, each a lock on one byte of a file: the kernel frees those of a killed worker."""

    def __init__(self, n_slots: int) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self._n_slots = n_slots
        self._taken: set[int] = set()  # by this process, whose own locks never refuse it
        self._turn = threading.Lock()

    def take(self) -> int | None:
        """Take a slot for this process, and return its number; None if all are taken."""
        with self._turn:
            for number in set(range(self._n_slots)) - self._taken:
                try:
                    fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
                except OSError:
                    continue
                self._taken.add(number)
                return number
        return None

    def leave(self, number: int) -> None:
        """Free a slot of this process."""
        with self._turn:
            self._taken.discard(number)
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)


@cache
def body_slots() -> BodySlots:
    """The slots of this server; first called before it forks, so that its workers share them."""
    return BodySlots(N_SLOTS)
