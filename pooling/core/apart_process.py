"""The process that reads one Parquet or HDF5 file from its standard input and writes the rows as arrays.

Its memory is limited once everything is imported, its time from the start. See `apart`.
"""

import json
import os
import resource
import sys
from collections.abc import Iterator
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, Problems
from pooling.core.apart import END, PART
from pooling.core.hdf5 import read_hdf5
from pooling.core.matrices import Part
from pooling.core.parquet import read_parquet

MEMORY = 256 * 1024 * 1024  # bytes, beyond what the libraries take
SECONDS = 1_800


def main() -> None:
    """Read what the arguments name."""
    kind, name = sys.argv[1:]
    _limit()
    problems = Problems()
    with os.fdopen(0, "rb") as stream, os.fdopen(1, "wb") as out:
        try:
            for part in KINDS[kind](stream, name, problems):
                out.write(PART)
                _send(out, (*part.run[:5], part.line))
        except FormatError as error:
            problems.add(error)
        out.write(END)
        faults = [(error.line, error.field, error.message) for error in problems.errors]
        out.write(json.dumps({"faults": faults, "n": problems.n}).encode())


def _matrix(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Part]:
    return read_hdf5(stream, name)


def _send(out: IO[bytes], columns: tuple[NDArray[Any], ...]) -> None:
    for column in columns:
        out.write(f"{column.dtype.str} {len(column)}\n".encode())
        out.write(np.ascontiguousarray(column).data.cast("B") if len(column) else b"")


def _limit() -> None:
    with open("/proc/self/statm") as said:  # in pages; where there is no such file, there is no limit either
        taken = int(said.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


KINDS = {"parquet": read_parquet, "hdf5": _matrix}

if __name__ == "__main__":
    main()
