"""Ids of many items in eight bytes each: which came twice, and which never came."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class IdDigests:
    """Digests of the ids of one side, in the order in which they came.

    Equal ids have equal digests in one process; of two others that have, those who ask look at
    the ids themselves.
    """

    def __init__(self) -> None:
        self._digests = array("q")
        self._sorted: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self._digests)

    def add(self, item_id: str) -> None:
        """Keep the digest of an id."""
        self._digests.append(hash(item_id))
        self._sorted = None

    def contain(self, ids: Sequence[str]) -> NDArray[np.bool_]:
        """True for each id that was added; by mistake once in 10^19 / n."""
        digests = self._in_order()
        wanted_digests = np.fromiter(map(hash, ids), np.int64, len(ids))
        positions = np.searchsorted(digests, wanted_digests)
        is_there = positions < len(digests)
        is_there[is_there] = digests[positions[is_there]] == wanted_digests[is_there]
        return is_there

    def repeated_digests(self) -> set[int]:
        """The digests that came more than once."""
        digests = self._in_order()
        return set(digests[1:][digests[1:] == digests[:-1]].tolist())

    def _in_order(self) -> NDArray[np.int64]:
        if self._sorted is None:
            self._sorted = np.sort(np.array(self._digests, np.int64))
        return self._sorted
