"""A file inside a zip archive; damage raises FormatError, wherever it comes to light."""

import io
import zipfile
from collections.abc import Callable
from typing import BinaryIO, TypeVar, cast

from annotate.core.files.formats import FormatError, quoted
from annotate.core.files.text_files import DAMAGED_ZIP

Result = TypeVar("Result")


def open_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, archive_name: str) -> BinaryIO:
    """Open a file of the archive; raises FormatError, now or while reading, if it is damaged."""
    return cast(BinaryIO, _ZipStream(archive, info, archive_name))


class _ZipStream(io.BufferedIOBase):
    """A stream of zipfile, whose many errors become FormatError."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, archive_name: str) -> None:
        self._archive_name = archive_name
        self._description = f"{quoted(info.filename)} in {archive_name}"
        self._stream = self._guarded(lambda: archive.open(info))

    def _guarded(self, read: Callable[[], Result]) -> Result:
        try:
            return read()
        except DAMAGED_ZIP as error:
            message = f"{self._description} cannot be unpacked: {error}."
            raise FormatError(self._archive_name, None, "", message) from error

    def read(self, size: int | None = -1) -> bytes:
        """Read up to `size` bytes."""
        return self._guarded(lambda: self._stream.read(-1 if size is None else size))

    def readline(self, size: int | None = -1) -> bytes:
        """Read up to the line's end, or `size` bytes."""
        return self._guarded(lambda: self._stream.readline(-1 if size is None else size))

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a position; going back means unpacking again from the start."""
        return self._guarded(lambda: self._stream.seek(offset, whence))

    def tell(self) -> int:
        """The position, in unpacked bytes."""
        return self._stream.tell()

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True."""
        return True

    def close(self) -> None:
        """Close the stream, not the archive."""
        if not self.closed and hasattr(self, "_stream"):
            self._stream.close()
        super().close()
