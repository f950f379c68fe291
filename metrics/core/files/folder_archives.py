"""A folder of files as a zip archive that compresses nothing, so that each file is a stretch of it.

The files are packed already where that is worth it. The same files give the same bytes: no times,
no owners.
"""

import hashlib
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import BinaryIO, NamedTuple

from metrics.core.files.archives import zip_info

BLOCK_BYTES = 1 << 16


class StoredFile(NamedTuple):
    """A file as it lies in the archive; offset : of its first byte, from the archive's start."""

    path: str
    offset: int
    n_bytes: int
    sha256: str


class FolderArchive:
    """Writes files into an archive one after another; use it as a context manager.

    stream : a file that can be sought, at its start; folder : the name of the one folder in it
    """

    def __init__(self, stream: BinaryIO, folder: str) -> None:
        self._stream = stream
        self._folder = folder
        self._archive = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED)

    def __enter__(self) -> "FolderArchive":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._archive.close()

    def add(self, path: str, pieces: Iterable[bytes]) -> StoredFile:
        """Write a file; path : relative, with forward slashes."""
        digest, n_bytes = hashlib.sha256(), 0
        member_info = zip_info(f"{self._folder}/{path}", zipfile.ZIP_STORED)
        with self._archive.open(member_info, "w", force_zip64=True) as member:
            offset = self._stream.tell()
            for piece in pieces:
                member.write(piece)
                digest.update(piece)
                n_bytes += len(piece)
        return StoredFile(path, offset, n_bytes, digest.hexdigest())


def gzip_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces as gzip; its header has neither a name nor a time."""
    packer = zlib.compressobj(level=6, wbits=31)
    for block in _gathered(pieces):
        if packed_block := packer.compress(block):
            yield packed_block
    yield packer.flush()


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of some size: a call for each of a million lines takes seconds."""
    block, n_bytes = [], 0
    for piece in pieces:
        block.append(piece)
        n_bytes += len(piece)
        if n_bytes >= BLOCK_BYTES:
            yield b"".join(block)
            block, n_bytes = [], 0
    yield b"".join(block)
