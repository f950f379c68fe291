"""Mutates a Parquet or HDF5 file many times and reads each: rows or a FormatError, always.

Arguments: the kind, a sample's path, how many, and which to begin with. Prints a line before and
after each file; the test begins anew behind a file that ended the process, since in the product
that ends a process of its own as well.
"""

import io
import random
import sys
from pathlib import Path

import numpy as np

from annotate.core.files.formats import FormatError, Problems
from annotate.core.sandbox import limit_memory, limit_seconds
from pooling.core.files.binary.hdf5 import read_hdf5
from pooling.core.files.binary.matrices import keep_best
from pooling.core.files.binary.parquet import read_parquet
from pooling.core.files.binary.sandbox_process import MEMORY, SECONDS
from tests.mutations import accident

READERS = {
    "parquet": read_parquet,
    "hdf5": lambda stream, name, _: keep_best(read_hdf5(stream, name), name),
}


def outcome(kind: str, data: bytes) -> str:
    """The outcome of reading the file."""
    problems, n_rows = Problems(), 0
    try:
        for part in READERS[kind](io.BytesIO(data), "upload.bin", problems):
            n_rows += len(part.run.scores)
            assert np.isfinite(part.run.scores).all()
            assert (
                len(part.run.query) == len(part.run.docs) == len(part.run.scores) == len(part.line)
            )
    except FormatError as error:
        assert str(error)
        return "refused"
    return "faults" if problems else "rows" if n_rows else "empty"


def main() -> None:
    """Read as many mutations as the arguments say."""
    kind, path, n, first = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    limit_memory(MEMORY)
    limit_seconds(SECONDS)
    sample = path.read_bytes()
    for number in range(first, n):
        chance = random.Random(number)
        data = sample
        for _ in range(chance.randrange(1, 4)):
            data = accident(data, [sample], chance)
        print(number, flush=True)
        print(outcome(kind, data), flush=True)


if __name__ == "__main__":
    main()
