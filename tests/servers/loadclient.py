"""Many HTTP clients in one process, with little work a request: it shares the machine's cores."""

import asyncio
import json
import secrets
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import override_settings

from annotate.models import User


class Reply(NamedTuple):
    """An answer; `seconds` from connecting to the last byte read."""

    status: int
    body: bytes
    seconds: float


class Person:
    """One signed-in browser that keeps its connection as long as the server does."""

    def __init__(self, base: str, session: str) -> None:
        self.host, self.port = urlsplit(base).hostname, urlsplit(base).port
        self.csrf = secrets.token_hex(16)
        cookies = (
            f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={self.csrf}"
        )
        self.headers = (
            f"Host: {self.host}:{self.port}\r\nCookie: {cookies}\r\nX-CSRFToken: {self.csrf}\r\n"
        )
        self.connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> Reply:
        """Read a page."""
        return await self._ask(f"GET {path} HTTP/1.1\r\n{self.headers}\r\n".encode())

    async def post(self, path: str, body: dict[str, Any]) -> Reply:
        """Send JSON."""
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\n{self.headers}Content-Type: application/json\r\n"
        return await self._ask(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)

    def leave(self) -> None:
        """Close the connection."""
        if self.connection:
            self.connection[1].close()
        self.connection = None

    async def _ask(self, request: bytes) -> Reply:
        """Send on the open connection, or on a new one if the server closed it, as browsers do."""
        start = perf_counter()
        for is_last in (False, True):
            try:
                reader, writer = self.connection or await asyncio.open_connection(
                    self.host, self.port
                )
                self.connection = reader, writer
                writer.write(request)
                await writer.drain()
                head = await reader.readuntil(b"\r\n\r\n")
                break
            except (ConnectionError, asyncio.IncompleteReadError):
                self.leave()
                if is_last:
                    raise
        body = await self._body(reader, head)
        if b"connection: close" in head.lower():
            self.leave()
        return Reply(int(head.split(b" ", 2)[1]), body, perf_counter() - start)

    async def _body(self, reader: asyncio.StreamReader, head: bytes) -> bytes:
        lines = dict(
            line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if b": " in line
        )
        if b"content-length" in lines:
            return await reader.readexactly(int(lines[b"content-length"]))
        chunks = []
        while size := int(await reader.readline(), 16):
            chunks.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(chunks)


def sessions_of(users: list[User], *, secret: str) -> list[str]:
    """A signed-in session key for each user; secret : the server's signing key."""
    model = SessionStore.get_model_class()
    rows = []
    with override_settings(SECRET_KEY=secret):
        for user in users:
            store = SessionStore(secrets.token_hex(16))
            signed_in = {
                SESSION_KEY: str(user.pk),
                BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
                HASH_SESSION_KEY: user.get_session_auth_hash(),
            }
            rows.append(store.create_model_instance(signed_in))
    return [row.session_key for row in model.objects.bulk_create(rows)]
