"""An application behind the worker of the tests: it says what reached it. PATIENCE is the worker's, in seconds."""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from config.web import arriving

arriving.HEAD_SECONDS = arriving.FLOOR_SECONDS = int(os.environ["PATIENCE"])


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer `/read...` with the length of the body, all else without reading it; `/wait` when the file is there."""
    path, body, status = environ["PATH_INFO"], b"", "200 OK"
    if path.startswith(("/read", "/api/read")):
        try:
            body = environ["wsgi.input"].read()
        except TimeoutError:
            status = "408 Request Timeout"
    if path == "/refuse":
        status = "413 Content Too Large"
    if path == "/wait":
        marks = Path(os.environ["MARKS"])
        (marks / "began").touch()
        while not (marks / "go").exists():
            time.sleep(0.01)
    peer = f"{environ['REMOTE_ADDR']} {environ['wsgi.url_scheme']}"
    said = f"{environ['REQUEST_METHOD']} {path} {len(body)} {peer}".encode()
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(said)))])
    return [said]
