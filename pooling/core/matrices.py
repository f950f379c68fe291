"""Similarity matrices as runs: .npz files with a matrix and the ids of its rows and columns.

Nothing is unpickled, and nothing is unpacked before the archive's directory and the arrays' headers
have said how large they are: a header can claim terabytes.
"""

import struct
import tokenize
import zipfile
import zlib
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import MAX_ID_BYTES, FormatError, id_fault, shown
from annotate.core.reading import LIMITS, Limits

MATRIX = "sim_mat"
ID_NAMES = (("row_ids", "column_ids"), ("query_ids", "document_ids"), ("vis_ids", "txt_ids"))
DEPTH = 100  # targets kept of each row
CELLS_AT_ONCE = 2_000_000
MAX_IDS = 2_000_000  # of one side
# What zipfile lets escape on an archive whose bytes were changed.
_DAMAGED = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error,
    EOFError, OSError, ValueError, NotImplementedError, RuntimeError,
)  # fmt: skip


class Header(NamedTuple):
    """What an array says of itself before its data."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool


class Matrix(NamedTuple):
    """The best targets of each row of a similarity matrix.

    rows, columns : (R,), (C,) ids, those of the columns in descending order
    row, column : (N,) int32 places of each kept entry in the two
    score : (N,) finite float64; rank : (N,) int32 zeros, a matrix gives none
    """

    rows: NDArray[np.bytes_]
    columns: NDArray[np.bytes_]
    row: NDArray[np.int32]
    column: NDArray[np.int32]
    score: NDArray[np.float64]
    rank: NDArray[np.int32]


def read_npz(stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> Matrix:
    """The DEPTH best targets of each row of `sim_mat`; rows are sources, columns targets; -inf = not retrieved.

    Row and column ids come as row_ids and column_ids (or query_ids and document_ids, or vis_ids and txt_ids, then
    rows are vis_ids). Of targets that tie at the last place kept those with the larger ids stay, as in the canonical
    order. Raises FormatError.
    """
    stream.seek(0)
    try:
        with zipfile.ZipFile(stream) as archive:
            return _read(archive, stream.seek(0, 2), name, limits)
    except FormatError:
        raise
    except _DAMAGED as error:
        raise FormatError(name, None, "", "The .npz file is damaged or cut short; save or upload it again.") from error


def _read(archive: zipfile.ZipFile, packed: int, name: str, limits: Limits) -> Matrix:
    _check_directory(archive, packed, name, limits)
    row_name, column_name = _id_names(archive, name)
    rows, columns = _ids(archive, row_name, name), _ids(archive, column_name, name)
    # Columns in descending order of id: the first of several equal scores is then the canonical one.
    by_id = np.argsort(columns)[::-1]
    kept = []
    with archive.open(f"{MATRIX}.npy") as file:
        header = _header(file, MATRIX, name)
        _check_matrix(header, (len(rows), len(columns)), archive, name)
        at_once = max(1, CELLS_AT_ONCE // max(1, len(columns)))
        for start in range(0, len(rows), at_once):
            part = _rows(file, header, min(at_once, len(rows) - start))[:, by_id]
            _refuse_undefined(part, start, name)
            row, column = np.nonzero(_best(part, DEPTH) & np.isfinite(part))
            kept.append((row + start, column, part[row, column]))
    row, column, score = (np.concatenate(each) for each in zip(*kept, strict=True)) if kept else ([], [], [])
    score = np.asarray(score, dtype=np.float64)
    row, column = np.asarray(row, dtype=np.int32), np.asarray(column, dtype=np.int32)
    return Matrix(rows, columns[by_id], row, column, score, np.zeros(len(score), np.int32))


def _refuse_undefined(part: NDArray[Any], start: int, name: str) -> None:
    undefined = np.flatnonzero((np.isnan(part) | (part == np.inf)).any(axis=1))
    if len(undefined):
        message = f"Row {start + undefined[0] + 1} of {MATRIX} holds NaN or +inf; scores are finite, or -inf."
        raise FormatError(name, None, MATRIX, message)


def _check_directory(archive: zipfile.ZipFile, packed: int, name: str, limits: Limits) -> None:
    if f"{MATRIX}.npy" not in archive.namelist():
        raise FormatError(name, None, MATRIX, f"The .npz file holds no array {MATRIX}; save it under this name.")
    unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > limits.unpacked or unpacked > max(limits.free, limits.ratio * packed):
        raise FormatError(name, None, "", f"The file unpacks to {unpacked:,} bytes, more than is accepted.")


def _id_names(archive: zipfile.ZipFile, name: str) -> tuple[str, str]:
    members = set(archive.namelist())
    for rows, columns in ID_NAMES:
        if {f"{rows}.npy", f"{columns}.npy"} <= members:
            return rows, columns
    raise FormatError(name, None, "row_ids", "The .npz file holds no arrays row_ids and column_ids; save both.")


def _header(file: IO[bytes], array: str, name: str) -> Header:
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(file)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError) as error:
        raise FormatError(name, None, array, f"Array {array} is no NumPy array that can be read.") from error
    if dtype.hasobject:
        message = f"Array {array} holds Python objects, which are never loaded; save it as text or numbers."
        raise FormatError(name, None, array, message)
    return Header(shape, dtype, fortran)


def _ids(archive: zipfile.ZipFile, array: str, name: str) -> NDArray[np.bytes_]:
    member = archive.getinfo(f"{array}.npy")
    with archive.open(member) as file:
        header = _header(file, array, name)
        n_bytes = int(np.prod(header.shape, dtype=object)) * header.dtype.itemsize
        sound = len(header.shape) == 1 and header.dtype.kind in "USiu"
        few = sound and header.shape[0] <= MAX_IDS and 0 < header.dtype.itemsize <= 4 * MAX_ID_BYTES
        if not few or not 0 <= n_bytes <= member.file_size:
            raise FormatError(
                name,
                None,
                array,
                f"Array {array} is no list of ids: one axis of short texts or whole numbers, at most {MAX_IDS:,}.",
            )
        try:
            values = np.frombuffer(_exactly(file, n_bytes), dtype=header.dtype).tolist()
        except ValueError as error:  # four bytes that are no character
            raise FormatError(name, None, array, f"Array {array} holds text that is no Unicode.") from error
    ids = [_text(value) for value in values]
    seen: set[str] = set()
    for place, each in enumerate(ids, start=1):
        fault = id_fault(each) or (f"{shown(each)} stands twice" if each in seen else "")
        if fault:
            raise FormatError(name, None, array, f"Entry {place} of {array}: the id {fault}.")
        seen.add(each)
    return np.array([each.encode() for each in ids], dtype=np.bytes_)


def _text(value: bytes | str | int) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _exactly(file: IO[bytes], n_bytes: int) -> bytes:
    data = file.read(n_bytes)
    if len(data) != n_bytes:
        raise EOFError
    return data


def _check_matrix(header: Header, expected: tuple[int, int], archive: zipfile.ZipFile, name: str) -> None:
    if header.shape != expected:
        message = f"{MATRIX} is {header.shape}, but there are {expected[0]} row ids and {expected[1]} column ids."
        raise FormatError(name, None, MATRIX, message)
    if header.dtype.kind != "f" or header.fortran:
        message = f"{MATRIX} is no row-wise float array; save np.ascontiguousarray({MATRIX}, dtype='float32')."
        raise FormatError(name, None, MATRIX, message)
    if expected[0] * expected[1] * header.dtype.itemsize > archive.getinfo(f"{MATRIX}.npy").file_size:
        raise FormatError(name, None, MATRIX, f"{MATRIX} is shorter than its header says; save it again.")


def _rows(file: IO[bytes], header: Header, n_rows: int) -> NDArray[Any]:
    n_columns = header.shape[1]
    data = _exactly(file, n_rows * n_columns * header.dtype.itemsize)
    return np.frombuffer(data, dtype=header.dtype).reshape(n_rows, n_columns)


def _best(part: NDArray[Any], depth: int) -> NDArray[np.bool_]:
    """Which entries are among the `depth` largest of their row; of equal ones the first columns."""
    if part.shape[1] <= depth:
        return np.ones(part.shape, dtype=bool)
    last = np.partition(part, part.shape[1] - depth, axis=1)[:, -depth, None]
    best = part >= last
    tied = np.flatnonzero(best.sum(axis=1) > depth)  # several equal scores stand at the last place
    above = part[tied] > last[tied]
    level = best[tied] & ~above
    best[tied] = above | (level & (np.cumsum(level, axis=1) <= depth - above.sum(axis=1, keepdims=True)))
    return best
