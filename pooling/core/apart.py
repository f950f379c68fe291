"""Run files that only large C libraries can read, Parquet and HDF5: read in a process of its own.

A file made to do harm may crash such a library, or let it take all memory or time: then that process ends, and the
reader learns that the file is damaged. The process has no settings, no database and no network of ours.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, Problems
from pooling.core.matrices import Block, Part
from pooling.core.runs import RunFile

ROOT = Path(__file__).resolve().parents[2]
PART, END = b"P", b"E"  # what the process says before some columns, and before its last word
N_COLUMNS = {"parquet": 6, "hdf5": 4}
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",  # a heap a thread reserves far more addresses than it uses
    "HDF5_PLUGIN_PRELOAD": "::",  # load no filters from elsewhere
}


def parquet_apart(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Part]:
    """The rows of a Parquet file; what is wrong with them goes to the problems.

    Raises FormatError where the file cannot be read.
    """
    for queries, query, docs, scores, ranks, line in _read_apart("parquet", stream, name, problems):
        yield Part(RunFile(queries, query, docs, scores, ranks, ""), line)


def hdf5_apart(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Block]:
    """The matrix of an HDF5 file. What is wrong goes to the problems; raises FormatError where it cannot be read."""
    rows = columns = np.empty(0, dtype="S1")
    for new_rows, new_columns, start, values in _read_apart("hdf5", stream, name, problems):
        rows, columns = (rows, columns) if len(rows) else (new_rows, new_columns)  # they come with the first block
        yield Block(rows, columns, int(start[0]), values.reshape(-1, len(columns)))


def _read_apart(kind: str, stream: BinaryIO, name: str, problems: Problems) -> Iterator[list[NDArray[Any]]]:
    """Columns as the process sends them, so many together as N_COLUMNS says."""
    with _on_disk(stream) as file, _process(kind, name, file) as process:
        try:
            yield from _received(process, N_COLUMNS[kind], name, problems)
        except (EOFError, ValueError) as error:
            message = "The file is damaged, or takes too much memory or time to read; write it again."
            raise FormatError(name, None, "", message) from error


@contextmanager
def _on_disk(stream: BinaryIO) -> Iterator[IO[bytes]]:
    """The file as one the system knows, at its start; a copy where it lies in memory."""
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


@contextmanager
def _process(kind: str, name: str, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """What the reading process says; it is ended when nobody listens any more."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pooling.core.apart_process", kind, name],
        cwd=ROOT,
        env={"PATH": os.environ.get("PATH", "")} | ENVIRONMENT,
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None, "asked for above"  # noqa: S101
        yield process.stdout
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def _received(said: IO[bytes], n_columns: int, name: str, problems: Problems) -> Iterator[list[NDArray[Any]]]:
    while (word := said.read(1)) == PART:
        yield [_array(said) for _ in range(n_columns)]
    if word != END:
        raise EOFError
    last = json.loads(said.read())
    for line, field, message in last["faults"]:
        problems.add(FormatError(name, line, field, message))
    problems.n += last["n"] - len(last["faults"])


def _array(said: IO[bytes]) -> NDArray[Any]:
    """One column: a line with its type and length, then its bytes."""
    kind, length = said.readline(100).decode().split()
    dtype = np.dtype(kind)
    data = said.read(dtype.itemsize * int(length))
    return np.frombuffer(data, dtype=dtype, count=int(length))
