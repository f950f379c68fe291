"""Unbiased sums over the pairs of a sampled pool, with their sampling error.

P@k, DCG@k, RBP and the number of positives are sums over pairs, so each judged pair represents 1 /
its chance (Horvitz & Thompson 1952, doi:10.1080/01621459.1952.10483446). Ratios of such sums, such
as AP, recall and nDCG, have no unbiased estimate: `inferred_measures` infers two of them. Pairs
outside the pools had no chance and count as irrelevant.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.inferred_measures import WeightedSample
from metrics.core.measures.ranking import PerQuery, total_by_query


class Estimates(NamedTuple):
    """A sum over the pairs of each query, estimated from those that are judged.

    value : (Q,) unbiased, so a value may lie outside the measure's range; 0 for a query of which
        nothing was drawn. NaN where a pair was drawn from a cell of which nothing is judged yet:
        not estimable
    variance : (Q,) of `value` over draws, the truth being fixed; NaN where it cannot be estimated
    variance_of_sum : of the sum of `value`; not the sum of the variances, since the judged pairs of
        a cell represent those of all queries
    """

    value: PerQuery
    variance: PerQuery
    variance_of_sum: float


class MeanEstimate(NamedTuple):
    """A mean over these very queries, and its standard error from the draw alone.

    For other queries an error is added, which shows in the spread of the queries' values. None
    where there is no query, or where a query has no estimate or no variance.
    """

    mean: float | None
    standard_error: float | None


class _Moments(NamedTuple):
    """(K,) moments of parts of the pairs: numbers drawn and judged, sum, squared deviations."""

    n_drawn: NDArray[np.float64]
    n_judged: NDArray[np.float64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]

    @property
    def spread(self) -> NDArray[np.float64]:
        """The judged pairs' variance, NaN for fewer than two."""
        result: NDArray[np.float64] = np.full(len(self.total), np.nan)
        return np.divide(self.squares, self.n_judged - 1, out=result, where=self.n_judged > 1)


def estimated_precision(sample: WeightedSample, *, k: int, threshold: float = 1) -> Estimates:
    """P@k of each query. The run's first k must lie within the pools."""
    return estimated_sum(sample, (sample.rank <= k) * _is_positive(sample, threshold) / k)


def estimated_dcg(sample: WeightedSample, *, k: int | None = None) -> Estimates:
    """DCG@k of each query: the sum of grade / log2(rank + 1), not divided by an ideal.

    No threshold applies.
    """
    is_inside = sample.rank <= (np.inf if k is None else k)
    return estimated_sum(sample, is_inside * np.maximum(sample.grade, 0) / np.log2(sample.rank + 1))


def estimated_rbp(sample: WeightedSample, *, p: float = 0.8, threshold: float = 1) -> Estimates:
    """RBP(p) of each query; documents beyond the pools of depth d would add p**d at most."""
    return estimated_sum(
        sample, _is_positive(sample, threshold) * (1 - p) * np.power(p, sample.rank - 1)
    )


def estimated_positives(sample: WeightedSample, *, threshold: float = 1) -> Estimates:
    """The number of positives of each query, in all of the pools: the same for every run."""
    return estimated_sum(sample, _is_positive(sample, threshold).astype(np.float64))


def estimated_mean(estimates: Estimates) -> MeanEstimate:
    """The mean over the queries. An interval for these queries is mean +- 1.96 standard errors."""
    n_queries = len(estimates.value)
    if not n_queries or np.isnan(estimates.value).any():
        return MeanEstimate(None, None)
    error = math.sqrt(estimates.variance_of_sum) / n_queries
    return MeanEstimate(float(estimates.value.mean()), None if math.isnan(error) else error)


def estimated_sum(sample: WeightedSample, amount: NDArray[np.float64]) -> Estimates:
    """The sum of `amount` over all pairs of the pools, for each query.

    amount : (L,) what each drawn pair adds, in the order of `sample.grade`; ignored where that is
        not judged

    Pairs that were drawn and are not judged are taken to be missing at random: the J judged pairs
    of a cell are a random part of its D drawn ones in all queries, so that the chance of a pair is
    that of its draw times J / D. Two errors add up:

    - the draw, of n pairs with chance p in a query and cell, as of a stratum without replacement: n
      (1 - p) s^2, s^2 being the variance of amount / p; that is N^2 (1 - f) s^2 / n of the amounts
      themselves where p = f = n / N. With fewer than two judged pairs s^2 is that of the cell in
      all queries, too large where they differ.
    - the J of D: D^2 (1 - J/D) s^2 / J, s^2 that of the cell in all queries, to which a query's own
      pairs contribute.

    A cell that was drawn and judged whole adds nothing. Pairs of overlapping pools, with 1 - (1 -
    p1)(1 - p2), are drawn in numbers that vary a little; simulated, the variance holds there too
    (docs/numbers.md, "Sampled pools"). Two-phase sampling: Sarndal, Swensson & Wretman 1992,
    chapter 9. Where everything drawn is judged the variance is Hajek's n / (n - 1) sum (1 - p) (z /
    p - B)^2 of each query and cell.
    """
    n_queries, n_cells = sample.n_queries, int(sample.cell.max(initial=0)) + 1
    is_judged = sample.grade >= 0
    weighted_amount = np.where(is_judged, amount, 0.0) / sample.chance
    part_keys, part = np.unique(sample.query * n_cells + sample.cell, return_inverse=True)
    query, cell = part_keys // n_cells, part_keys % n_cells
    parts = _moments(part, len(part_keys), is_judged, weighted_amount)
    cells = _moments(sample.cell, n_cells, is_judged, weighted_amount)
    chance = np.ones(len(part_keys))
    chance[part] = sample.chance
    spread = np.where(parts.n_judged > 1, parts.spread, cells.spread[cell])
    variance_of_draw = np.where(chance < 1, parts.n_drawn * (1 - chance) * spread, 0.0)
    per_judged = np.divide(
        cells.n_drawn, cells.n_judged, out=np.full(n_cells, np.nan), where=cells.n_judged > 0
    )
    factors_of_judging = _factors_of_judging(cells)
    # a query's pairs among all of the cell, the others counting as 0
    own_squares = parts.squares + parts.total**2 * (
        1 / np.maximum(parts.n_judged, 1) - 1 / np.maximum(cells.n_judged, 1)[cell]
    )
    variance = variance_of_draw + factors_of_judging[cell] * own_squares
    return Estimates(
        total_by_query(query, n_queries, parts.total * per_judged[cell]),
        total_by_query(query, n_queries, variance),
        float(variance_of_draw.sum() + (factors_of_judging * cells.squares).sum()),
    )


def _moments(
    part: NDArray[np.int64],
    n_parts: int,
    is_judged: NDArray[np.bool_],
    weighted_amount: NDArray[np.float64],
) -> _Moments:
    """Moments of each part; part : (L,) 0 to n_parts - 1.

    weighted_amount : (L,) 0 where a pair is not judged.
    """
    n_judged = total_by_query(part[is_judged], n_parts)
    total = total_by_query(part, n_parts, weighted_amount)
    deviation = np.where(is_judged, weighted_amount - (total / np.maximum(n_judged, 1))[part], 0.0)
    return _Moments(
        total_by_query(part, n_parts), n_judged, total, total_by_query(part, n_parts, deviation**2)
    )


def _factors_of_judging(cells: _Moments) -> NDArray[np.float64]:
    """(C,) D^2 (1 - J/D) / (J (J - 1)): 0 where all are judged, NaN where less than two are."""
    n_drawn, n_judged = cells.n_drawn, cells.n_judged
    factors: NDArray[np.float64] = np.where(n_drawn == n_judged, 0.0, np.nan)
    return np.divide(
        n_drawn * (n_drawn - n_judged),
        n_judged * (n_judged - 1),
        out=factors,
        where=(n_judged > 1) & (n_drawn > n_judged),
    )


def _is_positive(sample: WeightedSample, threshold: float) -> NDArray[np.bool_]:
    return sample.grade >= max(threshold, 0)
