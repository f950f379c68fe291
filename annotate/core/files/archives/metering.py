"""A source that measures how much of it was read, to estimate the number of its rows."""

from math import ceil, log10
from typing import BinaryIO

from annotate.core.files.archives.sources import Source
from annotate.core.files.media_types import media_type

_DIGITS = 3


class MeteredSource:
    """A source that notes how far its files were read, in stored bytes; media do not count."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name
        self._sizes = {
            name: source.size(name) for name in source.names() if media_type(name) is None
        }
        self._n_read: dict[str, int] = {}
        self._open: tuple[str, BinaryIO] | None = None

    def names(self) -> list[str]:
        """The names of the source's files."""
        return self.source.names()

    def holds(self, name: str) -> bool:
        """True if the source has such a file."""
        return self.source.holds(name)

    def size(self, name: str) -> int:
        """Size of a file in bytes."""
        return self.source.size(name)

    def open(self, name: str) -> BinaryIO:
        """Open a file; the one opened before counts with the bytes read from it."""
        self._note_position()
        stream = self.source.open(name)
        self._open = name, stream
        return stream

    def estimated_rows(self, n_done: int) -> int | None:
        """Estimate of all rows after n_done rows, to three digits; None before any reading."""
        self._note_position()
        share = sum(self._n_read.values()) / (sum(self._sizes.values()) or 1)
        if not share or not n_done:
            return None
        estimate = n_done / min(1, share)
        step = 10 ** max(0, ceil(log10(estimate)) - _DIGITS)
        return max(n_done, ceil(estimate / step) * step)

    def _note_position(self) -> None:
        if self._open is None:
            return
        name, stream = self._open
        n_read = self._sizes.get(name, 0) if stream.closed else stream.tell()
        self._n_read[name] = max(self._n_read.get(name, 0), n_read)
