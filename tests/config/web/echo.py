"""An application behind the worker of the tests, which echoes requests. PATIENCE: seconds."""

import os
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from config.web import connections, worker
from tests.config.web.content import LONG, long_content

connections.HEAD_SECONDS = connections.RATE_SECONDS = worker.IDLE_SECONDS = int(
    os.environ["PATIENCE"]
)


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer `/read...` with the length of the body, all else without reading it.

    `/wait` when the file is there.

    `/long/file`, `/long/pieces` and `/long/chunks` are answers of many bytes.
    """
    path, body, status = environ["PATH_INFO"], b"", "200 OK"
    if path.startswith(("/read", "/api/read")):
        try:
            body = environ["wsgi.input"].read()
        except TimeoutError:
            status = "408 Request Timeout"
    if path.startswith("/long/"):
        return long_answer(environ, path.removeprefix("/long/"), start_response)
    if path == "/refuse":
        status = "413 Content Too Large"
    if path == "/wait":
        marks = Path(os.environ["MARKS"])
        (marks / "began").touch()
        while not (marks / "go").exists():
            time.sleep(0.01)
    peer = f"{environ['REMOTE_ADDR']} {environ['wsgi.url_scheme']}"
    body_text = f"{environ['REQUEST_METHOD']} {path} {len(body)} {peer}".encode()
    start_response(
        status, [("Content-Type", "text/plain"), ("Content-Length", str(len(body_text)))]
    )
    return [body_text]


def long_answer(
    environ: dict[str, Any], kind: str, start_response: Callable[..., Any]
) -> Iterable[bytes]:
    """The bytes of `long_content`, as a file or in pieces, with or without their number."""
    length = [] if kind == "chunks" else [("Content-Length", str(LONG))]
    start_response("200 OK", [("Content-Type", "application/octet-stream"), *length])
    if kind == "file":
        return environ["wsgi.file_wrapper"](long_file().open("rb"))
    content = long_content()
    return (content[start : start + 100_000] for start in range(0, LONG, 100_000))


@cache
def long_file() -> Path:
    """A file of these bytes, made by the first request."""
    with tempfile.NamedTemporaryFile(dir=os.environ["MARKS"], delete=False) as file:
        file.write(long_content())
    return Path(file.name)
