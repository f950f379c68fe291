"""What a client has not taken yet of its answer: kept, for the worker's loop to send, so that no thread waits."""

import os
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple

PIECE = 256 * 1024  # the most that is read, and sent, at once
IN_MEMORY = 64 * 1024  # bytes of an answer that is no file; more of it is kept in one


class Unsent(NamedTuple):
    """A part of an answer: the bytes from `start` to `end` of what `read(n, place)` reads; `close` when it was sent."""

    read: Callable[[int, int], bytes]
    start: int
    end: int
    close: Callable[[], None]


class Outgoing(socket.socket):
    """A connection to a client, whose thread never waits until the client has read."""

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(fileno=accepted.detach())
        self.rest: deque[Unsent] = deque()
        self._kept: SpooledTemporaryFile[bytes] | None = None  # what was written while something was left

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send what the client takes now, and keep what it does not."""
        self._send_rest()
        if not self.rest:
            data = memoryview(data)[self._sent_now(data) :]
        if data:
            self._keep(data)

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """The same with a file, which may be closed then; how much of it was sent or kept.

        count : bytes; to the end of the file without it
        """
        own = os.dup(file.fileno())
        n_bytes = os.fstat(own).st_size - offset if count is None else count
        self.rest.append(Unsent(partial(os.pread, own), offset, offset + n_bytes, partial(os.close, own)))
        self._send_rest()
        return n_bytes

    def send_piece(self) -> bool:
        """Send a piece of the rest; whether the client took all of it. Raises OSError where nothing can be sent."""
        part = self.rest[0]
        data = part.read(min(PIECE, part.end - part.start), part.start)
        if not data and part.start < part.end:
            raise OSError("The file has become shorter than was said.")
        n_sent = self._sent_now(data)
        self.rest[0] = part._replace(start=part.start + n_sent)
        if self.rest[0].start >= part.end:
            self.rest.popleft().close()
        return n_sent == len(data)

    def close(self) -> None:
        """Close it; what is left is sent to nobody."""
        while self.rest:
            self.rest.popleft().close()
        super().close()

    def _send_rest(self) -> None:
        """Send as much of the rest as the client takes now."""
        while self.rest and self.send_piece():
            pass

    def _sent_now(self, data: Any) -> int:
        """How many bytes of these the client has taken, without waiting."""
        with suppress(BlockingIOError, InterruptedError):
            return self.send(data, socket.MSG_DONTWAIT)
        return 0

    def _keep(self, data: Any) -> None:
        """Put it behind what is left."""
        if self._kept is None:
            self._kept = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed when it was sent
        start = self._kept.seek(0, os.SEEK_END)
        end = start + self._kept.write(data)
        if self.rest and self.rest[-1].close == self._forget_kept:
            self.rest[-1] = self.rest[-1]._replace(end=end)
        else:
            self.rest.append(Unsent(self._read_kept, start, end, self._forget_kept))

    def _read_kept(self, size: int, place: int) -> bytes:
        assert self._kept is not None  # noqa: S101 - a part of the rest reads it
        self._kept.seek(place)
        return self._kept.read(size)

    def _forget_kept(self) -> None:
        if self._kept is not None and not any(part.close == self._forget_kept for part in self.rest):
            self._kept.close()
            self._kept = None
