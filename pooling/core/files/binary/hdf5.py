"""Similarity matrices as HDF5 files, read a block of rows at a time.

Only called in the sandbox process.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import h5py
import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import MAX_ID_BYTES, FormatError, quoted
from annotate.core.files.text_files import LIMITS, Limits
from pooling.core.files.binary.matrices import (
    ID_NAMES,
    MATRIX,
    MAX_IDS,
    MatrixBlock,
    checked_ids,
    rows_at_once,
)

MAX_CHUNK = 64 * 1024 * 1024  # bytes of one stored piece of the matrix, which is unpacked whole
MAX_CELLS = 4_000_000  # of one block
FILTERS = {"gzip", "lzf", "szip", None}
_DAMAGED = (
    OSError,
    ValueError,
    KeyError,
    RuntimeError,
    TypeError,
    MemoryError,
    OverflowError,
    RecursionError,
)


def read_hdf5(stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> Iterator[MatrixBlock]:
    """The dataset `sim_mat`, with the datasets of ids that .npz files have.

    Only data inside the file is read: no links to other files, no virtual or external datasets.
    Raises FormatError.
    """
    n_bytes = stream.seek(0, 2)
    try:
        with h5py.File(stream, "r") as file:
            id_names = next(
                (pair for pair in ID_NAMES if all(array in file for array in pair)), None
            )
            if id_names is None:
                message = "The HDF5 file holds no datasets row_ids and column_ids; add both."
                raise FormatError(name, None, "row_ids", message)
            rows, columns = (_ids(file, array, name) for array in id_names)
            matrix = _dataset(file, MATRIX, name)
            _check_matrix(matrix, (len(rows), len(columns)), n_bytes, name, limits)
            for start, values in _blocks(matrix):
                yield MatrixBlock(rows, columns, start, values)
    except FormatError:
        raise
    except _DAMAGED as error:
        raise FormatError(
            name, None, "", "The HDF5 file is damaged or cut short; write or upload it again."
        ) from error


def _dataset(file: h5py.File, array: str, name: str) -> h5py.Dataset:
    """A dataset at the file's top whose data is in this file."""
    link = file.get(array, getlink=True)
    if link is None:
        raise FormatError(
            name, None, array, f"The HDF5 file holds no dataset {array}; write it under this name."
        )
    dataset = file[array] if isinstance(link, h5py.HardLink) else None
    if not isinstance(dataset, h5py.Dataset) or dataset.is_virtual or dataset.external:
        raise FormatError(
            name,
            None,
            array,
            f"{array} is no dataset of this file itself; links are never followed.",
        )
    if dataset.compression not in FILTERS or dataset.id.get_create_plist().get_nfilters() > 4:
        message = (
            f"{array} is packed by {quoted(str(dataset.compression))}; use gzip or lzf, or none."
        )
        raise FormatError(name, None, array, message)
    if (
        dataset.chunks
        and int(np.prod(dataset.chunks, dtype=object)) * dataset.dtype.itemsize > MAX_CHUNK
    ):
        raise FormatError(
            name, None, array, f"{array} is stored in pieces of more than {MAX_CHUNK:,} bytes."
        )
    return dataset


def _ids(file: h5py.File, array: str, name: str) -> NDArray[np.bytes_]:
    dataset = _dataset(file, array, name)
    text = h5py.check_string_dtype(dataset.dtype)
    plain = dataset.dtype.kind in "Siu" and dataset.dtype.itemsize <= 4 * MAX_ID_BYTES
    if len(dataset.shape) != 1 or dataset.shape[0] > MAX_IDS or not (text or plain):
        message = (
            f"{array} is no list of ids: one axis of short texts or whole numbers, at most "
            f"{MAX_IDS:,}."
        )
        raise FormatError(name, None, array, message)
    return checked_ids(dataset[()].tolist(), array, name)


def _check_matrix(
    matrix: h5py.Dataset, expected: tuple[int, int], n_bytes: int, name: str, limits: Limits
) -> None:
    if matrix.shape != expected:
        message = (
            f"{MATRIX} is {matrix.shape}, but there are {expected[0]} row ids and {expected[1]} "
            "column ids."
        )
        raise FormatError(name, None, MATRIX, message)
    if matrix.dtype.kind != "f" or matrix.dtype.itemsize > 8:
        raise FormatError(
            name,
            None,
            MATRIX,
            f"{MATRIX} is {matrix.dtype}; write it as float16, float32 or float64.",
        )
    size = expected[0] * expected[1] * matrix.dtype.itemsize
    if size > limits.unpacked or size > max(limits.free, limits.ratio * n_bytes):
        raise FormatError(
            name, None, MATRIX, f"{MATRIX} takes {size:,} bytes, more than is accepted."
        )


def _blocks(matrix: h5py.Dataset) -> Iterator[tuple[int, NDArray[Any]]]:
    at_once = rows_at_once(matrix.shape[1])
    if matrix.chunks:  # whole stored pieces where memory allows it: none is unpacked twice
        pieces = max(1, at_once // matrix.chunks[0])
        at_once = max(1, min(pieces * matrix.chunks[0], MAX_CELLS // max(1, matrix.shape[1])))
    for start in range(0, matrix.shape[0], at_once):
        yield start, matrix[start : start + at_once]
