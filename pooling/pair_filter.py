"""Filters that addresses ask for."""

from typing import NamedTuple

from pooling.models import Run


class PairFilter(NamedTuple):
    """A filter of the pairs of a pool.

    state : a PairState, "" for all; run : only pairs it brought; query : only those of this query's
        id
    after : only pairs with larger keys: the last key of the page before
    """

    state: str = ""
    run: Run | None = None
    query: str = ""
    after: int = 0
