"""The web server's worker: slow clients take no thread, large bodies take few, and HTTP works."""

import http.client
import json
import os
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from config.up.processes import spawn, stop, wait_until
from config.web import gunicorn_settings
from config.web.body_slots import N_SLOTS, BodySlots
from config.web.worker import SPARE_CONNECTIONS
from tests.config.web.content import LONG, long_content

ROOT = Path(__file__).resolve().parents[3]
N_THREADS = gunicorn_settings.threads
N_SLOW = 40  # more than there are threads
MB = 1024 * 1024
WINDOW = 16 * 1024  # bytes
LONG_ONE = b"GET /long/file HTTP/1.1\r\nHost: a\r\n\r\n"
GET = b"GET /plain HTTP/1.1\r\nHost: a\r\n\r\n"


class Server(NamedTuple):
    """gunicorn with our worker, and its settings."""

    port: int
    process: object
    marks: Path
    sockets: ExitStack

    def connect(self, *pieces: bytes, window: int = 0) -> socket.socket:
        """Open a connection and send these bytes.

        window : bytes that the client takes before it is read from; 0 for as many as the kernel
            likes
        """
        client = self.sockets.enter_context(socket.socket())
        client.settimeout(300)
        if window:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        client.connect(("127.0.0.1", self.port))
        for piece in pieces:
            client.sendall(piece)
        return client

    def holds(self, client: socket.socket) -> bool:
        """Whether a worker has this client's connection open."""
        _, port = client.getsockname()
        workers = psutil.Process(self.process.pid).children()
        peers = [peer.raddr for worker in workers for peer in worker.net_connections("tcp")]
        return any(peer and peer.port == port for peer in peers)

    def ask(self, request: bytes) -> bytes:
        """Send bytes on a new connection; return all bytes until the server ends it."""
        client = self.connect(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
        return rest_of(client)


def rest_of(client: socket.socket) -> bytes:
    """Read all bytes until the end of the connection."""
    return b"".join(iter(lambda: client.recv(65536), b""))


def reply_of(client: socket.socket) -> bytes:
    """Read the next answer to its end."""
    reply = b""
    while not (length := re.search(rb"Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n", reply)):
        reply += client.recv(1)
    return reply + b"".join(client.recv(1) for _ in range(int(length[1])))


def reply_head(client: socket.socket) -> bytes:
    """Read the head of the next answer."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += client.recv(1)
    return head


def read_exactly(client: socket.socket, n_bytes: int) -> bytes:
    """Read exactly this many bytes."""
    content = bytearray()
    while len(content) < n_bytes and (piece := client.recv(n_bytes - len(content))):
        content += piece
    return bytes(content)


def post(path: str, length: int, *, more: str = "") -> bytes:
    """The head of a request with a body."""
    return f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n{more}\r\n".encode()


def occupy(server: Server, path: str) -> list[socket.socket]:
    """Begin uploads that an application waits for, on all slots: each was told to go on."""
    uploads: list[socket.socket] = []

    def begin() -> bool:
        client = server.connect(post(path, 2 * MB, more="Expect: 100-continue\r\n"))
        if not client.recv(25).startswith(b"HTTP/1.1 100"):
            return False  # a place of the test before is not free yet
        uploads.append(client)
        return len(uploads) == N_SLOTS

    assert wait_until(begin, seconds=300)
    return uploads


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Factory of servers, each with its patience."""
    with ExitStack() as started:

        def begin(patience: int = 600, *options: str, n_workers: int = 2) -> Server:
            folder = tmp_path_factory.mktemp("server")
            log = folder / "log"
            settings = "python:config.web.gunicorn_settings"
            argv = [
                sys.executable,
                "-m",
                "gunicorn",
                "--config",
                settings,
                "--bind",
                "127.0.0.1:0",
                "--workers",
                str(n_workers),
                *options,
            ]
            app = "tests.config.web.echo:application"
            environment = {
                **os.environ,
                "MARKS": str(folder),
                "PYTHONUNBUFFERED": "1",
                "PATIENCE": str(patience),
            }
            process = spawn(
                [*argv, "--graceful-timeout", "300", app], log=log, env=environment, cwd=ROOT
            )
            started.callback(stop, process)
            assert wait_until(
                lambda: log.read_text().count("Booting worker") == n_workers, seconds=300
            ), log.read_text()
            match = re.search(r"Listening at: http://127\.0\.0\.1:(\d+)", log.read_text())
            assert match
            return Server(int(match[1]), process, folder, started.enter_context(ExitStack()))

        yield begin


@pytest.fixture(scope="module")
def lasting_server(start: Callable[..., Server]) -> Server:
    return start()


@pytest.fixture
def server(lasting_server: Server) -> Iterator[Server]:
    """One server for all tests that do not stop it; a test's connections are closed."""
    yield lasting_server
    lasting_server.sockets.close()
    large = post("/refuse", 2 * MB)
    # a place is free
    assert wait_until(lambda: lasting_server.ask(large).startswith(b"HTTP/1.1 413"), seconds=300)
    lasting_server.sockets.close()


@pytest.fixture(scope="module")
def quick(start: Callable[..., Server]) -> Server:
    """A server with one second of patience."""
    return start(patience=1)


def test_others_are_answered_while_many_send_slowly(server):
    for _ in range(N_SLOW):
        server.connect(b"GET /plain HTTP/1.1\r\nHost: a\r\nX-Slow: ")
        server.connect(post("/read", 1000), b"a")
    for _ in range(N_SLOW):
        assert b"GET /plain 0" in server.ask(GET)


@pytest.mark.parametrize("kind", ["file", "pieces", "chunks"])
def test_others_are_answered_while_many_read_nothing(server, kind):
    request = f"GET /long/{kind} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    readers = [server.connect(request, window=WINDOW) for _ in range(N_SLOW)]
    for _ in range(N_SLOW):
        assert b"GET /plain 0" in server.ask(GET)
    for reader in readers[:3]:
        with http.client.HTTPResponse(reader) as answer:
            answer.begin()
            assert answer.read() == long_content()


def test_a_connection_goes_on_when_its_client_has_read(server):
    client = server.connect(LONG_ONE, GET)
    head = reply_head(client)
    assert read_exactly(client, LONG) == long_content() and b"200 OK" in head
    assert reply_of(client).endswith(b"GET /plain 0 127.0.0.1 http")


def test_who_takes_nothing_for_long_is_let_go(quick):
    ports = {quick.connect(LONG_ONE, window=WINDOW).getsockname()[1] for _ in range(3)}

    def are_let_go() -> bool:
        workers = psutil.Process(quick.process.pid).children()
        connections = [
            connection for worker in workers for connection in worker.net_connections("tcp")
        ]
        return not ports & {connection.raddr.port for connection in connections if connection.raddr}

    assert wait_until(are_let_go, seconds=300)


def test_large_bodies_take_a_few_threads_and_more_of_them_are_sent_away(server):
    large, uploads = post("/read", 2 * MB), occupy(server, "/read")
    refused = server.ask(large)
    assert refused.startswith(b"HTTP/1.1 503") and b"\r\nRetry-After: 30\r\n" in refused
    assert b"Other files are on their way in" in refused
    assert b"200 OK" in server.ask(GET)
    assert b"200 OK" in server.ask(post("/read", MB) + b"a" * MB)  # no large one
    for upload in uploads:
        upload.sendall(b"a" * 2 * MB)
        assert rest_of(upload).endswith(b"POST /read 2097152 127.0.0.1 http")
    assert wait_until(lambda: b"200 OK" in server.ask(large + b"a" * 2 * MB), seconds=300)


def test_a_program_is_told_of_a_full_house_in_its_form(server):
    uploads = occupy(server, "/api/read")
    head, body = server.ask(post("/api/read", 2 * MB)).split(b"\r\n\r\n")
    assert b"Content-Type: application/problem+json" in head
    assert json.loads(body)["status"] == 503
    assert len(uploads) == N_SLOTS


def test_places_of_a_killed_worker_are_free_again():
    slots = BodySlots(2)
    child = os.fork()
    if not child:
        slots.take(), slots.take()
        os.kill(os.getpid(), signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1])
    assert slots.take() is None
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    slot_numbers = {slots.take(), slots.take()}
    assert (slot_numbers, slots.take()) == ({0, 1}, None)
    slots.leave(1)
    assert slots.take() == 1


@pytest.mark.parametrize(
    "begun",
    [b"GET / HTTP/1.1\r\nX-Slow: ", post("/plain", 10) + b"a", post("/read", 2 * MB) + b"a"],
    ids=["head", "body", "large body"],
)
def test_who_is_too_slow_is_told_so(quick, begun):
    assert b"HTTP/1.1 408 Request Timeout" in rest_of(quick.connect(begun))


def test_a_refused_client_can_send_on_and_reads_why(server):
    client = server.connect(post("/refuse", 20 * MB))
    for _ in range(20):
        client.sendall(b"a" * MB)
    assert rest_of(client).startswith(b"HTTP/1.1 413")


def test_requests_on_one_connection_are_answered_in_their_order(server):
    body = post("/read/1", 70_000) + b"a" * 70_000
    client = server.connect(GET + body + GET + post("/read/2", 3) + b"ab", b"c", b"\r\n" + GET)
    bodies = [reply_of(client).rpartition(b"\r\n\r\n")[2] for _ in range(5)]
    assert [words.split()[1:3] for words in bodies] == [
        [b"/plain", b"0"],
        [b"/read/1", b"70000"],
        [b"/plain", b"0"],
        [b"/read/2", b"3"],
        [b"/plain", b"0"],
    ]
    assert b"408" not in bodies[0]


def test_a_body_that_is_not_read_is_not_the_next_request(server):
    client = server.connect(post("/plain", len(GET)) + GET + GET.replace(b"plain", b"last"))
    assert b"POST /plain" in reply_of(client)
    assert b"GET /last" in reply_of(client)
    upload = server.connect(post("/refuse", 2 * MB) + GET * 10)
    assert rest_of(upload).count(b"HTTP/1.1") == 1  # and the connection ends


def test_a_client_is_told_to_go_on_where_the_body_is_wanted(server):
    for length in (4, 2 * MB):
        client = server.connect(
            post("/read", length, more="Expect: 100-continue\r\nConnection: close\r\n")
        )
        assert client.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"a" * length)
        assert f"POST /read {length}".encode() in rest_of(client)
    assert rest_of(
        server.connect(post("/refuse", 2 * MB, more="Expect: 100-continue\r\n"))
    ).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (b"HEAD /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", b"HTTP/1.1 200 OK"),
        (b"GET /plain HTTP/1.0\r\n\r\n", b"HTTP/1.0 200 OK"),
        (b"\r\nGET /plain HTTP/1.0\r\n\r\n", b"HTTP/1.0 200 OK"),
        (b"nonsense\r\n\r\n", b"HTTP/1.1 400 Bad Request"),
        (b"GET /plain HTTP/1.1\r\n" + b"A: b\r\n" * 101 + b"\r\n", b"HTTP/1.1 431"),
        (b"GET /plain HTTP/1.1\r\nA: " + b"b" * 200_000, b"HTTP/1.1 431"),
        (
            b"POST /read HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            b"HTTP/1.1 411",
        ),
        (
            b"POST /read HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\na",
            b"HTTP/1.1 400",
        ),
        (
            b"POST /read HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            b"HTTP/1.1 400",
        ),
        (b"POST /read HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 400"),
    ],
)
def test_one_answer_and_the_end(server, request_, answer):
    client = server.connect(request_)
    reply = rest_of(client)
    assert reply.startswith(answer) and reply.count(b"HTTP/1.") == 1
    assert not request_.startswith(b"HEAD") or reply.endswith(b"\r\n\r\n")


def test_a_request_may_come_byte_by_byte(server):
    request = GET + post("/read", 3) + b"abc"
    client = server.connect(*(bytes([byte]) for byte in request))
    assert b"GET /plain 0" in reply_of(client)
    assert b"POST /read 3" in reply_of(client)


def test_a_stop_waits_for_what_is_asked_and_for_no_silent_client(start):
    server = start()
    server.connect()
    idle_client = server.connect(GET)
    reply_of(idle_client)
    waiting_client = server.connect(b"GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    assert wait_until((server.marks / "began").exists, seconds=300)
    server.process.send_signal(signal.SIGTERM)
    (server.marks / "go").touch()
    assert b"GET /wait" in rest_of(waiting_client)
    assert server.process.wait(250) == 0  # the worker's own patience is longer


def test_silent_connections_and_readers_make_room_for_who_asks(
    start: Callable[..., Server],
) -> None:
    # those that are kept are so for longer than a client waits here
    n_held = SPARE_CONNECTIONS + 20
    options = ("--worker-connections", str(n_held), "--keep-alive", "600")
    server = start(600, *options, n_workers=1)
    for first_bytes in ((), (b"GET /pl",)):
        connections = [server.connect(*first_bytes) for _ in range(n_held + 20)]
        assert server.ask(GET).startswith(b"HTTP/1.1 200")
        assert connections[0].recv(1) == b""  # who waited longest was let go
    server.sockets.close()
    longest = server.connect(LONG_ONE, window=WINDOW)
    assert longest.recv(1) == b"H" and server.holds(longest)
    for _ in range(n_held + 20):
        server.connect(LONG_ONE, window=WINDOW)
    assert server.ask(GET).startswith(b"HTTP/1.1 200")
    # so is who has read longest, now or at the next look; to read on would end the answer
    assert wait_until(lambda: not server.holds(longest), seconds=300)
    assert len(rest_of(longest)) < LONG


def test_readers_that_came_while_all_threads_were_busy_make_room_too(
    start: Callable[..., Server],
) -> None:
    n_held = SPARE_CONNECTIONS + 20
    options = ("--worker-connections", str(n_held), "--keep-alive", "600")
    server = start(600, *options, n_workers=1)
    for _ in range(N_THREADS):
        server.connect(b"GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    assert wait_until((server.marks / "began").exists, seconds=300)
    (worker,) = psutil.Process(server.process.pid).children()
    worker.suspend()  # so that it finds all of them at once, and each with its request
    for _ in range(n_held):
        server.connect(LONG_ONE, window=WINDOW)
    worker.resume()
    (server.marks / "go").touch()
    assert server.ask(GET).startswith(b"HTTP/1.1 200")
