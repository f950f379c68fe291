"""Sources of files: one file, a folder, or a zip archive; all are read alike, by names inside them.

No name from a file's content is opened as it is: a folder resolves it and stays inside, an archive
looks it up.
"""

import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple, Protocol, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED

from annotate.core.files.archives.zip_directory import directory_size
from annotate.core.files.archives.zip_members import open_member
from annotate.core.files.formats import FormatError, quoted
from annotate.core.files.text_files import DAMAGED_ZIP, LIMITS, Limits

_TOOL_FOLDER = "__MACOSX/"
_TOOL_FILES = (".DS_Store", "Thumbs.db")
_ENCRYPTED = 0x1


class Source(Protocol):
    """Named files to read."""

    name: str

    def names(self) -> list[str]:
        """The names of the files inside, in order."""

    def holds(self, name: str) -> bool:
        """True if there is such a file."""

    def size(self, name: str) -> int:
        """Unpacked size of a file in bytes."""

    def open(self, name: str) -> BinaryIO:
        """Open a file, to be closed by the caller."""


class FileSource:
    """One file, which belongs to the caller: closing the result of `open` does nothing."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.stream = stream
        self.name = name

    def names(self) -> list[str]:
        """The one name."""
        return [self.name]

    def holds(self, name: str) -> bool:
        """True if the name is that of the file."""
        return name == self.name

    def size(self, name: str) -> int:
        """Size of the file in bytes."""
        return self.stream.seek(0, 2)

    def open(self, name: str) -> BinaryIO:
        """Open the file at its start."""
        self.stream.seek(0)
        return cast(BinaryIO, _BorrowedStream(self.stream))


class _BorrowedStream:
    """A stream that stays open for its owner when its reader closes it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def __enter__(self) -> "_BorrowedStream":
        return self

    def __exit__(self, *details: object) -> None:
        """Leave the stream open."""

    def close(self) -> None:
        """Leave the stream open."""


class EmptySource:
    """A source without files, for imports whose files lie elsewhere; it has a name only."""

    def __init__(self, name: str) -> None:
        self.name = name

    def names(self) -> list[str]:
        """An empty list."""
        return []

    def holds(self, name: str) -> bool:
        """Always False."""
        return False

    def size(self, name: str) -> int:
        """Always 0."""
        return 0

    def open(self, name: str) -> BinaryIO:
        """Always raise FormatError."""
        raise FormatError(self.name, None, "", f"There is no file {quoted(name)} in {self.name}.")


class FolderSource:
    """The files of a folder and its subfolders; links that lead out of it are not followed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.name = folder.name

    def names(self) -> list[str]:
        """All files, as paths inside the folder."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(path.relative_to(self.folder).as_posix() for path in files)

    def holds(self, name: str) -> bool:
        """True if a file of this path lies in the folder."""
        return self._path(name) is not None

    def size(self, name: str) -> int:
        """Size of a file in bytes; 0 without such a file."""
        path = self._path(name)
        return path.stat().st_size if path else 0

    def open(self, name: str) -> BinaryIO:
        """Open a file; raises FormatError when there is none inside the folder."""
        path = self._path(name)
        if path is None:
            raise FormatError(
                self.name, None, "", f"There is no file {quoted(name)} in {self.name}."
            )
        return path.open("rb")

    def _path(self, name: str) -> Path | None:
        if path_fault(name):
            return None
        path = (self.folder / name).resolve()
        return path if path.is_relative_to(self.folder) and path.is_file() else None


class MemberBytes(NamedTuple):
    """A file inside an archive: the position of its header, its packed size, if it is packed."""

    at: int
    n_bytes: int
    is_packed: bool


class ZipSource:
    """The files of a zip archive, all checked before any is read.

    One folder around all files is left out of their names; names with it are found as well.
    """

    def __init__(self, stream: BinaryIO, name: str, limits: Limits = LIMITS) -> None:
        self.name = name
        if directory_size(stream) > limits.directory:
            raise self._refusal("its directory is longer than that of any archive accepted here")
        try:
            self.archive = zipfile.ZipFile(stream)
        except DAMAGED_ZIP as error:
            raise FormatError(
                name, None, "", f"The zip archive cannot be read: {error}."
            ) from error
        self.members = dict(self._checked_members(limits))
        self._infos_by_packed_name = {info.filename: info for info in self.members.values()}

    def names(self) -> list[str]:
        """All files."""
        return sorted(self.members)

    def holds(self, name: str) -> bool:
        """True if the archive has such a file."""
        return self._info(name) is not None

    def size(self, name: str) -> int:
        """Unpacked size of a file in bytes, 0 without such a file; zipfile reads no further."""
        info = self._info(name)
        return info.file_size if info else 0

    def open(self, name: str) -> BinaryIO:
        """Open a file; raises FormatError when the archive lacks it or cannot unpack it."""
        info = self._info(name)
        if info is None:
            raise FormatError(
                self.name, None, "", f"There is no file {quoted(name)} in {self.name}."
            )
        return open_member(self.archive, info, self.name)

    def stretch(self, name: str) -> MemberBytes | None:
        """The position of a file in the archive; None without such a file."""
        info = self._info(name)
        return (
            MemberBytes(info.header_offset, info.compress_size, info.compress_type != ZIP_STORED)
            if info
            else None
        )

    def _info(self, name: str) -> zipfile.ZipInfo | None:
        return self.members.get(name) or self._infos_by_packed_name.get(name)

    def _checked_members(self, limits: Limits) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        infos = [
            info
            for info in self.archive.infolist()
            # is_dir() fails at an empty name
            if not info.filename.endswith(("/", *_TOOL_FILES))
            and not info.filename.startswith(_TOOL_FOLDER)
        ]
        if len(infos) > limits.members:
            raise self._refusal(f"it holds more than {limits.members:,} files")
        unpacked = sum(info.file_size for info in infos)
        packed = sum(info.compress_size for info in infos)
        if unpacked > limits.unpacked or unpacked > max(limits.free, limits.ratio * packed):
            raise self._refusal("it unpacks to more than is allowed")
        for info in infos:
            fault = path_fault(info.filename)
            if fault or stat.S_ISLNK(info.external_attr >> 16):
                raise self._refusal(f"the name {quoted(info.filename)} {fault or 'is a link'}")
            if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise self._refusal(
                    f"{quoted(info.filename)} is packed in an unusual way; use the deflate method"
                )
            if info.flag_bits & _ENCRYPTED:
                raise self._refusal("it is encrypted")
        if len({info.filename for info in infos}) < len(infos):
            raise self._refusal("two of its files have the same name")
        tops = {info.filename.partition("/")[0] if "/" in info.filename else "" for info in infos}
        # of the one folder around all files, with its slash; 0 without one
        prefix_length = len(tops.pop()) + 1 if len(tops) == 1 and "" not in tops else 0
        return ((info.filename[prefix_length:], info) for info in infos)

    def _refusal(self, reason: str) -> FormatError:
        return FormatError(self.name, None, "", f"The zip archive is refused: {reason}.")


def open_source(stream: BinaryIO, name: str) -> Source:
    """Open an uploaded stream as a file or an archive, if its first bytes are those of a zip."""
    stream.seek(0)
    if stream.read(4) == b"PK\x03\x04":
        return ZipSource(stream, name)
    return FileSource(stream, name)


def path_fault(name: str) -> str:
    """Return why the text is no path of a file inside a folder; "" if it is one."""
    if not name or not name.isprintable():
        return "is blank or has characters that cannot be printed"
    if "\\" in name or ":" in name or PurePosixPath(name).is_absolute():
        return "is no relative path with / between folders"
    if any(step in ("", ".", "..") for step in name.split("/")):
        return "leads out of the folder"
    return ""
