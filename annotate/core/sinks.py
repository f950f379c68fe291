"""Bytes taken away while they are being written: what lets writers of archives and tables stream."""

import io


class Sink(io.RawIOBase):
    """A file that keeps only what was written since somebody took it; it cannot be read or turned back."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, block: object) -> int:
        """Keep a block."""
        kept = bytes(block)  # type: ignore[call-overload]
        self._blocks.append(kept)
        return len(kept)

    def taken(self) -> bytes:
        """All that was written since the last time."""
        found = b"".join(self._blocks)
        self._blocks.clear()
        return found
