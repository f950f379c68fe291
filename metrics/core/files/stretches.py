"""A stretch of a file, read as a file of its own."""

import io
from typing import BinaryIO


class FileStretch(io.RawIOBase):
    """The n_bytes bytes of a file from an offset on; closing it closes the file."""

    def __init__(self, stream: BinaryIO, offset: int, n_bytes: int) -> None:
        self._stream = stream
        self._n_left = n_bytes
        stream.seek(offset)

    def readable(self) -> bool:
        """Always True."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Read so many bytes, or all that are left; fewer at the end, none after it."""
        n_bytes = self._n_left if size < 0 else min(size, self._n_left)
        block = self._stream.read(n_bytes)
        self._n_left -= len(block)
        return block

    def close(self) -> None:
        """Close the file too."""
        self._stream.close()
        super().close()
