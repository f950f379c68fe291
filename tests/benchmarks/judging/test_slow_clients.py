"""A minute of slow clients: others are answered as ever, and uploads at the minimal rate end.

Run: python3 manage.py test --heavy -s tests/benchmarks/judging/test_slow_clients.py
"""

import re
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from annotate.models import Role
from tests import cast
from tests.journeys import test_faults as faults
from tests.servers.webclient import WebClient

pytestmark = pytest.mark.heavy
SECONDS = 60
LENGTH = 1_200_000
SLOW_HEAD = b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
SLOW_BODY = b"POST /accounts/login/ HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"


def drip_forever(port: int, begin: bytes, stopped: Event) -> None:
    """Send a byte a second; reconnect whenever the server closes the connection."""
    while not stopped.is_set():
        try:
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(begin)
                while not stopped.wait(1):
                    client.sendall(b"a")
        except OSError:
            stopped.wait(1)


def upload_head(client: WebClient, port: int) -> bytes:
    """The beginning of a signed-in researcher's upload."""
    client.get("/c/busy/imports/items/")
    cookies = next(
        handler for handler in client.opener.handlers if hasattr(handler, "cookiejar")
    ).cookiejar
    cookie_header = "; ".join(f"{cookie.name}={cookie.value}" for cookie in cookies)
    fields = (
        "--b\r\nContent-Disposition: form-data; "
        f'name="csrfmiddlewaretoken"\r\n\r\n{client.csrf}\r\n'
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'
    )
    return (
        f"POST /c/busy/imports/items/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Cookie: {cookie_header}\r\n"
        f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {LENGTH}\r\n\r\n{fields}"
    ).encode()


def upload_slowly(port: int, head: bytes, name: int) -> int:
    """Send a file at 60 KB/s, again while the server is full; returns the final status."""
    line = f'{{"side": "document", "id": "up{name}", "text": "x"}}\n'.encode()
    content, end = line + b"\n" * LENGTH, b"\r\n--b--\r\n"
    body = head.split(b"\r\n\r\n", 1)[1]
    body = body + content[: LENGTH - len(body) - len(end)] + end
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
                client.sendall(head.split(b"\r\n\r\n", 1)[0] + b"\r\n\r\n")
                for start in range(0, LENGTH, 30_000):
                    client.sendall(body[start : start + 30_000])
                    time.sleep(0.5)
                status = int(client.recv(4096)[9:12])
        except OSError:
            status = 503
        if status != 503:
            return status
        time.sleep(1)


def answer_seconds(request: Callable[[], object], stopped: Event) -> list[float]:
    """Send requests until `stopped`; returns the seconds of each."""
    seconds = []
    while not stopped.is_set():
        start = time.perf_counter()
        request()
        seconds.append(time.perf_counter() - start)
        stopped.wait(0.1)
    return seconds


def test_a_minute_of_slow_clients(fault_stack, django_db_blocker):
    stack = fault_stack("slow")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(20_000)
        cast.member(collection, Role.RESEARCHER, cast.user("uploader"))
    port = int(re.search(r":(\d+)$", stack.url)[1])
    uploader = WebClient(stack.url)
    uploader.sign_in("uploader")
    head, clients, stopped = (
        upload_head(uploader, port),
        [faults.signed_in_client(stack, n) for n in range(4)],
        Event(),
    )
    plain = WebClient(stack.url)
    with ThreadPoolExecutor(300) as pool:
        for begin, n in ((SLOW_HEAD, 100), (SLOW_BODY, 100), (head, 16)):
            for _ in range(n):
                pool.submit(drip_forever, port, begin, stopped)
        time.sleep(2)
        health = pool.submit(answer_seconds, lambda: plain.get("/healthz"), stopped)
        judging = [faults.judge_continuously(client) for client in clients]
        answers = [
            pool.submit(answer_seconds, lambda judgments=judgments: next(judgments), stopped)
            for judgments in judging
        ]
        uploads = [pool.submit(upload_slowly, port, head, n) for n in range(2)]
        time.sleep(SECONDS)
        stopped.set()
        judging_seconds = [seconds for answer in answers for seconds in answer.result()]
        upload_statuses = [upload.result() for upload in uploads]
    p99 = float(np.quantile(judging_seconds, 0.99))
    print(
        f"\n/healthz at most {max(health.result()):.3f} s; {len(judging_seconds):,} answers, p99 "
        f"{p99:.3f} s; uploads {upload_statuses}"
    )
    assert max(health.result()) < 1 and p99 < 0.5 and upload_statuses == [302, 302]
