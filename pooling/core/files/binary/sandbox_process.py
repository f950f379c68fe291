"""The process that reads one Parquet or HDF5 file from its standard input and writes arrays.

Its memory is limited once everything is imported, its time from the start. See `sandbox`.
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, Problems
from annotate.core.sandbox import limit_memory, limit_seconds
from pooling.core.files.binary.hdf5 import read_hdf5
from pooling.core.files.binary.parquet import read_parquet
from pooling.core.files.binary.sandbox import END, PART

MEMORY = 256 * 1024 * 1024  # bytes, beyond what the libraries take
SECONDS = 1_800


def main() -> None:
    """Read the file from standard input; the arguments are its kind and its name."""
    kind, name = sys.argv[1:]
    limit_memory(MEMORY)
    limit_seconds(SECONDS)
    problems = Problems()
    with os.fdopen(0, "rb") as stream, os.fdopen(1, "wb") as output:
        try:
            for columns in KINDS[kind](stream, name, problems):
                output.write(PART)
                for column in columns:
                    output.write(f"{column.dtype.str} {len(column)}\n".encode())
                    output.write(
                        np.ascontiguousarray(column).data.cast("B") if len(column) else b""
                    )
        except FormatError as error:
            problems.add(error)
        output.write(END)
        faults = [(error.line, error.field, error.message) for error in problems.errors]
        output.write(json.dumps({"faults": faults, "n": problems.n}).encode())


Columns = tuple[NDArray[Any], ...]


def _parquet(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Columns]:
    for part in read_parquet(stream, name, problems):
        yield *part.run[:5], part.line


def _hdf5(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Columns]:
    for block in read_hdf5(stream, name):
        ids = (
            (block.rows, block.columns) if not block.start else (block.rows[:0], block.columns[:0])
        )
        yield *ids, np.array([block.start]), block.values.reshape(-1)


KINDS = {"parquet": _parquet, "hdf5": _hdf5}

if __name__ == "__main__":
    main()
