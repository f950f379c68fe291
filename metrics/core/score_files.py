"""Files of scores a query: what `evaluate --per-query` prints, or a number a line."""

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError
from annotate.core.reading import lines


def read_scores(stream: BinaryIO, *, name: str, measure: str | None = None) -> dict[str, float]:
    """Score by query, in the file's order; lines about "all" queries are left out.

    measure : which, where the file holds several. A file of bare numbers names its queries 1, 2, ...
    Raises FormatError.
    """
    found: dict[str, float] = {}
    seen: list[str] = []
    for number, text in lines(stream, name):
        fields = text.split()
        if not fields or (len(fields) == 3 and fields[1] == "all"):
            continue
        if len(fields) not in (1, 3):
            raise FormatError(name, number, "", f"expected measure, query and value, found {len(fields)} fields.")
        measured, query = (fields[0], fields[1]) if len(fields) == 3 else ("", str(number))
        if measure is None or measured in ("", measure):
            seen += [measured] if measured not in seen else []
            found[query] = _number(fields[-1], number, name)
        if len(seen) > 1:
            message = f"the file holds several measures ({', '.join(seen)}, ...); choose one."
            raise FormatError(name, number, "measure", message)
    if not found:
        raise FormatError(name, None, "", f"The file holds no scores{f' of {measure}' if measure else ''}.")
    return found


def paired(first: dict[str, float], second: dict[str, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores of the queries both have, in the first's order."""
    both = [query for query in first if query in second]
    return np.array([first[query] for query in both]), np.array([second[query] for query in both])


def _number(text: str, number: int, name: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise FormatError(name, number, "value", f'"{text}" is not a number.') from error
    if not np.isfinite(value):
        raise FormatError(name, number, "value", f'"{text}" is not a finite number.')
    return value
