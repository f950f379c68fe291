"""Swap rates against all pairs of disjoint sets, one after the other, and against other worlds."""

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest

from metrics.core.analyses.systems.swap_rates import (
    SwapRates,
    error_of_halves,
    swap_rates,
    width_of_bins,
)
from metrics.core.comparisons import swaps
from metrics.core.comparisons.swaps import SwapCurve
from metrics.core.statistics.intervals import Interval

# tenths, with a pair of runs that is level on some sets
SCORES = np.array(
    [
        [0.1, 0.2, 0.2],
        [0.4, 0.1, 0.3],
        [0.3, 0.3, 0.1],
        [0.9, 0.6, 0.7],
        [0.5, 0.5, 0.2],
        [0.2, 0.4, 0.1],
    ]
)


def sets(n: int, size: int) -> list[tuple[list[int], list[int]]]:
    """All ordered pairs of disjoint sets."""
    return [
        (list(first), list(second))
        for first in combinations(range(n), size)
        for second in combinations([t for t in range(n) if t not in first], size)
    ]


@pytest.mark.parametrize("size", [2, 3])
def test_rates_and_predictions_are_those_of_all_pairs_of_sets(size):
    ours = swap_rates(SCORES, size=size, n_trials=20_000)
    width = ours.curve.edges[1]
    swapped, predicted = defaultdict(list), defaultdict(list)
    for first, second in sets(6, size):
        for i, j in combinations(range(3), 2):
            x, y = SCORES[:, i], SCORES[:, j]
            d, e = (round((x[topics] - y[topics]).mean(), 9) for topics in (first, second))
            number = int(abs(d) / width + 1e-9)
            swapped[number].append(0.5 if d * e == 0 else float(d * e < 0))
            predicted[number].append(swaps.reversal(x[first], y[first]))
    everything = [value for values in swapped.values() for value in values]
    assert ours.overall == pytest.approx(np.mean(everything), abs=0.02)
    # in binary a difference may fall to the other side of an edge: rates over wide bins
    for low, high in ((0, 6), (6, 12), (12, 40)):
        bins = [b for b in range(low, min(high, len(ours.curve.pairs))) if ours.curve.pairs[b]]
        expected = [value for b in range(low, high) for value in swapped[b]]
        rate = ours.curve.swaps[bins].sum() / ours.curve.pairs[bins].sum()
        assert rate == pytest.approx(np.mean(expected), abs=0.03)
    expected = np.mean([value for values in predicted.values() for value in values])
    weight = np.nan_to_num(ours.predicted) @ ours.curve.pairs / ours.curve.pairs.sum()
    assert weight == pytest.approx(expected, abs=0.05)


def test_the_same_values_have_the_same_rates_in_any_order_of_the_topics():
    first, second = (swap_rates(s, size=2, n_trials=50) for s in (SCORES, SCORES[::-1]))
    assert first.overall == second.overall
    assert first.errors.tolist() == pytest.approx(second.errors.tolist(), nan_ok=True)


def test_the_standard_error_is_that_of_drawing_other_topics():
    """Of 60 worlds of 40 topics the spread of the rates, and the mean of what each tells of it."""
    rng = np.random.default_rng(3)
    worlds = [
        swap_rates(0.3 * rng.normal(size=(40, 6)) + np.linspace(0, 0.25, 6), size=15, n_trials=200)
        for _ in range(60)
    ]
    spread = np.std([world.overall for world in worlds], ddof=1)
    told = np.mean([(w.overall_interval.high - w.overall) / 1.96 for w in worlds])
    assert told == pytest.approx(spread, rel=0.35)


def test_the_bands_of_bins_hold_the_rate_of_many_worlds():
    """Of 40 worlds of 50 topics, 12 runs: nearly all bands hold the rate of 400 worlds together."""
    rng = np.random.default_rng(3)

    def world() -> np.ndarray:
        return 0.3 * rng.normal(size=(50, 12)) + np.linspace(0, 0.25, 12)

    worlds = [swap_rates(world(), size=12) for _ in range(40)]
    pairs, swapped = np.zeros(12), np.zeros(12)
    for _ in range(400):
        curve = swaps.swap_curve(world(), n_queries=12, rng=rng, n_trials=30, width=0.01)
        pairs, swapped = pairs + curve.pairs[:12], swapped + curve.swaps[:12]
    truth = swapped / pairs
    holds = [[w.band(b).low <= truth[b] <= w.band(b).high for w in worlds] for b in range(12)]
    assert np.mean(holds) >= 0.93
    # and are no wider than that takes
    errors = np.mean([w.errors[:12] for w in worlds], axis=0)
    spread = np.std([w.curve.rate[:12] for w in worlds], axis=0)
    assert (errors < 2.5 * spread).all() and (errors[5:] < 1.5 * spread[5:]).all()


def test_halves_whose_covariance_is_below_zero_have_an_error():
    rates = np.array([[0.1, 0.2, 0.3, 0.2], [0.3, 0.2, 0.1, 0.3]])
    assert np.cov(rates)[0, 1] < 0
    variance = np.cov(rates)
    doubt = (variance[0, 0] * variance[1, 1] + variance[0, 1] ** 2) / 3
    assert error_of_halves(rates) == pytest.approx(doubt**0.25)
    assert error_of_halves(np.full((2, 5), 0.4)) == 0


def test_a_constant_lead_is_never_swapped_and_equal_runs_half_of_the_time():
    rng = np.random.default_rng(1)
    x = rng.random((20, 1))
    lead = swap_rates(np.hstack([x, x + 0.25]), size=10, n_trials=100)
    assert lead.overall == 0 and lead.overall_interval == Interval(0, 0)
    assert np.nanmax(lead.predicted) < 1e-9
    level = swap_rates(np.hstack([x, x]), size=10, n_trials=100)
    assert level.overall == 0.5 and level.predicted[0] == 0.5


def test_bins_of_few_comparisons_do_not_move_the_edge():
    curve = SwapCurve(
        np.array([0, 0.01, 0.02, 0.03, 0.04]),
        np.array([500, 400, 300, 5]),
        np.array([200, 19, 9, 4]),
    )
    ours = SwapRates(10, 9, curve, np.full(4, 0.02), np.zeros(4), 0.2, Interval(0.1, 0.3))
    assert ours.low_from(0.05, fewest=100) == 0.01
    assert ours.low_from(0.03, fewest=100) == 0.02
    assert ours.low_from(0.05, fewest=1) is None
    assert ours.band(2) == pytest.approx((0, 0.03 + 1.959963984540054 * 0.02))


def test_two_sets_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        swap_rates(SCORES, size=4)


@pytest.mark.parametrize("scale", [1e-14, 1e-2])
def test_small_scores_have_the_bins_of_large_ones_on_their_scale(scale):
    leads = np.array([0, 0.03, 0.1, 0.14])
    table = np.round(0.05 * np.random.default_rng(2).random((20, 4)) + leads, 3)
    ours, scaled = (width_of_bins(s * table) for s in (1, scale))
    assert ours == 0.01 and scaled == pytest.approx(scale * ours)
    edges = swap_rates(scale * table, size=10, n_trials=50).curve.edges
    assert edges[:4] == pytest.approx(scale * np.array([0, 0.01, 0.02, 0.03]))


def test_bins_are_no_narrower_than_differences_on_halves_of_the_topics_want():
    rng = np.random.default_rng(2)
    level = rng.random((40, 3)) - 0.5
    level, leads = level - level.mean(axis=0), np.array([0, 0.001, 0.002])
    assert width_of_bins(level + leads) == 0.01
    topics = rng.random((40, 1)) / 10
    assert width_of_bins(topics + leads) == 0.0002
    # a thousand bins hold all differences that there could be
    assert width_of_bins(9 * topics + leads) == 0.001
    assert width_of_bins(np.full((4, 2), 0.5)) == 0.01
