"""Positives of a query by the length of its text: shorter texts, being more general, have more."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.analyses.bins import Bins, bins_of
from metrics.core.statistics.groups import Groups, are_lopsided
from metrics.core.statistics.intervals import NO_INTERVAL, NO_SPREAD, Interval
from metrics.core.statistics.rank_correlations import RankCorrelation, spearman_with_interval
from metrics.core.statistics.resampling import on_grid

FIFTH = 0.2
N_LENGTHS, N_POSITIVES = 40, 30  # bins of the map at most
N_EXAMPLES, N_ELIGIBLE = 5, 100


class LengthPositives(NamedTuple):
    """The lengths of the texts of Q queries, and their positives.

    n_words : (Q,) 1 or more; n_positive : (Q,) 0 or more; groups : of the Q queries
    """

    n_words: NDArray[np.int64]
    n_positive: NDArray[np.int64]
    groups: Groups


class LengthFifth(NamedTuple):
    """The shortest or the longest fifth of the texts, with all texts of the length at its border.

    shortest, longest : numbers of words; n_queries : 1 or more; mean : positives of a query
    """

    shortest: int
    longest: int
    n_queries: int
    mean: float


class PositivesByLength(NamedTuple):
    """Queries counted by length and positives, and what the one says of the other.

    cells : (L, P) queries of each bin of lengths and of positives
    median : number of words
    short, long : the fifths at both ends; None where they overlap
    ratio : mean of the short over that of the long; None where either has no positive
    interval : of the ratio at 95 %, for other queries like these
    correlation : Spearman's of length and positives
    """

    lengths: Bins
    positives: Bins
    cells: NDArray[np.int64]
    median: float
    short: LengthFifth | None
    long: LengthFifth | None
    ratio: float | None
    interval: Interval
    correlation: RankCorrelation


def positives_by_length(inputs: LengthPositives) -> PositivesByLength:
    """Relate the positives of at least one query to the length of its text.

    FIRE (Rodriguez et al. 2022), Figure 2: a density map of both on a logarithmic scale.
    The interval of the ratio is Student's on the logarithm, with the variance of its linearisation
    over groups: that of a Poisson regression with one indicator and clustered errors, as
    statsmodels' GLM(family=Poisson()).fit(cov_type="cluster") gives it, and as many degrees of
    freedom as the end with fewer groups has groups, less one. There is none for a single group at
    either end, whose spread nothing shows, for groups of which a few decide everything,
    and where neither end has numbers that differ.
    """
    n_words, n_positive, groups = inputs
    lengths = bins_of(n_words, n_bins=N_LENGTHS, least=1)
    positives = bins_of(n_positive, n_bins=N_POSITIVES, least=0)
    shape = (len(lengths.start), len(positives.start))
    cell = lengths.number(n_words) * shape[1] + positives.number(n_positive)
    # masks of the shortest and the longest fifth, ties at the border within
    ascending_lengths, n_fifth = np.sort(n_words), int(np.ceil(FIFTH * len(n_words)))
    is_short = n_words <= ascending_lengths[n_fifth - 1]
    is_long = n_words >= ascending_lengths[-n_fifth]
    short = long = ratio = None
    interval = NO_INTERVAL
    if not np.any(is_short & is_long):
        short, long = (_fifth(inputs, is_end) for is_end in (is_short, is_long))
        if short.mean > 0 and long.mean > 0:
            ratio = short.mean / long.mean
            interval = _ratio_interval(inputs, is_short, is_long)
    return PositivesByLength(
        lengths=lengths,
        positives=positives,
        cells=np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape),
        median=float(np.median(n_words)),
        short=short,
        long=long,
        ratio=ratio,
        interval=interval,
        correlation=spearman_with_interval(n_words, n_positive, groups=groups),
    )


def _fifth(inputs: LengthPositives, is_end: NDArray[np.bool_]) -> LengthFifth:
    n_words, n_positive = inputs.n_words[is_end], inputs.n_positive[is_end]
    mean = inputs.groups.within(is_end).mean(n_positive.astype(np.float64))
    return LengthFifth(int(n_words.min()), int(n_words.max()), len(n_words), float(mean))


def _ratio_interval(
    inputs: LengthPositives, is_short: NDArray[np.bool_], is_long: NDArray[np.bool_]
) -> Interval:
    """Student's interval of the logarithm of the ratio, over the groups of both ends."""
    is_end = is_short | is_long
    groups = inputs.groups.within(is_end)
    fewest = min(inputs.groups.within(end).n for end in (is_short, is_long))
    if fewest < 2 or are_lopsided(groups.n, groups.n_effective):
        return NO_INTERVAL
    n_positive, is_short = inputs.n_positive[is_end].astype(np.float64), is_short[is_end]
    weight = np.ones(len(n_positive)) if groups.weight is None else groups.weight
    mass = np.where(is_short, weight[is_short].sum(), weight[~is_short].sum())
    mean = np.where(
        is_short,
        np.average(n_positive[is_short], weights=weight[is_short]),
        np.average(n_positive[~is_short], weights=weight[~is_short]),
    )
    # what each query adds to the logarithm of its end's mean, to first order
    effect = np.where(is_short, 1, -1) * weight * (n_positive - mean) / (mass * mean)
    sums = groups.add_by_group(on_grid(effect, groups.n_queries))
    variance = groups.n / (groups.n - 1) * float(np.square(sums).sum())
    if not variance > NO_SPREAD**2:
        return NO_INTERVAL
    ratio = float(mean[is_short][0] / mean[~is_short][0])
    half = float(special.stdtrit(fewest - 1, 0.975)) * variance**0.5
    return Interval(float(ratio * np.exp(-half)), float(ratio * np.exp(half)))


class LengthExamples(NamedTuple):
    """Positions of texts among Q, drawn from the shortest, those about the median, the longest."""

    shortest: list[int]
    median: list[int]
    longest: list[int]


def length_examples(n_words: NDArray[np.int64], *, rng: np.random.Generator) -> LengthExamples:
    """Draw up to five texts each from the hundred shortest, most median and longest ones.

    n_words : (Q,), at least one; positions come in the order of their lengths, none twice in a part
    Of fewer than three hundred texts each part is drawn from a third of them.
    FIRE (Rodriguez et al. 2022), Tables 5 and 6.
    """
    # of texts of one length any may come first
    order = np.lexsort((rng.random(len(n_words)), n_words))
    count = min(N_ELIGIBLE, max(1, len(order) // 3))
    middle = (len(order) - count) // 2

    def drawn_positions(eligible: NDArray[np.int64]) -> list[int]:
        places = rng.choice(len(eligible), min(N_EXAMPLES, len(eligible)), replace=False)
        positions: list[int] = eligible[np.sort(places)].tolist()
        return positions

    return LengthExamples(
        drawn_positions(order[:count]),
        drawn_positions(order[middle : middle + count]),
        drawn_positions(order[len(order) - count :]),
    )
