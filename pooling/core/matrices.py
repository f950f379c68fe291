"""Similarity matrices as runs: .npz files with a matrix and the ids of its rows and columns.

Nothing is unpickled, and nothing is unpacked before the archive's directory and the arrays' headers
have said how large they are: a header can claim terabytes.
"""

import zipfile
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, Problems, shown
from annotate.core.reading import LIMITS, Limits
from pooling.core.readers import Block

MATRIX = "sim_mat"
ID_NAMES = (("row_ids", "column_ids"), ("query_ids", "document_ids"), ("vis_ids", "txt_ids"))
DEPTH = 100  # targets kept of each row
ROWS_AT_ONCE = 256
_DAMAGED = (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, zipfile.LargeZipFile)


class Header(NamedTuple):
    """What an array says of itself before its data."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool


def read_npz(stream: BinaryIO, name: str, problems: Problems, *, limits: Limits = LIMITS) -> Iterator[Block]:
    """The DEPTH best targets of each row of `sim_mat`; rows are sources, columns targets; -inf = not retrieved.

    Row and column ids come as row_ids and column_ids (or query_ids and document_ids, or vis_ids and txt_ids,
    then rows are vis_ids). The line of a row is its 1-based number. Of targets that tie at the DEPTH-th place those
    with the larger ids are kept, as the canonical order would. Raises FormatError.
    """
    stream.seek(0)
    try:
        with zipfile.ZipFile(stream) as archive:
            yield from _read(archive, stream.seek(0, 2), name, problems, limits)
    except _DAMAGED as error:
        raise FormatError(name, None, "", "The .npz file is damaged or cut short; save or upload it again.") from error


def _read(archive: zipfile.ZipFile, packed: int, name: str, problems: Problems, limits: Limits) -> Iterator[Block]:
    _check_directory(archive, packed, name, limits)
    row_name, column_name = _id_names(archive, name)
    row_ids, column_ids = _ids(archive, row_name, name), _ids(archive, column_name, name)
    with archive.open(f"{MATRIX}.npy") as file:
        header = _header(file, MATRIX, name)
        _check_matrix(header, len(row_ids), len(column_ids), archive, name)
        # Columns in descending order of id: the first of several equal scores is then the canonical one.
        by_id = np.array(sorted(range(len(column_ids)), key=column_ids.__getitem__, reverse=True), dtype=np.int64)
        for start in range(0, len(row_ids), ROWS_AT_ONCE):
            n_rows = min(ROWS_AT_ONCE, len(row_ids) - start)
            part = _rows(file, header, n_rows)[:, by_id].astype(np.float64)
            for row in np.flatnonzero((np.isnan(part) | (part == np.inf)).any(axis=1)).tolist():
                message = f"Row {start + row + 1} of {MATRIX} holds NaN or +inf; scores are finite, or -inf."
                problems.add(FormatError(name, None, MATRIX, message))
            yield _block(part, start, row_ids, [column_ids[column] for column in by_id])


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
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, EOFError) as error:
        raise FormatError(name, None, array, f"Array {array} is no NumPy array that can be read.") from error
    if dtype.hasobject:
        message = f"Array {array} holds Python objects, which are never loaded; save it as text or numbers."
        raise FormatError(name, None, array, message)
    return Header(shape, dtype, fortran)


def _ids(archive: zipfile.ZipFile, array: str, name: str) -> list[bytes]:
    member = archive.getinfo(f"{array}.npy")
    with archive.open(member) as file:
        header = _header(file, array, name)
        n_bytes = int(np.prod(header.shape, dtype=object)) * header.dtype.itemsize
        if len(header.shape) != 1 or header.dtype.kind not in "USiu" or n_bytes > member.file_size:
            raise FormatError(name, None, array, f"Array {array} is no list of ids: one axis of text or whole numbers.")
        values = np.frombuffer(_exactly(file, n_bytes), dtype=header.dtype).tolist()
    return [value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass") for value in values]


def _exactly(file: IO[bytes], n_bytes: int) -> bytes:
    data = file.read(n_bytes)
    if len(data) != n_bytes:
        raise EOFError
    return data


def _check_matrix(header: Header, n_rows: int, n_columns: int, archive: zipfile.ZipFile, name: str) -> None:
    if header.shape != (n_rows, n_columns):
        message = f"{MATRIX} is {shown(str(header.shape))}, but there are {n_rows} row ids and {n_columns} column ids."
        raise FormatError(name, None, MATRIX, message)
    if header.dtype.kind != "f" or header.fortran:
        message = f"{MATRIX} is no row-wise float array; save np.ascontiguousarray({MATRIX}, dtype='float32')."
        raise FormatError(name, None, MATRIX, message)
    if n_rows * n_columns * header.dtype.itemsize > archive.getinfo(f"{MATRIX}.npy").file_size:
        raise FormatError(name, None, MATRIX, f"{MATRIX} is shorter than its header says; save it again.")


def _rows(file: IO[bytes], header: Header, n_rows: int) -> NDArray[Any]:
    n_columns = header.shape[1]
    data = _exactly(file, n_rows * n_columns * header.dtype.itemsize)
    return np.frombuffer(data, dtype=header.dtype).reshape(n_rows, n_columns)


def _block(part: NDArray[np.float64], start: int, row_ids: list[bytes], column_ids: list[bytes]) -> Block:
    row, column = np.nonzero(_best(part, DEPTH) & np.isfinite(part))
    return Block(
        start + row + 1,
        [row_ids[start + each] for each in row.tolist()],
        [column_ids[each] for each in column.tolist()],
        part[row, column],
        np.zeros(len(row), dtype=np.int64),
    )


def _best(part: NDArray[np.float64], depth: int) -> NDArray[np.bool_]:
    """Which entries are among the `depth` largest of their row; of equal ones the first columns."""
    if part.shape[1] <= depth:
        return np.ones(part.shape, dtype=bool)
    last = -np.partition(-part, depth - 1, axis=1)[:, depth - 1 : depth]
    above, level = part > last, part == last
    places_left = depth - above.sum(axis=1, keepdims=True)
    return above | (level & (np.cumsum(level, axis=1) <= places_left))
