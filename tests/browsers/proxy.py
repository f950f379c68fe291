"""What stands between a browser and the server: it makes outages, listens to the pages, and keeps what was promised."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

COMPLAINT, LISTENER = "/complaint-of-a-page", "/listener-of-a-page"
# the first script of every page: what goes wrong in it and against its policy, and what it writes as an error
LISTEN = """
const tell = (words) => navigator.sendBeacon("COMPLAINT", String(words));
addEventListener("error", (event) => {
  if (event instanceof ErrorEvent) tell(event.message);
  else if (event.target.matches?.("script, link")) tell("not loaded: " + event.target.outerHTML);
}, true);
addEventListener("unhandledrejection", (event) => tell(`unhandled: ${event.reason} ${event.reason?.stack ?? ""}`));
addEventListener("securitypolicyviolation", (event) => tell(`policy: ${event.violatedDirective} ${event.blockedURI}`));
// what was under way when its page was left is no fault
const left = /NetworkError when attempting|Load failed/;
console.error = (...words) => left.test(words.join(" ")) || tell("console: " + words.join(" "));
""".replace("COMPLAINT", COMPLAINT)
OF_ONE_LEG = {"connection", "keep-alive", "transfer-encoding", "content-length", "accept-encoding", "date", "server"}
CLOSED = None  # instead of a status: the connection is closed, and nobody knows what became of what was asked


class Proxy(ThreadingHTTPServer):
    """Stands before the server at an address; `url` is its own."""

    daemon_threads = True

    def __init__(self, server: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.there = urlsplit(server).netloc
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.scripts = {LISTENER: LISTEN}  # of its own, by path
        self.complaints: list[str] = []
        self.acknowledged: list[str] = []  # submission ids of answers that a browser was told are stored
        self.asked: Counter[str] = Counter()  # how often each path was asked for
        self.faults: dict[str, int | None] = {}
        self.held: dict[str, threading.Event] = {}
        self.losing: set[str] = set()

    @contextmanager
    def running(self) -> Iterator["Proxy"]:
        """Serve in a thread of its own."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            for gate in self.held.values():
                gate.set()
            self.shutdown()
            self.server_close()
            thread.join()

    @contextmanager
    def answering(self, part: str, status: int | None) -> Iterator[Callable[[int | None], None]]:
        """Answer with a status, or close the connection, wherever a path holds `part`.

        What this gives takes another status in the place of that one, and nothing passes in between.
        """

        def answer(status: int | None) -> None:
            self.faults[part] = status

        answer(status)
        try:
            yield answer
        finally:
            del self.faults[part]

    @contextmanager
    def losing_answers(self, part: str) -> Iterator[None]:
        """Hand on what is asked wherever a path holds `part`, and close the connection in place of the answer."""
        self.losing.add(part)
        try:
            yield
        finally:
            self.losing.remove(part)

    @contextmanager
    def holding(self, part: str) -> Iterator[None]:
        """Keep what is asked for under paths that hold `part` until the end of this."""
        gate = self.held[part] = threading.Event()
        try:
            yield
        finally:
            del self.held[part]
            gate.set()

    def n_asked(self, part: str) -> int:
        """How often paths that hold `part` were asked for."""
        return sum(n for path, n in self.asked.copy().items() if part in path)


class Handler(BaseHTTPRequestHandler):
    """One connection of a browser."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Proxy

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """As whatever is asked."""
        self.do_GET()

    def do_GET(self) -> None:
        """Answer, fail or hand on."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == COMPLAINT:
            self.server.complaints.append(body.decode())
            return self.answer(HTTPStatus.NO_CONTENT, {}, b"")
        if self.path in self.server.scripts:
            script = self.server.scripts[self.path]
            return self.answer(HTTPStatus.OK, {"Content-Type": "text/javascript"}, script.encode())
        self.server.asked[self.path] += 1
        for gate in [gate for part, gate in [*self.server.held.items()] if part in self.path]:
            gate.wait()
        faults = [status for part, status in [*self.server.faults.items()] if part in self.path]
        if not faults:
            return self.hand_on(body)
        if faults[0] is CLOSED:
            self.close_connection = True
            return None
        return self.answer(faults[0], {"Content-Type": "text/html"}, b"<h1>down</h1>")

    def hand_on(self, body: bytes) -> None:
        """Ask the server and pass on what it says."""
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_ONE_LEG}
        there = HTTPConnection(self.server.there, timeout=240)
        try:
            there.request(self.command, self.path, body or None, headers)
            told = there.getresponse()
            content = told.read()
        finally:
            there.close()
        if any(part in self.path for part in [*self.server.losing]):
            self.close_connection = True
            return
        if told.getheader("Content-Type", "").startswith("text/html"):
            content = content.replace(b"<head>", f'<head><script src="{LISTENER}"></script>'.encode(), 1)
        self.answer(told.status, told.msg, content)
        if self.path.endswith("/judge/answer") and told.status == HTTPStatus.OK:
            self.server.acknowledged.append(json.loads(body)["submission_id"])

    def answer(self, status: int, headers: HTTPMessage | dict[str, str], content: bytes) -> None:
        """Send an answer to the browser, which may have gone."""
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in OF_ONE_LEG:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except ConnectionError:
            self.close_connection = True
