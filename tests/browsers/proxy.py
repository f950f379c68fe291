"""Proxy between browser and server: makes outages, records complaints and acknowledged answers."""

import json
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

COMPLAINT, LISTENER = "/complaint-of-a-page", "/listener-of-a-page"
# the first script of every page: reports its errors, breaches of its policy and console errors
LISTEN = """
const tell = (words) => navigator.sendBeacon("COMPLAINT", String(words));
addEventListener("error", (event) => {
  if (event instanceof ErrorEvent) tell(event.message);
  else if (event.target.matches?.("script, link")) tell("not loaded: " + event.target.outerHTML);
}, true);
addEventListener("unhandledrejection", ({ reason }) => {
  tell(`unhandled: ${reason} ${reason?.stack ?? ""}`);
});
addEventListener("securitypolicyviolation", (event) => {
  tell(`policy: ${event.violatedDirective} ${event.blockedURI}`);
});
// requests under way when a page is left are no fault
const left = /NetworkError when attempting|Load failed/;
console.error = (...words) => left.test(words.join(" ")) || tell("console: " + words.join(" "));
""".replace("COMPLAINT", COMPLAINT)
HOP_HEADERS = {
    "connection",
    "keep-alive",
    "transfer-encoding",
    "content-length",
    "accept-encoding",
    "date",
    "server",
}
CLOSED = None  # in place of a status: the connection is closed without an answer


class Proxy(ThreadingHTTPServer):
    """A proxy of the server at an address; `url` is its own."""

    daemon_threads = True

    def __init__(self, server: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.target = urlsplit(server).netloc
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.scripts = {LISTENER: LISTEN}  # served by the proxy itself, by path
        self.complaints: list[str] = []
        self.acknowledged: list[str] = []  # submission ids of answers with status 200
        self.n_requests: Counter[str] = Counter()  # by path
        self.faults: dict[str, int | None] = {}
        self.gates: dict[str, threading.Event] = {}
        self.losing: dict[str, float] = {}  # how many answers, by part of a path

    @contextmanager
    def running(self) -> Iterator["Proxy"]:
        """Serve in a thread of its own."""
        thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        thread.start()
        try:
            yield self
        finally:
            for gate in self.gates.values():
                gate.set()
            self.shutdown()
            self.server_close()
            thread.join()

    @contextmanager
    def answering(self, part: str, status: int | None) -> Iterator[Callable[[int | None], None]]:
        """Answer with a status, or close the connection, if a path contains `part`.

        Yields a function that replaces the status, without a moment in between.
        """

        def answer(status: int | None) -> None:
            self.faults[part] = status

        answer(status)
        try:
            yield answer
        finally:
            del self.faults[part]

    @contextmanager
    def losing_answers(self, part: str, n: float = math.inf) -> Iterator[None]:
        """Forward requests whose path contains `part`, then close the connection unanswered.

        n : so many of them, the first ones
        """
        self.losing[part] = n
        try:
            yield
        finally:
            del self.losing[part]

    @contextmanager
    def holding(self, part: str) -> Iterator[None]:
        """Hold back requests whose path contains `part` until the end of the block."""
        gate = self.gates[part] = threading.Event()
        try:
            yield
        finally:
            del self.gates[part]
            gate.set()

    def count_requests(self, part: str) -> int:
        """Number of requests whose path contains `part`."""
        return sum(n for path, n in self.n_requests.copy().items() if part in path)


class Handler(BaseHTTPRequestHandler):
    """One connection of a browser."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Proxy

    def log_message(self, *_: object) -> None:
        """Do not log."""

    def do_POST(self) -> None:
        """Handle a POST like a GET."""
        self.do_GET()

    def do_PATCH(self) -> None:
        """Handle a PATCH like a GET."""
        self.do_GET()

    def do_GET(self) -> None:
        """Answer, fail or forward."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == COMPLAINT:
            self.server.complaints.append(body.decode())
            return self.answer(HTTPStatus.NO_CONTENT, {}, b"")
        if self.path in self.server.scripts:
            script = self.server.scripts[self.path]
            return self.answer(HTTPStatus.OK, {"Content-Type": "text/javascript"}, script.encode())
        self.server.n_requests[self.path] += 1
        for gate in [gate for part, gate in [*self.server.gates.items()] if part in self.path]:
            gate.wait()
        faults = [status for part, status in [*self.server.faults.items()] if part in self.path]
        if not faults:
            return self.forward(body)
        if faults[0] is CLOSED:
            self.close_connection = True
            return None
        return self.answer(faults[0], {"Content-Type": "text/html"}, b"<h1>down</h1>")

    def forward(self, body: bytes) -> None:
        """Forward the request to the server, and its answer to the browser."""
        headers = {
            name: value for name, value in self.headers.items() if name.lower() not in HOP_HEADERS
        }
        connection = HTTPConnection(self.server.target, timeout=240)
        try:
            connection.request(self.command, self.path, body or None, headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        for part in [part for part, n in [*self.server.losing.items()] if n and part in self.path]:
            self.server.losing[part] -= 1
            self.close_connection = True
            return
        if response.getheader("Content-Type", "").startswith("text/html"):
            content = content.replace(
                b"<head>", f'<head><script src="{LISTENER}"></script>'.encode(), 1
            )
        self.answer(response.status, response.msg, content)
        if self.path.endswith("/judge/answer") and response.status == HTTPStatus.OK:
            self.server.acknowledged.append(json.loads(body)["submission_id"])

    def answer(self, status: int, headers: HTTPMessage | dict[str, str], content: bytes) -> None:
        """Send an answer to the browser, which may have left."""
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in HOP_HEADERS:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except ConnectionError:
            self.close_connection = True
