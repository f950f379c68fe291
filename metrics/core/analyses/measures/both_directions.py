"""Averages of a system in both directions, the mean of the two, RSUM, and means over folds."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.core.analyses.measures.run_orders import RunMean
from metrics.core.measures.cross_modal_averages import RSUM_DEPTHS, BothDirections, rsum_of


class DirectionMeans(NamedTuple):
    """A system's averages by one measure over the queries of each direction.

    mean : of the two, each direction counting as much; None where one of them is not defined
    """

    forward: RunMean
    reverse: RunMean
    mean: float | None

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """The average and the ends of its interval, forward and reverse, and the mean."""
        forward, reverse = self.forward, self.reverse
        return forward.value, *forward.interval, reverse.value, *reverse.interval, self.mean


class SystemMeans(NamedTuple):
    """A system's averages by M measures, and its RSUM.

    rsum : None where C@1, C@5 and C@10 of both directions are not all there
    """

    by_measure: list[DirectionMeans]
    rsum: float | None


class FoldMean(NamedTuple):
    """The mean of an average over folds, each fold counting as much, and its ends over them.

    All None where the average is not defined in a fold.
    """

    value: float | None
    smallest: float | None
    largest: float | None


class FoldMeans(NamedTuple):
    """Means over folds by one measure; mean : of both directions."""

    forward: FoldMean
    reverse: FoldMean
    mean: float | None

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """The mean over folds and its ends, forward and reverse, and the mean of both."""
        return *self.forward, *self.reverse, self.mean


class SystemFolds(NamedTuple):
    """A system's means over folds by M measures, and its RSUM from those; None as above."""

    by_measure: list[FoldMeans]
    rsum: float | None


def system_means(
    names: Sequence[str], forward: Sequence[RunMean], reverse: Sequence[RunMean]
) -> SystemMeans:
    """Join a system's averages of both directions.

    names, forward, reverse : (M,) measures and the averages by them, in [0, 1] for RSUM
    RSUM is 100 times the sum of C@1, C@5 and C@10 of both directions, 600 at most. Chun et al.,
    ECCV Caption (ECCV 2022), Tables 4, D.2 and D.3.
    """
    defined_means, rows = {}, []
    for name, forth, back in zip(names, forward, reverse, strict=True):
        mean = None
        if forth.value is not None and back.value is not None:
            defined_means[name] = BothDirections(forth.value, back.value)
            mean = defined_means[name].mean
        rows.append(DirectionMeans(forth, back, mean))
    return SystemMeans(rows, _rsum(defined_means))


def fold_means(names: Sequence[str], folds: Sequence[SystemMeans]) -> SystemFolds:
    """Average a system's means over folds, one or more, as COCO 1K does over five.

    names : (M,) measures of each fold's means
    """
    defined_means, rows = {}, []
    for number, name in enumerate(names):
        forward = _over_folds([fold.by_measure[number].forward.value for fold in folds])
        reverse = _over_folds([fold.by_measure[number].reverse.value for fold in folds])
        mean = None
        if forward.value is not None and reverse.value is not None:
            defined_means[name] = BothDirections(forward.value, reverse.value)
            mean = defined_means[name].mean
        rows.append(FoldMeans(forward, reverse, mean))
    return SystemFolds(rows, _rsum(defined_means))


def _over_folds(values: Sequence[float | None]) -> FoldMean:
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return FoldMean(None, None, None)
    return FoldMean(sum(numbers) / len(numbers), min(numbers), max(numbers))


def _rsum(means: dict[str, BothDirections]) -> float | None:
    if any(f"C@{k}" not in means for k in RSUM_DEPTHS):
        return None
    return rsum_of(means)
