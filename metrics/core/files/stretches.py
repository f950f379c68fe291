"""A stretch of a file, read as a file of its own."""

import io
from typing import BinaryIO


class FileStretch(io.RawIOBase):
    """The n_bytes bytes of a file from an offset on; closing it closes the file."""

    def __init__(self, stream: BinaryIO, offset: int, n_bytes: int) -> None:
        self._stream = stream
        self._offset = offset
        self._n_bytes = n_bytes
        self._position = 0
        stream.seek(offset)

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True."""
        return True

    def tell(self) -> int:
        """The position in the stretch."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a position, from the start, from here or from the end; never before the start."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._n_bytes}[whence]
        self._position = max(0, start + offset)
        self._stream.seek(self._offset + self._position)
        return self._position

    def read(self, size: int = -1, /) -> bytes:
        """Read so many bytes, or all that are left; fewer at the end, none after it."""
        n_left = max(0, self._n_bytes - self._position)
        block = self._stream.read(n_left if size < 0 else min(size, n_left))
        self._position += len(block)
        return block

    def readinto(self, buffer: "bytearray | memoryview", /) -> int:  # type: ignore[override]
        """Read into a buffer, as a reader of lines does; returns the number of bytes."""
        block = self.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        """Close the file too."""
        self._stream.close()
        super().close()
