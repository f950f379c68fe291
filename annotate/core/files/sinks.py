"""A file that gives its bytes away while it is written, so that archives and tables can stream."""

import io


class Sink(io.RawIOBase):
    """A file that keeps only the bytes since the last `take`; it cannot be read or sought."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []

    def writable(self) -> bool:
        """Always True."""
        return True

    def write(self, block: object) -> int:
        """Keep a block."""
        content = bytes(block)  # type: ignore[call-overload]  # a buffer
        self._blocks.append(content)
        return len(content)

    def take(self) -> bytes:
        """Return and forget the bytes written since the last call."""
        content = b"".join(self._blocks)
        self._blocks.clear()
        return content
