"""What a connection has sent so far: read without waiting, until a thread reads what is left of a large body."""

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
FLOOR = 8 * 1024  # bytes a second that a body keeps
FLOOR_SECONDS = 5  # over so long
PIECE = 256 * 1024  # the most that is read at once
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class TooSlow(TimeoutError):
    """A body came more slowly than the floor."""


class Arriving(Unreader):  # type: ignore[misc]
    """The bytes that came and are not used yet. It waits for more only where a thread reads a large body."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self.connection = connection  # not `sock`, whose timeouts gunicorn would set
        self.waits = False
        self.expects_continue = False
        self._searched = 0
        self._seconds = 0.0  # waited for the client since the floor was last looked at
        self._bytes = 0  # that came meanwhile

    def feed(self, data: bytes) -> None:
        """Keep what just came."""
        self.buf.seek(0, 2)
        self.buf.write(data)

    @property
    def size(self) -> int:
        """How many bytes wait here."""
        return self.buf.getbuffer().nbytes

    def head_is_complete(self) -> bool:
        """Whether the end of the headers has come; raises LimitRequestHeaders when they are too large."""
        content = self.buf.getvalue()
        empty_line = 2 * content.startswith(b"\r\n")  # one before a request is nothing
        if content.find(b"\r\n\r\n", max(empty_line, self._searched - 3)) >= 0:
            self._searched = 0
            return True
        if len(content) > HEAD_BYTES:
            raise LimitRequestHeaders(f"they are larger than {HEAD_BYTES:,} bytes")
        self._searched = len(content)
        return False

    def chunk(self, size_hint: int | None = None) -> bytes:
        """The next piece from the client; nothing where nobody may wait for it. Raises TooSlow below the floor."""
        if not self.waits:
            return b""
        if self.expects_continue:
            self.connection.sendall(CONTINUE)
            self.expects_continue = False
        size = min(max(size_hint or 0, 8192), PIECE)
        while True:
            data = self._receive(size)
            if self._seconds >= FLOOR_SECONDS:
                if self._bytes < FLOOR * FLOOR_SECONDS:
                    raise TooSlow(f"The body came more slowly than {FLOOR // 1024} KB a second.")
                self._seconds, self._bytes = 0.0, 0
            if data is not None:
                return data

    def _receive(self, size: int) -> bytes | None:
        """What comes before the floor is to be looked at; None if nothing does."""
        begun = time.monotonic()
        self.connection.settimeout(max(FLOOR_SECONDS - self._seconds, 0.001))
        try:
            data = self.connection.recv(size)
        except TimeoutError:
            self._seconds = FLOOR_SECONDS
            return None
        finally:
            self.connection.settimeout(None)
        self._seconds += time.monotonic() - begun
        self._bytes += len(data)
        return data


class Requests(RequestParser):  # type: ignore[misc]
    """The requests of one connection, each parsed once its headers are complete."""

    unreader: Arriving

    def __init__(self, cfg: Any, connection: socket.socket, client: Any) -> None:
        super().__init__(cfg, (), client)
        self.unreader = Arriving(connection)
        self.next_request: Request | None = None

    def look(self) -> Request | None:
        """The next request, if its headers are complete; raises gunicorn's errors of parsing."""
        if self.next_request is None and self.unreader.head_is_complete():
            self.next_request = super().__next__()
        return self.next_request

    def __next__(self) -> Request:
        request, self.next_request = self.next_request, None
        if request is None:
            raise StopIteration
        return request


class Connection(TConn):  # type: ignore[misc]
    """A connection, and since when which part of its next request is awaited."""

    parser: Requests

    def __init__(self, worker: Any, sock: socket.socket, client: Any, server: Any) -> None:
        super().__init__(worker.cfg, sock, client, server)
        self.worker = worker
        self.parser = Requests(worker.cfg, sock, client)
        self.initialized = True
        self.begun: float | None = None  # when the part began: the headers, then the body
        self.length: int | None = None  # of the body, once the headers are known
        self.room = 0  # bytes set aside for the body
        self.place: int | None = None  # that a large body takes

    def await_request(self) -> None:
        """Begin with the next request, whose first bytes may have come."""
        self.length = None
        self.begun = time.monotonic() if self.parser.unreader.size else None
        self.set_timeout()  # for one that sends nothing

    def is_late(self, now: float) -> bool:
        """Whether the client took too long for the headers, or keeps no floor with the body."""
        if self.begun is None:
            return False
        elapsed = now - self.begun
        if self.length is None:
            return elapsed > HEAD_SECONDS
        return elapsed > FLOOR_SECONDS and self.parser.unreader.size < FLOOR * elapsed

    def close(self, graceful: bool = False) -> None:
        """End it, at once or when the client has read its answer."""
        if graceful:
            self.worker.linger(self)
        else:
            super().close()

    def drop_buffer(self) -> None:
        """Forget what came."""
        self.parser.unreader.buf = BytesIO()
