"""Connections of the web server: bytes are buffered until a thread reads a large body."""

import socket
import time
from io import BytesIO
from typing import Any

from gunicorn.http.errors import LimitRequestHeaders
from gunicorn.http.message import Request
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import TConn

HEAD_BYTES = 64 * 1024  # request line and headers
HEAD_SECONDS = 10  # from their first byte to their last
MIN_RATE = 8 * 1024  # the smallest rate of a body, in bytes a second
RATE_SECONDS = 5  # measured over this time
PIECE = 256 * 1024  # the most bytes that are read at once
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class BodyTooSlow(TimeoutError):
    """A body came more slowly than MIN_RATE."""


class RequestBuffer(Unreader):  # type: ignore[misc]  # gunicorn has no types
    """The received, unused bytes of a connection.

    It waits for more only if a thread reads a large body.
    """

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self.connection = connection  # not `sock`, whose timeouts gunicorn would set
        self.may_wait = False
        self.expects_continue = False
        self._n_searched = 0
        self._waited_seconds = 0.0  # waited for the client since the last check of the rate
        self._n_received = 0  # bytes received meanwhile

    def feed(self, data: bytes) -> None:
        """Append received bytes."""
        self.buf.seek(0, 2)
        self.buf.write(data)

    @property
    def size(self) -> int:
        """Number of unused bytes."""
        return self.buf.getbuffer().nbytes

    def head_is_complete(self) -> bool:
        """True if the headers are complete; raises LimitRequestHeaders when they are too large."""
        content = self.buf.getvalue()
        empty_line = 2 * content.startswith(b"\r\n")  # one before a request is ignored
        if content.find(b"\r\n\r\n", max(empty_line, self._n_searched - 3)) >= 0:
            self._n_searched = 0
            return True
        if len(content) > HEAD_BYTES:
            raise LimitRequestHeaders(f"they are larger than {HEAD_BYTES:,} bytes")
        self._n_searched = len(content)
        return False

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Receive the next piece; b"" where waiting is not allowed.

        Raises BodyTooSlow below MIN_RATE.
        """
        if not self.may_wait:
            return b""
        if self.expects_continue:
            self.connection.sendall(CONTINUE)
            self.expects_continue = False
        size = min(max(size_hint or 0, 8192), PIECE)
        while True:
            data = self._receive(size)
            if self._waited_seconds >= RATE_SECONDS:
                if self._n_received < MIN_RATE * RATE_SECONDS:
                    raise BodyTooSlow(
                        f"The body came more slowly than {MIN_RATE // 1024} KB a second."
                    )
                self._waited_seconds, self._n_received = 0.0, 0
            if data is not None:
                return data

    def _receive(self, size: int) -> bytes | None:
        """Receive bytes until the next check of the rate; None if none come."""
        started_at = time.monotonic()
        self.connection.settimeout(max(RATE_SECONDS - self._waited_seconds, 0.001))
        try:
            data = self.connection.recv(size)
        except TimeoutError:
            self._waited_seconds = RATE_SECONDS
            return None
        finally:
            self.connection.settimeout(None)
        self._waited_seconds += time.monotonic() - started_at
        self._n_received += len(data)
        return data


class RequestQueue(RequestParser):  # type: ignore[misc]  # gunicorn has no types
    """The requests of one connection; each is parsed once its headers are complete."""

    unreader: RequestBuffer

    def __init__(self, cfg: Any, connection: socket.socket, client: Any) -> None:
        super().__init__(cfg, (), client)
        self.unreader = RequestBuffer(connection)
        self.next_request: Request | None = None

    def peek(self) -> Request | None:
        """Return the next request if its headers are complete, else None.

        Raises gunicorn's parsing errors.
        """
        if self.next_request is None and self.unreader.head_is_complete():
            self.next_request = super().__next__()
        return self.next_request

    def __next__(self) -> Request:
        request, self.next_request = self.next_request, None
        if request is None:
            raise StopIteration
        return request


class Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """A connection, and the part of its next request that it waits for."""

    parser: RequestQueue

    def __init__(self, worker: Any, sock: socket.socket, client: Any, server: Any) -> None:
        super().__init__(worker.cfg, sock, client, server)
        self.worker = worker
        self.parser = RequestQueue(worker.cfg, sock, client)
        self.initialized = True
        self.started_at: float | None = None  # start of the part: the headers, then the body
        self.length: int | None = None  # of the body, once the headers are known
        self.reserved_bytes = 0  # bytes set aside for the body
        self.slot: int | None = None  # taken by a large body

    def await_request(self) -> None:
        """Begin with the next request, whose first bytes may be here."""
        self.length = None
        self.started_at = time.monotonic() if self.parser.unreader.size else None
        self.set_timeout()  # for a client that sends nothing

    def is_late(self, now: float) -> bool:
        """True if the client is too slow: with the headers, or below MIN_RATE with the body."""
        if self.started_at is None:
            return False
        elapsed = now - self.started_at
        if self.length is None:
            return elapsed > HEAD_SECONDS
        return elapsed > RATE_SECONDS and self.parser.unreader.size < MIN_RATE * elapsed

    def close(self, graceful: bool = False) -> None:
        """Close the connection, at once or when the client has read its answer."""
        if graceful:
            self.worker.linger(self)
        else:
            super().close()

    def drop_buffer(self) -> None:
        """Drop the received bytes."""
        self.parser.unreader.buf = BytesIO()
