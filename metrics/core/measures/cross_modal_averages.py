"""Averages of the cross-modal papers: the mean of both directions, and RSUM."""

from typing import NamedTuple

RSUM_DEPTHS = (1, 5, 10)


class BothDirections(NamedTuple):
    """One measure's mean over the queries of each direction; rows are the forward queries."""

    forward: float
    reverse: float

    @property
    def mean(self) -> float:
        """Mean of the two, as ECCV Caption's tables give it."""
        return (self.forward + self.reverse) / 2


def rsum_of(recalls: dict[str, BothDirections]) -> float:
    """RSUM from the means of C@1, C@5 and C@10, over all queries or over folds.

    ECCV Caption's is over COCO 1K.
    """
    return 100 * sum(sum(recalls[f"C@{k}"]) for k in RSUM_DEPTHS)
