"""Bounded reading for the readers of containers, and their result."""

import math
from typing import BinaryIO, NamedTuple

MAX_READS = 4_000  # a real file needs some dozens
MAX_SECONDS = 1_000_000  # eleven days; a file that says more is damaged


class Tracks(NamedTuple):
    """The tracks of a file.

    container : the second half of a MIME type, such as webm
    pictures, sounds : codecs of the tracks, in order, as the MIME parameter `codecs` spells them;
        "" for a codec without a name here
    kind : video or audio if the container has only that, whatever the file's name; else ""
    seconds : how long the file says that it plays, above 0 and at most MAX_SECONDS; None where its
        head does not say it
    """

    container: str
    pictures: tuple[str, ...] = ()
    sounds: tuple[str, ...] = ()
    kind: str = ""
    seconds: float | None = None


def plausible_seconds(duration: float, per_second: float) -> float | None:
    """Return a duration in seconds, from its units and their number a second; None if absurd."""
    seconds = duration / per_second if per_second > 0 else math.nan
    return seconds if 0 < seconds <= MAX_SECONDS else None


class DamagedMedia(ValueError):
    """The file ends too early, or its structure is circular."""


class BoundedFile:
    """A file read in pieces; raises DamagedMedia beyond its end and after MAX_READS pieces."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._reads_left = MAX_READS
        self.size = stream.seek(0, 2)

    def read_exactly(self, position: int, n: int) -> bytes:
        """Read the n bytes from a position on."""
        content = self.read_up_to(position, n)
        if len(content) < n:
            raise DamagedMedia(f"{n} bytes at {position} of {self.size}")
        return content

    def read_up_to(self, position: int, n: int) -> bytes:
        """Read n bytes from a position on, fewer at the end of the file."""
        self._reads_left -= 1
        if self._reads_left < 0 or not 0 <= position <= self.size:
            raise DamagedMedia(f"place {position} of {self.size}, {self._reads_left} reads left")
        self._stream.seek(position)
        return self._stream.read(n)
