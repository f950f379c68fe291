"""The byte range of a file that a browser requests (RFC 9110, section 14)."""

import re
from typing import NamedTuple

_ONE_RANGE = re.compile(r"bytes=\s*(?P<first>\d{0,18})-(?P<last>\d{0,18})\s*", re.ASCII)


class UnsatisfiableRange(ValueError):
    """The range is well formed, but none of it lies in the file."""


class Range(NamedTuple):
    """The bytes from `first` to `last`, both included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        """The number of bytes."""
        return self.last - self.first + 1


def parse_range(header: str, *, size: int) -> Range | None:
    """The one range that a Range header requests.

    size : the file's length in bytes
    Returns None where the header is ignored and the whole file sent: no range, several, one that
    ends before it starts, another unit, nonsense. Raises UnsatisfiableRange for a range past the
    end, or of no bytes.
    """
    match = _ONE_RANGE.fullmatch(header)
    if match is None or not (match["first"] or match["last"]):
        return None
    if not match["first"]:
        length = min(int(match["last"]), size)
        if length == 0:
            raise UnsatisfiableRange(header)
        return Range(size - length, size - 1)
    first = int(match["first"])
    last = min(int(match["last"]), size - 1) if match["last"] else size - 1
    if match["last"] and int(match["last"]) < first:
        return None
    if first >= size:
        raise UnsatisfiableRange(header)
    return Range(first, last)
