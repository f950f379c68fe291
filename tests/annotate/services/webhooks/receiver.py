"""A real receiver of webhooks, in a thread of the test, which says what the test wants."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class ReceivedMessage(NamedTuple):
    """A request that arrived."""

    path: str
    headers: Mapping[str, str]
    body: bytes


class Receiver(ThreadingHTTPServer):
    """Answers by `respond`, and keeps what arrived."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ReceiverHandler)
        self.messages: list[ReceivedMessage] = []
        self.status, self.answer = 204, b""
        self.headers: dict[str, str] = {}
        self.before_answer: Callable[[], None] = lambda: None

    @property
    def authority(self) -> str:
        """Its host and port, for WEBHOOK_HOSTS."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{self.authority}/hook?for=shapes"


class ReceiverHandler(BaseHTTPRequestHandler):
    """Keeps a request and answers it."""

    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.messages.append(ReceivedMessage(self.path, headers, body))
        self.server.before_answer()
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    """A receiver that listens until the block ends."""
    with Receiver() as receiver:
        thread = threading.Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            thread.join()
