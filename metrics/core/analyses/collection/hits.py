"""Two runs on queries in bins, by length or similarity of text: both right, one, neither."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from metrics.core.analyses.bins import bins_of
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals
from metrics.core.statistics.rank_correlations import RankCorrelation, spearman_with_interval

N_BINS, N_TENTHS = 8, 10
HIT_KINDS = ("both", "first", "second", "neither")


class RunHits(NamedTuple):
    """The hits of two runs on Q queries, by the labels of one source.

    name : the source in words; first, second : (Q,) True where the run has a hit
    """

    name: str
    first: NDArray[np.bool_]
    second: NDArray[np.bool_]

    @property
    def kinds(self) -> NDArray[np.bool_]:
        """(4, Q) True at the kind of each query, in the order of HIT_KINDS."""
        first, second = self.first, self.second
        return np.stack([first & second, first & ~second, ~first & second, ~first & ~second])

    @property
    def lead(self) -> NDArray[np.int64]:
        """(Q,) 1 where the first run alone is right, -1 where the second alone is, 0 elsewhere."""
        return self.first.astype(np.int64) - self.second


class HitShare(NamedTuple):
    """The share of a bin's queries of one kind, and its 95 % interval."""

    share: float
    n: int
    interval: Interval


class BinHits(NamedTuple):
    """The hits on n queries of one bin: a share for each of HIT_KINDS."""

    n: int
    shares: list[HitShare]


class SourceHits(NamedTuple):
    """Hits by one label source: of each bin, None where it is empty, and of all queries."""

    name: str
    by_bin: list[BinHits | None]
    whole: BinHits


class HitCorrelation(NamedTuple):
    """Rank correlations of a quantity of the queries with the hits of one run on them.

    kendall : tau-b; None where one of the two does not vary
    """

    spearman: RankCorrelation
    kendall: float | None


class BinnedHits(NamedTuple):
    """The bins in words and by their ends, and the hits in them by each label source.

    edges : the last one of an open bin is None
    gains : by each source, Spearman's correlation with the lead of the first run over the second
    correlations : by each source those of the first and the second run; empty for lengths
    """

    labels: list[str]
    edges: list[tuple[float, float | None]]
    sources: list[SourceHits]
    gains: list[RankCorrelation]
    correlations: list[tuple[HitCorrelation, HitCorrelation]] = []


def hits_by_length(
    n_characters: NDArray[np.int64], hits: Sequence[RunHits], *, groups: Groups
) -> BinnedHits:
    """Count where both runs are right, one of them, or neither, by the length of the text.

    n_characters : (Q,) 1 or more, of at least one query; groups : of the Q queries
    Shares have the queries' weights, and intervals are by groups (see `mean_intervals`): of other
    queries like these; so is Spearman's correlation of the length with the first run's lead.
    FIRE (Rodriguez et al. 2022), Figure 3, where right is Correct@k.
    """
    bins = bins_of(n_characters, n_bins=N_BINS, least=1)
    edges: list[tuple[float, float | None]] = [*bins.edges]
    number = bins.number(n_characters)
    by_source = _by_source(number, len(edges), hits, groups)
    return BinnedHits(bins.labels, edges, by_source, _gains(n_characters, hits, groups))


def hits_by_similarity(
    similarity: NDArray[np.float64], hits: Sequence[RunHits], *, groups: Groups
) -> BinnedHits:
    """Count the same by the similarity of the text to training texts, in ten bins, and correlate.

    similarity : (Q,) from 0 to 1, of at least one query; a border belongs to the bin above it
    FIRE (Rodriguez et al. 2022), Figure 8.
    """
    number = np.minimum(np.floor(similarity * N_TENTHS).astype(np.int64), N_TENTHS - 1)
    edges: list[tuple[float, float | None]] = [
        (tenth / N_TENTHS, (tenth + 1) / N_TENTHS) for tenth in range(N_TENTHS)
    ]
    labels = [f"{low:.1f} to {high:.1f}" for low, high in edges]
    correlations = [
        (
            hit_correlation(similarity, source.first, groups=groups),
            hit_correlation(similarity, source.second, groups=groups),
        )
        for source in hits
    ]
    by_source = _by_source(number, N_TENTHS, hits, groups)
    return BinnedHits(labels, edges, by_source, _gains(similarity, hits, groups), correlations)


def hit_correlation(
    values: NDArray[np.float64], hits: NDArray[np.bool_], *, groups: Groups
) -> HitCorrelation:
    """Correlate a number of each of Q queries with whether a run has a hit on it.

    values : (Q,) finite; hits : (Q,). Spearman's rho has an interval by groups and the weights of
    the queries, Kendall's tau-b neither. A hit is 0 or 1: then tau-b is 2 sqrt(S / Q / D) times the
    unweighted rho, with S the sum of squares of the ranks of the values about their mean, and D the
    number of pairs of queries whose values differ, so the one interval tells of both.
    """
    tau = float(stats.kendalltau(values, hits).statistic) if len(values) > 1 else np.nan
    spearman = spearman_with_interval(values, hits, groups=groups)
    return HitCorrelation(spearman, None if np.isnan(tau) else tau)


def _gains(
    values: NDArray[np.int64] | NDArray[np.float64], hits: Sequence[RunHits], groups: Groups
) -> list[RankCorrelation]:
    """Correlate a number of each query with the lead of the first run, by each source."""
    return [spearman_with_interval(values, source.lead, groups=groups) for source in hits]


def _by_source(
    number: NDArray[np.int64], n_bins: int, hits: Sequence[RunHits], groups: Groups
) -> list[SourceHits]:
    """Hits on the queries by (Q,) the number of the bin of each."""
    is_in_bin = [number == bin_number for bin_number in range(n_bins)]
    everything = np.ones(len(number), dtype=bool)
    return [
        SourceHits(
            source_hits.name,
            [
                _bin_hits(source_hits, is_included, groups) if is_included.any() else None
                for is_included in is_in_bin
            ],
            _bin_hits(source_hits, everything, groups),
        )
        for source_hits in hits
    ]


def _bin_hits(source_hits: RunHits, is_included: NDArray[np.bool_], groups: Groups) -> BinHits:
    """The hits on some of the queries, at least one."""
    kinds = source_hits.kinds[:, is_included]
    bin_groups = groups.within(is_included)
    values = kinds.astype(np.float64)
    intervals = (
        mean_intervals(values, are_shares=True, groups=bin_groups)
        if kinds.shape[1] > 1
        else [NO_INTERVAL] * len(HIT_KINDS)
    )
    means = bin_groups.mean(values.T).tolist()
    counts = kinds.sum(axis=1).tolist()
    rows = zip(means, counts, intervals, strict=True)
    return BinHits(kinds.shape[1], [HitShare(*row) for row in rows])
