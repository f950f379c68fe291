"""Files of which only some pieces are at hand, as a browser sends them for a preview.

Of a plain or packed file the head is read, of a zip archive its directory and the heads of the
files inside; what is read beyond raises AbsentBytes, which says what to send.
"""

import io
import zlib
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple, cast

from annotate.core.files.archives.sources import MemberBytes, Source, ZipSource, open_source
from annotate.core.files.formats import FormatError

PIECE = 192 * 1024  # bytes of one piece
MAX_BYTES = 900 * 1024  # of all pieces of a file
HEAD = 512 * 1024  # bytes of one file, unpacked
_STEP = 16 * 1024


class AbsentBytes(Exception):
    """Bytes that are not at hand: the position from which a piece is to be sent."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class FilePiece(NamedTuple):
    """Some bytes of a file, and their position in it."""

    at: int
    content: bytes


class PiecedFile(io.RawIOBase):
    """A file of known size as a stream of the pieces at hand. Raises AbsentBytes."""

    def __init__(self, pieces: Sequence[FilePiece], size: int) -> None:
        self._pieces, self._size, self._position = pieces, size, 0

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position, without reading anything."""
        position = offset + (0, self._position, self._size)[whence]
        if position < 0:
            raise OSError("a position before the file's start")
        self._position = position
        return position

    def tell(self) -> int:
        """The position."""
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Read on; a stretch that is not wholly at hand raises AbsentBytes."""
        end = self._size if size < 0 else min(self._size, self._position + size)
        content = b""
        while (at := self._position + len(content)) < end:
            piece = next((p for p in self._pieces if p.at <= at < p.at + len(p.content)), None)
            if piece is None:
                # the end of an archive, of which its directory is read, is sent as a whole
                raise AbsentBytes(max(0, min(at, self._size - PIECE)))
            content += piece.content[at - piece.at : end - piece.at]
        self._position = max(self._position, end)
        return content


class HeadSource:
    """A source of which heads alone are read: see `open_heads`.

    is_cut : True once a file was opened that goes on after its head
    n_lines : the number of lines of the head that was opened last
    """

    is_cut = False
    n_lines = 0

    def __init__(self, source: Source, n_bytes: int) -> None:
        self.source, self.name = source, source.name
        self._may_fetch = n_bytes + PIECE <= MAX_BYTES

    def names(self) -> list[str]:
        """The names of the source's files."""
        return self.source.names()

    def holds(self, name: str) -> bool:
        """True if the source has such a file."""
        return self.source.holds(name)

    def size(self, name: str) -> int:
        """Size of a file in bytes."""
        return self.source.size(name)

    def stretch(self, name: str) -> MemberBytes | None:
        """The position of a file in the archive; None for one that is not in an archive."""
        return self.source.stretch(name) if isinstance(self.source, ZipSource) else None

    def open(self, name: str) -> BinaryIO:
        """Open the head of a file, unpacked, without a last line that is cut.

        Raises AbsentBytes where a piece is to be sent first.
        """
        content, is_whole = b"", False
        try:
            with self.source.open(name) as stream:
                while len(content) < HEAD and not is_whole:
                    part = stream.read(_STEP)
                    content, is_whole = content + part, not part
        except AbsentBytes:
            if not content and self._may_fetch:
                raise
        if content[:2] == b"\x1f\x8b":
            unpacker = zlib.decompressobj(wbits=31)
            try:
                content = unpacker.decompress(content, HEAD)
            except zlib.error:  # the reader of the whole file says what is wrong with it
                return io.BytesIO(content)
            is_whole = unpacker.eof
        if not is_whole:
            self.is_cut = True
            content = content[: content.rfind(b"\n") + 1] or _whole_characters(content)
        self.n_lines = content.count(b"\n")
        return io.BytesIO(content)


def open_heads(pieces: Sequence[FilePiece], size: int, name: str) -> HeadSource:
    """Open a file of this size by pieces of it. Raises AbsentBytes, and FormatError."""
    n_bytes = sum(len(piece.content) for piece in pieces)
    try:
        return HeadSource(open_source(cast(BinaryIO, PiecedFile(pieces, size)), name), n_bytes)
    except AbsentBytes as error:
        if n_bytes + PIECE <= MAX_BYTES:
            raise
        message = (
            f"{name} lists more files than a preview reads. Load it: its report says what it holds."
        )
        raise FormatError(name, None, "", message) from error


def _whole_characters(content: bytes) -> bytes:
    """The bytes without a character of UTF-8 that is cut at their end."""
    return content.decode("utf-8", errors="ignore").encode() if content else content
