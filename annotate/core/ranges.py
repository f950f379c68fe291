"""Which bytes of a file a browser asks for (RFC 9110, section 14)."""

import re
from typing import NamedTuple

_ONE_RANGE = re.compile(r"bytes=\s*(?P<first>\d{0,18})-(?P<last>\d{0,18})\s*", re.ASCII)


class Unsatisfiable(ValueError):
    """The range is well formed, but none of it lies in the file."""


class Range(NamedTuple):
    """The bytes from `first` to `last`, both included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        """How many bytes these are."""
        return self.last - self.first + 1


def parse_range(header: str, *, size: int) -> Range | None:
    """The one range a Range header asks for.

    size : the file's length in bytes
    Returns None where the header is to be ignored and the whole file sent: no range, several, one that ends before it
    starts, another unit, nonsense. Raises Unsatisfiable for a range past the end, or of no bytes.
    """
    asked = _ONE_RANGE.fullmatch(header)
    if asked is None or not (asked["first"] or asked["last"]):
        return None
    if not asked["first"]:
        length = min(int(asked["last"]), size)
        if length == 0:
            raise Unsatisfiable(header)
        return Range(size - length, size - 1)
    first = int(asked["first"])
    last = min(int(asked["last"]), size - 1) if asked["last"] else size - 1
    if asked["last"] and int(asked["last"]) < first:
        return None
    if first >= size:
        raise Unsatisfiable(header)
    return Range(first, last)
