"""A server that answers as a test says: bodies cut short, other addresses, nothing kept."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


class SmallServer(ThreadingHTTPServer):
    """A server on a free port; `requests` are those that came: path and headers."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), SmallHandler)
        self.answer = answer
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[tuple[str, dict[str, str]]] = []


class SmallHandler(BaseHTTPRequestHandler):
    """One request."""

    server: SmallServer

    def log_message(self, *_: object) -> None:
        """Do not log."""

    def do_POST(self) -> None:
        """Read the body in small parts, and answer."""
        length = int(self.headers["Content-Length"])
        while length:
            length -= len(self.rfile.read(min(length, 1 << 16)))
        self.do_GET()

    def do_GET(self) -> None:
        """Answer."""
        self.server.requests.append((self.path, dict(self.headers)))
        self.server.answer(self)


@contextmanager
def serving(answer: Answer) -> Iterator[SmallServer]:
    """Serve in a thread."""
    server = SmallServer(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes = b"",
    *,
    length: int | None = None,
    **headers: str,
) -> None:
    """Send an answer; `length` is what it says of its body."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)
