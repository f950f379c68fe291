"""Two runs on queries in bins, by length or similarity of text: both right, one, neither."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.bins import bins_of
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals

N_BINS, N_TENTHS = 8, 10
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


class BinOutcomes(NamedTuple):
    """The outcomes of n queries of one bin: a share for each of OUTCOMES."""

    n: int
    shares: list[OutcomeShare]


class SourceOutcomes(NamedTuple):
    """Outcomes by one label source: of each bin, None where it is empty, and of all queries."""

    name: str
    by_bin: list[BinOutcomes | None]
    whole: BinOutcomes


class BinnedOutcomes(NamedTuple):
    """The bins in words, and the outcomes of the queries in them by each label source."""

    labels: list[str]
    sources: list[SourceOutcomes]


def outcomes_by_length(
    n_characters: NDArray[np.int64], hits: Sequence[RunHits], *, groups: Groups
) -> BinnedOutcomes:
    """Count where both runs are right, one of them, or neither, by the length of the text.

    n_characters : (Q,) 1 or more, of at least one query; groups : of the Q queries
    Shares have the queries' weights, and intervals are by groups (see `mean_intervals`): of other
    queries like these. FIRE (Rodriguez et al. 2022), Figure 3, where right is Correct@k.
    """
    bins = bins_of(n_characters, n_bins=N_BINS, least=1)
    return _outcomes(bins.number(n_characters), bins.labels, hits, groups)


def outcomes_by_similarity(
    similarity: NDArray[np.float64], hits: Sequence[RunHits], *, groups: Groups
) -> BinnedOutcomes:
    """Count the same by the similarity of the text to training texts, in ten bins.

    similarity : (Q,) from 0 to 1, of at least one query; a border belongs to the bin above it
    FIRE (Rodriguez et al. 2022), Figure 8.
    """
    number = np.minimum(np.floor(similarity * N_TENTHS).astype(np.int64), N_TENTHS - 1)
    labels = [
        f"{tenth / N_TENTHS:.1f} to {(tenth + 1) / N_TENTHS:.1f}" for tenth in range(N_TENTHS)
    ]
    return _outcomes(number, labels, hits, groups)


def _outcomes(
    number: NDArray[np.int64], labels: list[str], hits: Sequence[RunHits], groups: Groups
) -> BinnedOutcomes:
    """Outcomes of the queries by (Q,) the number of the bin of each."""
    is_in_bin = [number == bin_number for bin_number in range(len(labels))]
    everything = np.ones(len(number), dtype=bool)
    sources = [
        SourceOutcomes(
            source_hits.name,
            [
                _bin_outcomes(source_hits, is_included, groups) if is_included.any() else None
                for is_included in is_in_bin
            ],
            _bin_outcomes(source_hits, everything, groups),
        )
        for source_hits in hits
    ]
    return BinnedOutcomes(labels, sources)


def _bin_outcomes(
    source_hits: RunHits, is_included: NDArray[np.bool_], groups: Groups
) -> BinOutcomes:
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
    return BinOutcomes(outcomes.shape[1], [OutcomeShare(*row) for row in rows])
