"""Sets of whole numbers as arrays, by sorting.

`np.unique` and what stands on it (`setdiff1d`, `isin` where the numbers lie far apart) hash whole
numbers since NumPy 2.3: of half a million that takes a second, and to sort them a fiftieth of it.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.integer)


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """(m,) the numbers, ascending, each once."""
    ascending = np.sort(numbers, axis=None)
    return ascending[is_first(ascending)]


def is_first(ascending: NDArray[Number]) -> NDArray[np.bool_]:
    """(n,) whether each of sorted numbers differs from the one before it."""
    first = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def is_among(numbers: NDArray[Number], members: NDArray[Number]) -> NDArray[np.bool_]:
    """(n,) whether each number is one of the members."""
    if not len(members):
        return np.zeros(len(numbers), dtype=bool)
    ascending = np.sort(members)
    position = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[position] == numbers)


def difference(numbers: NDArray[Number], members: NDArray[Number]) -> NDArray[Number]:
    """(m,) the numbers that are no members, ascending, each once."""
    ascending = distinct(numbers)
    return ascending[~is_among(ascending, members)]
