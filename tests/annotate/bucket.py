"""A store as buckets are: files with addresses of its own, and no paths on this machine."""

from django.core.files import File
from django.core.files.storage import InMemoryStorage, Storage


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
