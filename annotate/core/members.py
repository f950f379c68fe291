"""A file inside a zip archive, whose damage is said as every fault of a file is, wherever it comes to light."""

import io
import zipfile
from collections.abc import Callable
from typing import BinaryIO, TypeVar, cast

from annotate.core.formats import FormatError, shown
from annotate.core.reading import DAMAGED_ZIP

Result = TypeVar("Result")


def open_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, archive_name: str) -> BinaryIO:
    """The file to read from its start; it and this raise FormatError where the archive is damaged."""
    return cast(BinaryIO, _Member(archive, info, archive_name))


class _Member(io.BufferedIOBase):
    """What zipfile gives, with its many errors made one."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, archive_name: str) -> None:
        self._archive_name = archive_name
        self._what = f"{shown(info.filename)} in {archive_name}"
        self._stream = self._told(lambda: archive.open(info))

    def _told(self, act: Callable[[], Result]) -> Result:
        try:
            return act()
        except DAMAGED_ZIP as error:
            message = f"{self._what} cannot be unpacked: {error}."
            raise FormatError(self._archive_name, None, "", message) from error

    def read(self, size: int | None = -1) -> bytes:
        """Up to `size` bytes."""
        return self._told(lambda: self._stream.read(-1 if size is None else size))

    def readline(self, size: int | None = -1) -> bytes:  # type: ignore[override]
        """Up to the next line's end, or `size` bytes."""
        return self._told(lambda: self._stream.readline(-1 if size is None else size))

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place; back to the start means to unpack again."""
        return self._told(lambda: self._stream.seek(offset, whence))

    def tell(self) -> int:
        """The place, in unpacked bytes."""
        return self._stream.tell()

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def close(self) -> None:
        """Let go of the archive."""
        if not self.closed and hasattr(self, "_stream"):
            self._stream.close()
        super().close()
