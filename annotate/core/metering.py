"""How much of a source has been read, so that the rows to come can be estimated before they are counted."""

from math import ceil, log10
from typing import BinaryIO

from annotate.core.media_types import media_type
from annotate.core.sources import Source

_DIGITS = 3


class Metered:
    """A source that remembers how far its files were read, in bytes as they lie; media do not count."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name
        self._sizes = {name: source.size(name) for name in source.names() if media_type(name) is None}
        self._ends: dict[str, int] = {}
        self._open: tuple[str, BinaryIO] | None = None

    def names(self) -> list[str]:
        """The source's files."""
        return self.source.names()

    def holds(self, name: str) -> bool:
        """Whether the source has such a file."""
        return self.source.holds(name)

    def size(self, name: str) -> int:
        """Its bytes."""
        return self.source.size(name)

    def open(self, name: str) -> BinaryIO:
        """The file; the one opened before counts with what was read of it."""
        self._note()
        stream = self.source.open(name)
        self._open = name, stream
        return stream

    def rows_in_all(self, done: int) -> int | None:
        """How many rows there will be when so many were read, to three digits; None before anything was read."""
        self._note()
        share = sum(self._ends.values()) / (sum(self._sizes.values()) or 1)
        if not share or not done:
            return None
        estimate = done / min(1, share)
        step = 10 ** max(0, ceil(log10(estimate)) - _DIGITS)
        return max(done, ceil(estimate / step) * step)

    def _note(self) -> None:
        if self._open is None:
            return
        name, stream = self._open
        end = self._sizes.get(name, 0) if stream.closed else stream.tell()
        self._ends[name] = max(self._ends.get(name, 0), end)
