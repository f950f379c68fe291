"""A socket that stores the unsent rest of an answer for the worker's loop: no thread waits."""

import os
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple

PIECE = 256 * 1024  # the most bytes that are read and sent at once
IN_MEMORY = 64 * 1024  # bytes of an answer that is no file; larger ones are stored in a file


class UnsentPart(NamedTuple):
    """An unsent part of an answer: bytes `start` to `end` of `read(n, position)`.

    `close` after sending.
    """

    read: Callable[[int, int], bytes]
    start: int
    end: int
    close: Callable[[], None]


class BufferedSocket(socket.socket):
    """A connection to a client, whose thread never waits for the client to read."""

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(fileno=accepted.detach())
        self.unsent_parts: deque[UnsentPart] = deque()
        # what was written while something was left
        self._memory: SpooledTemporaryFile[bytes] | None = None

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send the bytes that the client takes now, and store the rest."""
        self._send_unsent()
        if not self.unsent_parts:
            data = memoryview(data)[self._send_now(data) :]
        if data:
            self._store(data)

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """Send a file, which may be closed afterwards; return the number of bytes sent or stored.

        count : bytes; to the end of the file without it
        """
        own_descriptor = os.dup(file.fileno())
        n_bytes = os.fstat(own_descriptor).st_size - offset if count is None else count
        self.unsent_parts.append(
            UnsentPart(
                partial(os.pread, own_descriptor),
                offset,
                offset + n_bytes,
                partial(os.close, own_descriptor),
            )
        )
        self._send_unsent()
        return n_bytes

    def send_piece(self) -> bool:
        """Send an unsent piece; return whether the client took all of it.

        Raises OSError on failure.
        """
        part = self.unsent_parts[0]
        data = part.read(min(PIECE, part.end - part.start), part.start)
        if not data and part.start < part.end:
            raise OSError("The file has become shorter than was said.")
        n_sent = self._send_now(data)
        self.unsent_parts[0] = part._replace(start=part.start + n_sent)
        if self.unsent_parts[0].start >= part.end:
            self.unsent_parts.popleft().close()
        return n_sent == len(data)

    def close(self) -> None:
        """Close the socket and drop the unsent parts."""
        while self.unsent_parts:
            self.unsent_parts.popleft().close()
        super().close()

    def _send_unsent(self) -> None:
        """Send as many unsent bytes as the client takes now."""
        while self.unsent_parts and self.send_piece():
            pass

    def _send_now(self, data: Any) -> int:
        """Send bytes without waiting; return the number that the client took."""
        with suppress(BlockingIOError, InterruptedError):
            return self.send(data, socket.MSG_DONTWAIT)
        return 0

    def _store(self, data: Any) -> None:
        """Store bytes behind the unsent parts."""
        if self._memory is None:
            self._memory = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed when it was sent
        start = self._memory.seek(0, os.SEEK_END)
        end = start + self._memory.write(data)
        if self.unsent_parts and self.unsent_parts[-1].close == self._close_stored:
            self.unsent_parts[-1] = self.unsent_parts[-1]._replace(end=end)
        else:
            self.unsent_parts.append(UnsentPart(self._read_stored, start, end, self._close_stored))

    def _read_stored(self, size: int, position: int) -> bytes:
        assert self._memory is not None  # noqa: S101 - a part of the rest reads it
        self._memory.seek(position)
        return self._memory.read(size)

    def _close_stored(self) -> None:
        if self._memory is not None and not any(
            part.close == self._close_stored for part in self.unsent_parts
        ):
            self._memory.close()
            self._memory = None
