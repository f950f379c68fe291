"""What is asked for in addresses."""

from typing import NamedTuple

from pooling.models import Run


class WantedPairs(NamedTuple):
    """Which pairs of a pool to show.

    state : a PairState, "" for all; run : only pairs it brought; query : only those of this query's id
    after : only pairs with larger keys: where the page before ended
    """

    state: str = ""
    run: Run | None = None
    query: str = ""
    after: int = 0
