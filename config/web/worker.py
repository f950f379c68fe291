"""gunicorn's threaded worker, with a loop that reads: slow clients wait there, not in a thread.

A request goes to a thread when its headers and its body are here; one with a large body when its
headers are here, and only few of these at the same time. The loop sends the part of an answer that
the client does not take at once. See docs/adr/0019-slow-clients.md.
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

from config.web.body_slots import body_slots
from config.web.buffered_socket import BufferedSocket
from config.web.connections import CONTINUE, PIECE, Connection

SMALL = 64 * 1024  # a body of so many bytes needs no reservation
LARGE = 1024 * 1024  # a thread reads a larger body, when the application asks for it
BODY_BUFFER_BYTES = 64 * 1024 * 1024  # bytes for all arriving bodies between, in one worker
LINGER_SECONDS = 30  # a refused client may go on sending for so long, to read the reason
MAX_LEAVING = 200
SPARE_CONNECTIONS = 100  # connections of a worker that are kept free for new clients
IDLE_SECONDS = 600  # a client may pause reading for so long, as players do with a paused clip
FULL = {errno.EMFILE, errno.ENFILE}
LOOK_SECONDS = 0.5

SLOW = "The request came too slowly; nothing was changed. Send it again over a faster connection."
UNSIZED = "Say how long the body is: send it with Content-Length, not in chunks."
BUSY = (
    "Other files are on their way in, as many as this server takes at once; "
    "nothing was changed. Send it again soon."
)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """One process of the web server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slots = body_slots()
        self.free_bytes = BODY_BUFFER_BYTES
        self.arriving: dict[Connection, None] = {}
        self.leaving: dict[Connection, None] = {}
        self.sending: dict[Connection, Any] = {}  # with their threads' futures
        self.next_look = 0.0

    def accept(self, listener: socket.socket) -> None:
        """Accept a new connection."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno in FULL:
                self.drop_longest()
            elif error.errno not in {errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED}:
                raise
            return
        self.nr_conns += 1
        if self.excess() > 0:
            self.drop_longest()
        self.enqueue_req(Connection(self, BufferedSocket(client), address, listener.getsockname()))

    def excess(self) -> int:
        """Count the connections above those that leave the spare ones free.

        At worker_connections gunicorn accepts none.
        """
        return int(self.nr_conns - self.cfg.worker_connections + SPARE_CONNECTIONS)

    def drop_longest(self) -> None:
        """Close the connection that has waited longest for a request or the rest of its headers.

        Without one, close the connection that has taken longest to read its answer.
        """
        open_connections = (conn for conn in self.arriving if conn.length is None)
        conn = next(open_connections, None) or next(iter(self.sending), None)
        if conn is not None:
            self.drop(conn)

    def on_client_socket_readable(self, conn: Connection, client: socket.socket) -> None:
        """Go on with a kept-alive connection that sends again."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self.enqueue_req(conn)

    def enqueue_req(self, conn: Connection) -> None:
        """Read the received part of the connection's next request."""
        conn.sock.setblocking(False)
        conn.await_request()
        self.arriving[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_arrival, conn))
        if conn.parser.unreader.size:
            self.look_at(conn)
        else:
            self.on_arrival(conn, conn.sock)

    def on_arrival(self, conn: Connection, client: socket.socket) -> None:
        """Store the received bytes."""
        data = self.receive(conn, client, SMALL)
        if data:
            conn.parser.unreader.feed(data)
            conn.started_at = conn.started_at or time.monotonic()
            self.look_at(conn)

    def receive(self, conn: Connection, client: socket.socket, size: int) -> bytes:
        """Receive available bytes, perhaps none; drop a connection that its client closed."""
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
        """Give the request to a thread if it is complete."""
        try:
            request = conn.parser.peek()
        except (ParseException, ValueError, OSError) as error:
            self.handle_error(None, conn.sock, conn.client, error)
            self.let_go(conn)
            return
        except StopIteration:  # the connection was to end after the last request
            self.let_go(conn)
            return
        if request is None or (conn.length is None and not self.begin_body(conn, request)):
            return
        if conn.slot is not None or conn.parser.unreader.size >= (conn.length or 0):
            self.forget(conn)
            super().enqueue_req(conn)

    def begin_body(self, conn: Connection, request: Any) -> bool:
        """Decide how the body is read; return False if it is refused."""
        if not isinstance(request.body.reader, LengthReader):
            return self.refuse(conn, HTTPStatus.LENGTH_REQUIRED, UNSIZED)
        length, buffer = request.body.reader.length, conn.parser.unreader
        expects_continue, request._expected_100_continue = request._expected_100_continue, False
        if length > LARGE:
            conn.slot = self.slots.take()
            if conn.slot is None:
                return self.refuse(conn, HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
            request.force_close()  # the unread rest of the body is not the next request
            buffer.may_wait, buffer.expects_continue = True, expects_continue
        elif length > SMALL:
            if length > self.free_bytes:
                return self.refuse(conn, HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
            self.free_bytes -= length
            conn.reserved_bytes = length
        conn.length, conn.started_at = length, time.monotonic()
        if expects_continue and length <= LARGE and buffer.size < length:
            with suppress(OSError):
                conn.sock.send(CONTINUE)
        return True

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """Go on with a connection after its answer, once the client has read it."""
        self.release(conn)
        if not conn.sock.unsent_parts:
            super().finish_request(conn, fs)
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + IDLE_SECONDS
        self.sending[conn] = fs
        self.poller.register(conn.sock, selectors.EVENT_WRITE, partial(self.on_room, conn))

    def on_room(self, conn: Connection, client: BufferedSocket) -> None:
        """Send more of an answer."""
        try:
            client.send_piece()
        except OSError:
            self.drop(conn)
            return
        conn.timeout = time.monotonic() + IDLE_SECONDS
        if not client.unsent_parts:
            fs = self.sending[conn]
            self.forget(conn)
            super().finish_request(conn, fs)

    def release(self, conn: Connection) -> None:
        """Release the slot or memory of the request's body."""
        self.free_bytes += conn.reserved_bytes
        conn.reserved_bytes = 0
        if conn.slot is not None:
            self.slots.leave(conn.slot)
            conn.slot = None

    def refuse(self, conn: Connection, status: HTTPStatus, sentence: str) -> bool:
        """Answer without the application, and end the connection."""
        request = conn.parser.next_request
        kind, body = "text/plain; charset=utf-8", f"{sentence}\n"
        if request is not None and request.path.startswith("/api/"):
            kind = "application/problem+json"
            body = json.dumps(
                {
                    "type": "about:blank",
                    "title": status.phrase,
                    "status": int(status),
                    "detail": sentence,
                }
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
        """Remove a connection from this loop."""
        for connections in (self.arriving, self.leaving, self.sending):
            connections.pop(conn, None)
        with suppress(KeyError, ValueError, OSError):
            self.poller.unregister(conn.sock)

    def drop(self, conn: Connection) -> None:
        """Close a connection that neither sends nor reads any more."""
        # a leaving one was subtracted before
        self.nr_conns -= conn in self.arriving or conn in self.sending
        self.forget(conn)
        self.release(conn)
        conn.close()

    def let_go(self, conn: Connection) -> None:
        """End a connection that was answered here."""
        self.nr_conns -= 1
        self.forget(conn)
        self.release(conn)
        conn.close(graceful=True)

    def linger(self, conn: Connection) -> None:
        """Close a connection for writing, and let its client read the answer before it is reset.

        gunicorn does that in its loop, which then stops for up to two seconds.
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
        if len(self.leaving) > MAX_LEAVING:
            self.drop(next(iter(self.leaving)))

    def on_leftover(self, conn: Connection, client: socket.socket) -> None:
        """Discard the bytes that a refused client goes on sending."""
        self.receive(conn, client, PIECE)

    def murder_pending(self) -> None:
        """Refuse too slow clients; gunicorn calls it in every turn of its loop."""
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + LOOK_SECONDS
        # threads had a burst of them while these were accepted, and none could be dropped then
        for conn in list(self.sending)[: max(self.excess(), 0)]:
            self.drop(conn)
        for conn in [conn for conn in self.arriving if conn.is_late(now)]:
            self.refuse(conn, HTTPStatus.REQUEST_TIMEOUT, SLOW)
        silent = [
            conn
            for conn in self.arriving
            if conn.started_at is None and (now > conn.timeout or not self.alive)
        ]
        idle = [conn for conn in (*self.leaving, *self.sending) if now > conn.timeout]
        for conn in [*silent, *idle]:
            self.drop(conn)
