"""A stored similarity matrix: one .npy file, row by row, read some rows at a time.

Its columns stand in ascending order of their ids, so that of equal scores the later column comes
first: the canonical order, without the ids.
"""

import hashlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pooling.core.files.binary.matrices import MatrixBlock

CELLS_AT_ONCE = 2_000_000


class WrittenMatrix(NamedTuple):
    """A matrix in a file just written.

    rows, columns : (R,), (C,) ids as they stand in the file; n_absent : cells that are -inf, which
        is not retrieved
    """

    path: Path
    rows: NDArray[np.bytes_]
    columns: NDArray[np.bytes_]
    n_absent: int
    n_bytes: int
    sha256: str


class MatrixTooLarge(Exception):
    """The matrix takes more bytes, `n_bytes`, than there are left for it."""

    def __init__(self, n_bytes: int) -> None:
        super().__init__(n_bytes)
        self.n_bytes = n_bytes


class MatrixWriter:
    """Writes a matrix block by block into a file of its own in a folder.

    A file not moved is deleted after `with`.

    room : bytes that it may take; `add` raises MatrixTooLarge at the first block of one that takes
        more
    """

    def __init__(self, folder: Path, *, room: int) -> None:
        self._folder, self._room, self._n_absent = folder, room, 0
        self._file: IO[bytes] | None = None
        self._first: MatrixBlock | None = None
        self._order: NDArray[np.int64] | None = None
        self._digest = hashlib.sha256()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
            Path(self._file.name).unlink(missing_ok=True)

    def add(self, block: MatrixBlock) -> None:
        """Write the next rows."""
        if self._first is None:
            self._begin(block)
        values = block.values if self._order is None else block.values[:, self._order]
        self._n_absent += (
            int(np.count_nonzero(values == -np.inf)) if values.min(initial=0) == -np.inf else 0
        )
        self._write(
            np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).data.cast("B")
        )

    def finish(self) -> WrittenMatrix | None:
        """Return the written matrix; None if no block came: the file held no matrix."""
        if self._first is None or self._file is None:
            return None
        self._file.flush()
        rows, columns = self._first.rows, self._first.columns
        columns = columns if self._order is None else columns[self._order]
        path, size = Path(self._file.name), self._file.tell()
        return WrittenMatrix(path, rows, columns, self._n_absent, size, self._digest.hexdigest())

    def _begin(self, block: MatrixBlock) -> None:
        n_bytes = len(block.rows) * len(block.columns) * block.values.dtype.itemsize
        if n_bytes > self._room:
            raise MatrixTooLarge(n_bytes)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file = NamedTemporaryFile(dir=self._folder, prefix="writing-", delete=False)  # noqa: SIM115 - see exit
        self._first = block._replace(values=block.values[:0])
        order = np.argsort(block.columns)
        self._order = None if np.array_equal(order, np.arange(len(order))) else order
        shape = len(block.rows), len(block.columns)
        header = {
            "descr": block.values.dtype.newbyteorder("<").str,
            "fortran_order": False,
            "shape": shape,
        }
        head = BytesIO()
        np.lib.format.write_array_header_1_0(head, header)
        self._write(head.getbuffer())

    def _write(self, data: memoryview) -> None:
        assert self._file is not None, "there is a first block"  # noqa: S101
        self._digest.update(data)
        self._file.write(data)


def row_blocks(path: Path, rows: NDArray[np.int64]) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Blocks of some rows of a stored matrix: a slice of `rows`, and its (n, C) scores.

    rows : ascending indices. Mapped anew for each block, so that no more of the file than a block
        stands in the memory of the process.
    """
    n_columns = np.lib.format.open_memmap(path, mode="r").shape[1]
    step = max(1, CELLS_AT_ONCE // max(1, n_columns))
    for start in range(0, len(rows), step):
        block_rows = rows[start : start + step]
        memory_map = np.lib.format.open_memmap(path, mode="r")
        is_stretch = len(block_rows) == block_rows[-1] - block_rows[0] + 1
        yield (
            slice(start, start + len(block_rows)),
            np.array(
                memory_map[block_rows[0] : block_rows[-1] + 1]
                if is_stretch
                else memory_map[block_rows]
            ),
        )
        del memory_map
