"""A store as buckets are: files with addresses of its own, and no paths on this machine."""

import http.server
from collections.abc import Callable

from django.core.files import File
from django.core.files.storage import InMemoryStorage, Storage

from tests import clips


class MemoryBucket(Storage):
    """Kept in memory, so that tests need no network."""

    def __init__(self, base_url: str) -> None:
        self._inner = InMemoryStorage(location="/bucket", base_url=base_url)

    def _save(self, name: str, content: File) -> str:
        return self._inner.save(name, content)

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return self._inner.exists(name)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Folders and files."""
        return self._inner.listdir(path)

    def url(self, name: str | None) -> str:
        """Return the link by which a browser finds the file."""
        return self._inner.url(name)


def content() -> bytes:
    """A clip whose movie box stands in its first stretch, and which goes on behind that."""
    box = (200_000).to_bytes(4) + b"free" + bytes(200_000 - 8)
    return clips.encode_clip("mp4", "libx264", "aac") + box


class Store(http.server.BaseHTTPRequestHandler):
    """A bucket's own links, with stretches of files; what was asked is noted.

    instead : by path, what it does instead of giving the clip: a status, or what a function does
    etags : by path, its mark of the content, quoted
    n_bytes : number of bytes of files that it gave
    """

    asked: list[tuple[str, str]]
    etags: dict[str, str]
    n_bytes: int
    instead: dict[str, int | Callable[["Store"], None]]

    def do_GET(self) -> None:
        """Answer as buckets do."""
        self.asked.append((self.path, self.headers.get("Range", "")))
        instead = self.instead.get(self.path, self.instead.get("*", 206))
        if callable(instead):
            instead(self)
        elif instead == 206:
            first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
            self.give(content()[first : last + 1], first=first)
        else:
            self.send_error(instead)

    def give(
        self,
        body: bytes,
        *,
        length: int | None = None,
        first: int = 0,
        of: str = "",
        status: int = 206,
    ) -> None:
        """Send a stretch, and say that it has so many bytes."""
        n_bytes = len(body) if length is None else length
        self.send_response(status)
        self.send_header("Content-Length", str(n_bytes))
        if status == 206:
            self.send_header(
                "Content-Range", f"bytes {first}-{first + n_bytes - 1}/{of or len(content())}"
            )
        if self.path in self.etags:
            self.send_header("ETag", self.etags[self.path])
        self.end_headers()
        Store.n_bytes += len(body)  # before whoever asked can have read them
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Log nothing."""
