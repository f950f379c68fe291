"""gunicorn's threaded worker, with a loop that reads: slow clients wait there, and a thread gets what has arrived.

A request goes to a thread when its headers and its body are here; one with a large body when its headers are, and
only few of these at the same moment. What a client does not take of its answer at once, the loop sends. See
docs/adr/0019-slow-clients.md.
"""

import errno
import json
import selectors
import socket
import time
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from gunicorn.http.body import LengthReader
from gunicorn.http.errors import ParseException
from gunicorn.workers.gthread import ThreadWorker

from config.web.arriving import CONTINUE, PIECE, Connection
from config.web.places import places
from config.web.sending import Outgoing

SMALL = 64 * 1024  # a body of so many bytes always has room
LARGE = 1024 * 1024  # one of more is read by a thread, if the application wants it
ROOM = 64 * 1024 * 1024  # for the bodies between that are on their way, in one worker
LINGER_SECONDS = 30  # a refused client may go on sending so long, unheard, to read why
MOST_LEAVING = 200
SPARE = 100  # connections of a worker that are kept free for who comes next
IDLE_SECONDS = 600  # a client may take nothing of its answer for so long: a player reads on when somebody watches on
FULL = {errno.EMFILE, errno.ENFILE}
LOOK_SECONDS = 0.5

SLOW = "The request came too slowly; nothing was changed. Send it again over a faster connection."
UNSIZED = "Say how long the body is: send it with Content-Length, not in chunks."
BUSY = "Other files are on their way in, as many as this server takes at once; nothing was changed. Send it again soon."


class Worker(ThreadWorker):  # type: ignore[misc]
    """One process of the web server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.places = places()
        self.room = ROOM
        self.arriving: dict[Connection, None] = {}
        self.leaving: dict[Connection, None] = {}
        self.sending: dict[Connection, Any] = {}  # with what their threads came to
        self.next_look = 0.0

    def accept(self, listener: socket.socket) -> None:
        """Begin with a new connection."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno in FULL:
                self.drop_longest()
            elif error.errno not in {errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED}:
                raise
            return
        self.nr_conns += 1
        if self.nr_conns > self.cfg.worker_connections - SPARE:  # at that many gunicorn takes none any more
            self.drop_longest()
        self.enqueue_req(Connection(self, Outgoing(client), address, listener.getsockname()))

    def drop_longest(self) -> None:
        """Close the connection that has waited longest for its next request, or for the rest of its headers.

        Where there is none, it is the one that has taken longest to read its answer.
        """
        waiting = (conn for conn in self.arriving if conn.length is None)
        conn = next(waiting, None) or next(iter(self.sending), None)
        if conn is not None:
            self.drop(conn)

    def on_client_socket_readable(self, conn: Connection, client: socket.socket) -> None:
        """Go on with a connection that was kept, and sends again."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self.enqueue_req(conn)

    def enqueue_req(self, conn: Connection) -> None:
        """Read the connection's next request, as far as it has come."""
        conn.sock.setblocking(False)
        conn.await_request()
        self.arriving[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_arrival, conn))
        if conn.parser.unreader.size:
            self.look_at(conn)
        else:
            self.on_arrival(conn, conn.sock)

    def on_arrival(self, conn: Connection, client: socket.socket) -> None:
        """Keep what came."""
        data = self.receive(conn, client, SMALL)
        if data:
            conn.parser.unreader.feed(data)
            conn.begun = conn.begun or time.monotonic()
            self.look_at(conn)

    def receive(self, conn: Connection, client: socket.socket, size: int) -> bytes:
        """What a connection sent just now, perhaps nothing; one that its client ended is dropped."""
        try:
            data = client.recv(size)
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError:
            data = b""
        if not data:
            self.drop(conn)
        return data

    def look_at(self, conn: Connection) -> None:
        """Give the request to a thread if it has arrived."""
        try:
            request = conn.parser.look()
        except (ParseException, ValueError, OSError) as error:
            self.handle_error(None, conn.sock, conn.client, error)
            self.let_go(conn)
            return
        except StopIteration:  # the connection was to end after the last request
            self.let_go(conn)
            return
        if request is None or (conn.length is None and not self.begin_body(conn, request)):
            return
        if conn.place is not None or conn.parser.unreader.size >= (conn.length or 0):
            self.forget(conn)
            super().enqueue_req(conn)

    def begin_body(self, conn: Connection, request: Any) -> bool:
        """Decide how the body is read; False where it is refused."""
        if not isinstance(request.body.reader, LengthReader):
            return self.refuse(conn, HTTPStatus.LENGTH_REQUIRED, UNSIZED)
        length, arriving = request.body.reader.length, conn.parser.unreader
        expects_continue, request._expected_100_continue = request._expected_100_continue, False
        if length > LARGE:
            conn.place = self.places.take()
            if conn.place is None:
                return self.refuse(conn, HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
            request.force_close()  # what the application leaves unread is not the next request
            arriving.waits, arriving.expects_continue = True, expects_continue
        elif length > SMALL:
            if length > self.room:
                return self.refuse(conn, HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
            self.room -= length
            conn.room = length
        conn.length, conn.begun = length, time.monotonic()
        if expects_continue and length <= LARGE and arriving.size < length:
            with suppress(OSError):
                conn.sock.send(CONTINUE)
        return True

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """Go on with a connection whose request was answered, once its client has taken the answer."""
        self.release(conn)
        if not conn.sock.rest:
            super().finish_request(conn, fs)
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + IDLE_SECONDS
        self.sending[conn] = fs
        self.poller.register(conn.sock, selectors.EVENT_WRITE, partial(self.on_room, conn))

    def on_room(self, conn: Connection, client: Outgoing) -> None:
        """Send more of an answer."""
        try:
            client.send_piece()
        except OSError:
            self.drop(conn)
            return
        conn.timeout = time.monotonic() + IDLE_SECONDS
        if not client.rest:
            fs = self.sending[conn]
            self.forget(conn)
            super().finish_request(conn, fs)

    def release(self, conn: Connection) -> None:
        """Give back what the request's body took."""
        self.room += conn.room
        conn.room = 0
        if conn.place is not None:
            self.places.leave(conn.place)
            conn.place = None

    def refuse(self, conn: Connection, status: HTTPStatus, sentence: str) -> bool:
        """Answer from here, without the application, and end the connection."""
        request = conn.parser.next_request
        kind, body = "text/plain; charset=utf-8", f"{sentence}\n"
        if request is not None and request.path.startswith("/api/"):
            kind = "application/problem+json"
            body = json.dumps(
                {"type": "about:blank", "title": status.phrase, "status": int(status), "detail": sentence}
            )
        lines = [
            f"HTTP/1.1 {status.value} {status.phrase}",
            "Connection: close",
            f"Content-Type: {kind}",
            f"Content-Length: {len(body)}",
            *(["Retry-After: 30"] if status == HTTPStatus.SERVICE_UNAVAILABLE else []),
        ]
        with suppress(OSError):
            conn.sock.send("\r\n".join([*lines, "", body]).encode())
        self.log.info("Refused %s: %s", conn.client[0] if conn.client else "", sentence)
        self.let_go(conn)
        return False

    def forget(self, conn: Connection) -> None:
        """Wait for nothing more of a connection in this loop."""
        for connections in (self.arriving, self.leaving, self.sending):
            connections.pop(conn, None)
        with suppress(KeyError, ValueError, OSError):
            self.poller.unregister(conn.sock)

    def drop(self, conn: Connection) -> None:
        """Close a connection that sends nothing more, or takes nothing more."""
        self.nr_conns -= conn in self.arriving or conn in self.sending  # one that leaves was counted before
        self.forget(conn)
        self.release(conn)
        conn.close()

    def let_go(self, conn: Connection) -> None:
        """End a connection that was answered from here."""
        self.nr_conns -= 1
        self.forget(conn)
        self.release(conn)
        conn.close(graceful=True)

    def linger(self, conn: Connection) -> None:
        """Close a connection for writing, and let its client read the answer before it is told that nobody listens.

        gunicorn does that in its loop, which then stands still for up to two seconds.
        """
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            conn.close()
            return
        conn.drop_buffer()
        conn.timeout = time.monotonic() + LINGER_SECONDS
        self.leaving[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_leftover, conn))
        if len(self.leaving) > MOST_LEAVING:
            self.drop(next(iter(self.leaving)))

    def on_leftover(self, conn: Connection, client: socket.socket) -> None:
        """Throw away what a refused client goes on sending."""
        self.receive(conn, client, PIECE)

    def murder_pending(self) -> None:
        """Refuse those who are too slow; gunicorn calls it in every turn of its loop."""
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + LOOK_SECONDS
        for conn in [conn for conn in self.arriving if conn.is_late(now)]:
            self.refuse(conn, HTTPStatus.REQUEST_TIMEOUT, SLOW)
        silent = [conn for conn in self.arriving if conn.begun is None and (now > conn.timeout or not self.alive)]
        idle = [conn for conn in (*self.leaving, *self.sending) if now > conn.timeout]
        for conn in [*silent, *idle]:
            self.drop(conn)
