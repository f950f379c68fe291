"""Two runs by the length of the query's text: both right, one, the other, neither."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.bins import Bins, bins_of
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals

N_BINS = 8
OUTCOMES = ("both", "first", "second", "neither")


class RunHits(NamedTuple):
    """The hits of two runs on Q queries, by the labels of one source.

    name : the source in words; first, second : (Q,) True where the run has a hit
    """

    name: str
    first: NDArray[np.bool_]
    second: NDArray[np.bool_]

    @property
    def outcomes(self) -> NDArray[np.bool_]:
        """(4, Q) True at the outcome of each query, in the order of OUTCOMES."""
        first, second = self.first, self.second
        return np.stack([first & second, first & ~second, ~first & second, ~first & ~second])


class OutcomeShare(NamedTuple):
    """The share of a bin's queries with one outcome, and its 95 % interval."""

    share: float
    n: int
    interval: Interval


class LengthOutcomes(NamedTuple):
    """The outcomes of n queries of one bin of lengths: a share for each of OUTCOMES."""

    n: int
    shares: list[OutcomeShare]


class SourceOutcomes(NamedTuple):
    """Outcomes by one label source: of each bin of lengths, None where it is empty, and of all."""

    name: str
    by_length: list[LengthOutcomes | None]
    whole: LengthOutcomes


class OutcomesByLength(NamedTuple):
    """The bins of the lengths of texts, and the outcomes in them by each label source."""

    bins: Bins
    sources: list[SourceOutcomes]


def outcomes_by_length(
    n_characters: NDArray[np.int64], hits: Sequence[RunHits], *, groups: Groups
) -> OutcomesByLength:
    """Count where both runs are right, one of them, or neither, by the length of the text.

    n_characters : (Q,) 1 or more, of at least one query; groups : of the Q queries
    Shares have the queries' weights, and intervals are by groups (see `mean_intervals`): of other
    queries like these. FIRE (Rodriguez et al. 2022), Figure 3, where right is Correct@k.
    """
    bins = bins_of(n_characters, n_bins=N_BINS, least=1)
    number = bins.number(n_characters)
    everything = np.ones(len(number), dtype=bool)
    sources = [
        SourceOutcomes(
            source_hits.name,
            [
                _outcomes(source_hits, number == bin_number, groups)
                if np.any(number == bin_number)
                else None
                for bin_number in range(len(bins.start))
            ],
            _outcomes(source_hits, everything, groups),
        )
        for source_hits in hits
    ]
    return OutcomesByLength(bins, sources)


def _outcomes(
    source_hits: RunHits, is_included: NDArray[np.bool_], groups: Groups
) -> LengthOutcomes:
    """The outcomes of some of the queries, at least one."""
    outcomes = source_hits.outcomes[:, is_included]
    bin_groups = groups.within(is_included)
    values = outcomes.astype(np.float64)
    intervals = (
        mean_intervals(values, are_shares=True, groups=bin_groups)
        if outcomes.shape[1] > 1
        else [NO_INTERVAL] * len(OUTCOMES)
    )
    means = bin_groups.mean(values.T).tolist()
    counts = outcomes.sum(axis=1).tolist()
    rows = zip(means, counts, intervals, strict=True)
    return LengthOutcomes(outcomes.shape[1], [OutcomeShare(*row) for row in rows])
