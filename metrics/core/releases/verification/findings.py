"""The findings of a verification: what came out right, every fault, and what nobody can check."""

import gzip
import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError
from annotate.core.files.text_files import DAMAGED_ZIP
from metrics.core.statistics.rounding import OF_SUMS, rounding_of_sums

MOST_A_FILE = 10  # faults of one file that are told one by one
CUT_SHORT = (EOFError, gzip.BadGzipFile, zlib.error)
# OverflowError: a moment or a number beyond all bounds
UNREADABLE = (FormatError, pa.ArrowException, OverflowError, *DAMAGED_ZIP)
Number: TypeAlias = float | None


class Findings:
    """Collects what a verification finds.

    faults : the first of each file; n_faults : all of them
    results : sentences on what came out right; unchecked : on what the files do not tell
    report : is told what is looked at, for those who wait
    """

    def __init__(self, report: Callable[[str], None] = lambda text: None) -> None:
        self.faults: list[FormatError] = []
        self.n_faults = 0
        self.n_numbers = 0  # of manifest.json that were compared
        self.results: list[str] = []
        self.unchecked: list[str] = []
        self.report = report
        self._counts: Counter[str] = Counter()
        self._told: defaultdict[str, set[tuple[int | None, str]]] = defaultdict(set)

    def add(self, file: str, message: str, *, line: int | None = None) -> None:
        """Add a fault of a file, told once; message : the fact, without the place."""
        if (line, message) in self._told[file]:
            return
        self.n_faults += 1
        self._counts[file] += 1
        if self._counts[file] <= MOST_A_FILE:
            self._told[file].add((line, message))
            self.faults.append(FormatError(file, line, "", message))

    @property
    def sentences(self) -> list[str]:
        """The faults with their files, and how many of a file are left out."""
        sentences = [f"{fault.file}: {fault}" for fault in self.faults]
        more = [
            f"{file}: and {n - MOST_A_FILE:,} more."
            for file, n in self._counts.items()
            if n > MOST_A_FILE
        ]
        return sentences + more

    @contextmanager
    def reading(self, file: str) -> Iterator[None]:
        """Read a file; one that cannot be read is a fault, and the verification goes on."""
        self.report(f"Reading {file}")
        try:
            yield
        except FormatError as error:
            self.add(error.file, error.message, line=error.line)
        except CUT_SHORT:
            self.add(file, "The packed file is damaged or cut short.")
        except UNREADABLE as error:
            reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
            self.add(file, f"It cannot be read: {reason}.")

    def compare(self, name: str, manifest_number: Number, number: Number, origin: str) -> None:
        """Compare a number of manifest.json with what the files give.

        manifest_number : under this name; number : by the files; origin : those files
        """
        self.n_numbers += 1
        if not are_equal(manifest_number, number):
            self.add(
                "manifest.json",
                f"{name} is {shown(manifest_number)}, and {origin} gives {shown(number)}.",
            )


def are_equal(number: Number, other: Number) -> bool:
    """True if rounding alone can take two numbers apart, or neither is defined."""
    if is_undefined(number) or is_undefined(other):
        return is_undefined(number) and is_undefined(other)
    if number == other or not np.isfinite(pair := np.array([number, other], np.float64)).all():
        return number == other
    return bool(abs(pair[0] - pair[1]) <= rounding_of_sums(pair))


def unequal_rows(
    numbers: NDArray[np.float64], other_numbers: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The rows in which two columns differ by more than rounding; NaN is as NaN."""
    is_equal = (numbers == other_numbers) | (np.isnan(numbers) & np.isnan(other_numbers))
    rows = np.flatnonzero(~is_equal)
    first, second = numbers[rows], other_numbers[rows]
    is_finite = np.isfinite(first) & np.isfinite(second)
    difference = np.abs(np.subtract(first, second, where=is_finite, out=np.full(len(rows), np.inf)))
    most = OF_SUMS * np.maximum(np.abs(first), np.abs(second))
    return rows[~(is_finite & (difference <= most))]


def is_undefined(number: Number) -> bool:
    """True if there is no number."""
    return number is None or math.isnan(number)


def shown(number: Number) -> str:
    """A number for people, with all its digits."""
    if number is None or is_undefined(number):
        return "undefined"
    return f"{number:,}" if isinstance(number, int) else repr(float(number))
