"""Similarity matrices in zip archives: .npz files, and a .npy file beside two lists of ids.

Nothing is unpickled, and nothing is unpacked before the archive's directory and the arrays' headers
have said how large they are: a header can claim terabytes.
"""

import os
import tokenize
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.archives.zip_directory import directory_size
from annotate.core.files.formats import MAX_ID_BYTES, FormatError
from annotate.core.files.text_files import DAMAGED_ZIP, LIMITS, Limits
from pooling.core.files.binary.matrices import (
    ID_NAMES,
    MATRIX,
    MAX_IDS,
    MatrixBlock,
    checked_ids,
    rows_at_once,
)

LISTS = ("rows.txt", "columns.txt")
MAX_FIRST_ROW = 256 * 1024  # bytes of a row that a head has
LAST_CHARACTER = 0x10FFFF  # of Unicode
# of one block of a matrix that lies column by column: each block reads a bit of them all
CELLS_BY_COLUMN = 4_000_000


class Header(NamedTuple):
    """Header of an array: its shape and type, before its data."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool


class ArchiveHead(NamedTuple):
    """The head of an archive's matrix.

    rows, columns : (R,), (C,) ids; dtype : of its values
    first_row : (C,) values of its first row; None where they are many, or lie column by column
    """

    rows: NDArray[np.bytes_]
    columns: NDArray[np.bytes_]
    dtype: np.dtype[Any]
    first_row: NDArray[Any] | None


class _Contents(NamedTuple):
    """The contents of an archive: its matrix's file, and the ids of rows and columns."""

    member: str
    rows: NDArray[np.bytes_]
    columns: NDArray[np.bytes_]


def read_archive(stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> Iterator[MatrixBlock]:
    """The archive's matrix; rows are sources, columns targets; -inf = not retrieved.

    In C or in Fortran order. An .npz file holds `sim_mat` with row_ids and column_ids (or query_ids
    and document_ids, or vis_ids and txt_ids, then rows are vis_ids). A zip archive holds one .npy
    file, rows.txt and columns.txt, an id a line. Raises FormatError.
    """
    with _opened(stream, name, limits) as archive:
        yield from _read_matrix(archive, _contents(archive, name), name)


def read_archive_head(stream: BinaryIO, name: str) -> ArchiveHead:
    """The ids, type and first row of an archive's matrix; see `read_archive`. Raises FormatError.

    Of a stream that has pieces of a file it reads no more than that needs.
    """
    with _opened(stream, name, LIMITS) as archive:
        contents = _contents(archive, name)
        with archive.open(contents.member) as file:
            header = _matrix_header(archive, file, contents, name)
            n_columns = len(contents.columns)
            n_bytes = n_columns * header.dtype.itemsize
            first_row = None
            if len(contents.rows) and not header.fortran and n_bytes <= MAX_FIRST_ROW:
                first_row = np.frombuffer(_read_exactly(file, n_bytes), dtype=header.dtype)
    return ArchiveHead(contents.rows, contents.columns, header.dtype, first_row)


@contextmanager
def _opened(stream: BinaryIO, name: str, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """Open an archive within the limits; what is damaged in it raises FormatError."""
    if directory_size(stream) > limits.directory:
        raise FormatError(name, None, "", "The archive lists more files than are accepted.")
    stream.seek(0)
    try:
        with zipfile.ZipFile(stream) as archive:
            packed = stream.seek(0, 2)
            unpacked = sum(member.file_size for member in archive.infolist())
            if unpacked > limits.unpacked or unpacked > max(limits.free, limits.ratio * packed):
                message = f"The file unpacks to {unpacked:,} bytes, more than is accepted."
                raise FormatError(name, None, "", message)
            yield archive
    except FormatError:
        raise
    except DAMAGED_ZIP as error:
        raise FormatError(
            name, None, "", "The archive is damaged or cut short; save or upload it again."
        ) from error


def _contents(archive: zipfile.ZipFile, name: str) -> _Contents:
    is_of_lists = set(LISTS) <= set(archive.namelist())
    return _list_contents(archive, name) if is_of_lists else _npz_contents(archive, name)


def _npz_contents(archive: zipfile.ZipFile, name: str) -> _Contents:
    if f"{MATRIX}.npy" not in archive.namelist():
        message = (
            f"The archive holds neither an array {MATRIX}, as .npz files do, nor a .npy file with "
            f"{LISTS[0]}"
        )
        raise FormatError(name, None, MATRIX, f"{message} and {LISTS[1]}; add what is missing.")
    row_name, column_name = _id_names(archive, name)
    rows, columns = _ids(archive, row_name, name), _ids(archive, column_name, name)
    return _Contents(f"{MATRIX}.npy", rows, columns)


def _list_contents(archive: zipfile.ZipFile, name: str) -> _Contents:
    matrices = [member for member in archive.namelist() if member.endswith(".npy")]
    if len(matrices) != 1:
        message = (
            f"Beside {LISTS[0]} and {LISTS[1]} the archive holds {len(matrices)} .npy files; it "
            "must be one."
        )
        raise FormatError(name, None, MATRIX, message)
    rows, columns = (_read_id_list(archive, member, name) for member in LISTS)
    return _Contents(matrices[0], rows, columns)


def _read_id_list(archive: zipfile.ZipFile, member: str, name: str) -> NDArray[np.bytes_]:
    longest = MAX_IDS * (MAX_ID_BYTES + 2)
    if archive.getinfo(member).file_size > min(longest, LIMITS.free):
        raise FormatError(name, None, member, f"{member} is too long for a list of ids.")
    raw = archive.read(member)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"Line {line} of {member} is no UTF-8; save the list as UTF-8."
        raise FormatError(name, None, member, message) from error
    text = text.replace("\r\n", "\n").removesuffix("\n")
    return checked_ids(text.split("\n") if text else [], member, name)


def _read_matrix(archive: zipfile.ZipFile, contents: _Contents, name: str) -> Iterator[MatrixBlock]:
    with archive.open(contents.member) as file:
        header = _matrix_header(archive, file, contents, name)
        for start, values in (_by_column if header.fortran else _by_row)(file, header):
            yield MatrixBlock(contents.rows, contents.columns, start, values)


def _matrix_header(
    archive: zipfile.ZipFile, file: IO[bytes], contents: _Contents, name: str
) -> Header:
    """The header of the matrix, which fits its lists of ids and its file. Raises FormatError."""
    header = read_header(file, contents.member.removesuffix(".npy"), name)
    shape = len(contents.rows), len(contents.columns)
    _check_matrix(header, shape, archive.getinfo(contents.member).file_size, name)
    return header


def _by_row(file: IO[bytes], header: Header) -> Iterator[tuple[int, NDArray[Any]]]:
    n_rows, n_columns = header.shape
    at_once = rows_at_once(n_columns)
    for start in range(0, n_rows, at_once):
        n = min(at_once, n_rows - start)
        data = _read_exactly(file, n * n_columns * header.dtype.itemsize)
        yield start, np.frombuffer(data, dtype=header.dtype).reshape(n, n_columns)


def _by_column(file: IO[bytes], header: Header) -> Iterator[tuple[int, NDArray[Any]]]:
    """Blocks of rows of a matrix in Fortran order: from disk, a stretch of each column a time."""
    (n_rows, n_columns), size = header.shape, header.dtype.itemsize
    with TemporaryFile() as unpacked:
        copyfileobj(file, unpacked, 1 << 20)
        unpacked.flush()
        if unpacked.tell() < n_rows * n_columns * size:
            raise EOFError
        at_once = max(1, CELLS_BY_COLUMN // max(1, n_columns))
        for start in range(0, n_rows, at_once):
            n = min(at_once, n_rows - start)
            values = np.empty((n, n_columns), dtype=header.dtype)
            for column in range(n_columns):
                stretch = os.pread(unpacked.fileno(), n * size, (column * n_rows + start) * size)
                values[:, column] = np.frombuffer(stretch, dtype=header.dtype)
            yield start, values


def _id_names(archive: zipfile.ZipFile, name: str) -> tuple[str, str]:
    members = set(archive.namelist())
    for rows, columns in ID_NAMES:
        if {f"{rows}.npy", f"{columns}.npy"} <= members:
            return rows, columns
    raise FormatError(
        name, None, "row_ids", "The .npz file holds no arrays row_ids and column_ids; save both."
    )


def read_header(file: IO[bytes], array: str, name: str) -> Header:
    """The header of a NumPy array, at the start of its file. Raises FormatError."""
    try:
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read(file)
    except (
        ValueError,
        SyntaxError,
        TypeError,
        MemoryError,
        RecursionError,
        tokenize.TokenError,
    ) as error:
        raise FormatError(
            name, None, array, f"Array {array} is no NumPy array that can be read."
        ) from error
    if dtype.hasobject:
        message = (
            f"Array {array} holds Python objects, which are never loaded; save it as text or "
            "numbers."
        )
        raise FormatError(name, None, array, message)
    return Header(shape, dtype, fortran)


def _ids(archive: zipfile.ZipFile, array: str, name: str) -> NDArray[np.bytes_]:
    member = archive.getinfo(f"{array}.npy")
    with archive.open(member) as file:
        header = read_header(file, array, name)
        n_bytes = int(np.prod(header.shape, dtype=object)) * header.dtype.itemsize
        sound = len(header.shape) == 1 and header.dtype.kind in "USiu"
        few = sound and header.shape[0] <= MAX_IDS and 0 < header.dtype.itemsize <= 4 * MAX_ID_BYTES
        if not few or not 0 <= n_bytes <= member.file_size:
            raise FormatError(
                name,
                None,
                array,
                f"Array {array} is no list of ids: one axis of short texts or whole numbers, at "
                f"most {MAX_IDS:,}.",
            )
        values = np.frombuffer(_read_exactly(file, n_bytes), dtype=header.dtype)
    if header.dtype.kind == "U":
        _refuse_no_characters(values, array, name)
    return checked_ids(values.tolist(), array, name)


def _refuse_no_characters(values: NDArray[np.str_], array: str, name: str) -> None:
    """Raise FormatError for four bytes that are no character, where NumPy gives no clear error."""
    points = values.view(values.dtype.str[0] + "u4").reshape(len(values), -1)
    is_wrong = np.flatnonzero((points > LAST_CHARACTER).any(axis=1))
    if len(is_wrong):
        message = (
            f"Entry {is_wrong[0] + 1} of {array} holds four bytes that are no Unicode character; "
            "save the ids anew."
        )
        raise FormatError(name, None, array, message)


def _read_exactly(file: IO[bytes], n_bytes: int) -> bytes:
    data = file.read(n_bytes)
    if len(data) != n_bytes:
        raise EOFError
    return data


def _check_matrix(header: Header, expected: tuple[int, int], n_bytes: int, name: str) -> None:
    if header.shape != expected:
        message = (
            f"{MATRIX} is {header.shape}, but there are {expected[0]} row ids and {expected[1]} "
            "column ids."
        )
        raise FormatError(name, None, MATRIX, message)
    if header.dtype.kind != "f" or header.dtype.itemsize > 8:
        message = f"{MATRIX} is {header.dtype}; save it as float16, float32 or float64."
        raise FormatError(name, None, MATRIX, message)
    if expected[0] * expected[1] * header.dtype.itemsize > n_bytes:
        raise FormatError(
            name, None, MATRIX, f"{MATRIX} is shorter than its header says; save it again."
        )
