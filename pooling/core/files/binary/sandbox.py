"""Run files that only large C libraries can read, Parquet and HDF5, read in a process of its own.

Where that process ends, the file is damaged or made to do harm.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, Problems
from annotate.core.sandbox import sandboxed_output
from pooling.core.files.binary.matrices import MatrixBlock, RunPart
from pooling.core.files.text.runs import RunFile

PROCESS = f"{__package__}.sandbox_process"
PART, END = b"P", b"E"  # the process writes one before some columns, and before its last message
N_COLUMNS = {"parquet": 6, "hdf5": 4}
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "HDF5_PLUGIN_PRELOAD": "::",  # load no filters from elsewhere
}


def read_parquet_sandboxed(stream: BinaryIO, name: str, problems: Problems) -> Iterator[RunPart]:
    """The rows of a Parquet file; their faults are added to the problems.

    Raises FormatError where the file cannot be read.
    """
    for queries, query, docs, scores, ranks, line in _read_columns(
        "parquet", stream, name, problems
    ):
        yield RunPart(RunFile(queries, query, docs, scores, ranks, ""), line)


def read_hdf5_sandboxed(stream: BinaryIO, name: str, problems: Problems) -> Iterator[MatrixBlock]:
    """The matrix of an HDF5 file.

    Faults are added to the problems; raises FormatError if it cannot be read.
    """
    rows = columns = np.empty(0, dtype="S1")
    for new_rows, new_columns, start, values in _read_columns("hdf5", stream, name, problems):
        # they come with the first block
        rows, columns = (rows, columns) if len(rows) else (new_rows, new_columns)
        yield MatrixBlock(rows, columns, int(start[0]), values.reshape(-1, len(columns)))


def _read_columns(
    kind: str, stream: BinaryIO, name: str, problems: Problems
) -> Iterator[list[NDArray[Any]]]:
    """Columns as the process sends them, N_COLUMNS of them at a time."""
    with (
        _file_on_disk(stream) as file,
        sandboxed_output(
            PROCESS, arguments=[kind, name], file=file, environment=ENVIRONMENT
        ) as output,
    ):
        try:
            yield from _received_columns(output, N_COLUMNS[kind], name, problems)
        except (EOFError, ValueError) as error:
            message = (
                "The file is damaged, or takes too much memory or time to read; write it again."
            )
            raise FormatError(name, None, "", message) from error


@contextmanager
def _file_on_disk(stream: BinaryIO) -> Iterator[IO[bytes]]:
    """The file as one on disk, at its start; a copy if it lies in memory."""
    stream.seek(0)
    try:
        stream.fileno()
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield copy
    else:
        yield stream


def _received_columns(
    output: IO[bytes], n_columns: int, name: str, problems: Problems
) -> Iterator[list[NDArray[Any]]]:
    while (marker := output.read(1)) == PART:
        yield [_array(output) for _ in range(n_columns)]
    if marker != END:
        raise EOFError
    report = json.loads(output.read())
    for line, field, message in report["faults"]:
        problems.add(FormatError(name, line, field, message))
    problems.n += report["n"] - len(report["faults"])


def _array(output: IO[bytes]) -> NDArray[Any]:
    """One column: a line with its type and length, then its bytes."""
    kind, length = output.readline(100).decode().split()
    dtype = np.dtype(kind)
    data = output.read(dtype.itemsize * int(length))
    return np.frombuffer(data, dtype=dtype, count=int(length))
