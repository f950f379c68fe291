"""What the readers of containers share: bounded reading, and what they find."""

from typing import BinaryIO, NamedTuple

MOST_READS = 4_000  # of a real file some dozens are needed


class Tracks(NamedTuple):
    """What a file holds.

    container : the second half of a MIME type, such as webm
    pictures, sounds : the codecs of its tracks in their order, as the MIME parameter of that name spells them; "" for
        one that has no name here
    kind : video or audio where the container has only that, whatever the file is called; else ""
    """

    container: str
    pictures: tuple[str, ...] = ()
    sounds: tuple[str, ...] = ()
    kind: str = ""


class Damaged(ValueError):
    """The file ends too early, or leads around in circles."""


class Pieces:
    """A file of which single pieces are read. Raises Damaged beyond its end and after MOST_READS pieces."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._left = MOST_READS
        self.size = stream.seek(0, 2)

    def at(self, place: int, n: int) -> bytes:
        """The n bytes from a place on."""
        found = self.up_to(place, n)
        if len(found) < n:
            raise Damaged(f"{n} bytes at {place} of {self.size}")
        return found

    def up_to(self, place: int, n: int) -> bytes:
        """The same, but fewer at the end of the file."""
        self._left -= 1
        if self._left < 0 or not 0 <= place <= self.size:
            raise Damaged(f"place {place} of {self.size}, {self._left} reads left")
        self._stream.seek(place)
        return self._stream.read(n)
