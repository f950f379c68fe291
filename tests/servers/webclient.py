"""A minimal HTTP client with cookies and CSRF, enough to judge."""

import http.client
import http.cookiejar
import json
import re
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests import cast

BOUNDARY = "a-boundary"
MEGABYTE = 1_000_000


class WebClient:
    """Cookies and a CSRF token, for one person."""

    def __init__(self, base: str) -> None:
        self.base = base
        jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        self.csrf = ""
        self.n_failures = 0  # tries that `insist` made again

    def get(self, path: str) -> str:
        """Read a page, and the CSRF token it holds."""
        text = self.opener.open(self.base + path, timeout=240).read().decode()
        csrf_match = re.search(
            r'name="csrf(?:-token" content|middlewaretoken" value)="([^"]+)"', text
        )
        self.csrf = csrf_match.group(1) if csrf_match else self.csrf
        return text

    def sign_in(self, username: str, password: str = cast.PASSWORD) -> None:
        """Sign in by the form, as a person does."""
        self.submit("/accounts/login/", {"login": username, "password": password})

    def submit(self, path: str, fields: dict[str, str]) -> str:
        """Open a page and send its form; returns the page that follows."""
        self.get(path)
        form = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": self.csrf})
        answer = self.opener.open(self.base + path, form.encode(), timeout=240)
        return str(answer.read().decode())

    def post(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """Send JSON; returns the answer and the seconds it took."""
        headers = {
            "X-CSRFToken": self.csrf,
            "Content-Type": "application/json",
            "Referer": self.base,
        }
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(), headers)
        start = time.perf_counter()
        answer = json.loads(self.opener.open(request, timeout=240).read())
        return answer, time.perf_counter() - start


def send_file(
    base: str, path: str, fields: Mapping[str, str], file: Path, key: Mapping[str, str]
) -> None:
    """Upload a file to a collection as programs do, a megabyte at a time.

    path : below the collections of the API
    key : the headers of a token
    """
    parts = [_part(name, f"\r\n\r\n{value}\r\n") for name, value in fields.items()]
    head = "".join([*parts, _part("file", f'; filename="{file.name}"\r\n\r\n')]).encode()
    tail = f"\r\n--{BOUNDARY}--\r\n".encode()

    def body() -> Iterator[bytes]:
        yield head
        with file.open("rb") as stream:
            while data := stream.read(MEGABYTE):
                yield data
        yield tail

    headers = {
        **key,
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "Content-Length": str(len(head) + file.stat().st_size + len(tail)),
    }
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=600)
    connection.request("POST", f"/api/v1/collections/{path}", body(), headers)
    reply = connection.getresponse()
    body_text = reply.read()
    connection.close()
    assert reply.status == 201, (reply.status, json.loads(body_text))


def _part(name: str, rest: str) -> str:
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{rest}'
