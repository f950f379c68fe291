"""Drawing with replacement, against plain numpy, the closed form, and exact sums."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from metrics.core.statistics.resampling import draw_indices, on_grid, resampled_means
from tests.sizes import cases

SIZES = (30, 100, 700)


def plainly(scores, size, n_samples, seed):
    rng = np.random.default_rng(seed)  # a thousand samples at a time: all at once would take 200 MB
    return np.concatenate(
        [
            scores[rng.integers(0, len(scores), (1_000, size))].mean(axis=1)
            for _ in range(n_samples // 1_000)
        ]
    )


@pytest.mark.parametrize("n", [1, 2, 3, 7, 255, 256, 27_763, 65_536, 65_537, 3_000_000])
def test_every_place_is_drawn_equally_often_wherever_it_stands(n):
    """Digits of one number lie far apart.

    Each digit alone, and neighbours together, must be uniform.
    """
    indices = draw_indices(n, 240_000, rng=np.random.default_rng(n))
    assert (len(indices), indices.min() >= 0, indices.max() < n) == (240_000, True, True)
    if n == 1:
        return
    cells = min(n, 64)
    for part in np.split(indices * cells // n, 8):
        expected = np.diff(-(-np.arange(cells + 1) * n // cells)) / n * len(part)
        assert stats.chisquare(np.bincount(part, minlength=cells), expected).pvalue > 1e-5
    half = indices >= -(-n // 2)
    for lag in (1, 30_000, 60_000, 80_000, 120_000):
        assert abs(np.corrcoef(half[:-lag], half[lag:])[0, 1]) < 0.015


@cases(60)
@given(st.integers(1, 2**62), st.integers(1, 50), st.integers(0, 2**32))
def test_any_number_of_places_can_be_drawn_from_any_number(n, size, seed):
    indices = draw_indices(n, size, rng=np.random.default_rng(seed))
    assert len(indices) == size
    assert 0 <= indices.min() <= indices.max() < n


@pytest.mark.parametrize("shape", ["all different", "few values", "skewed"])
def test_means_of_every_size_are_distributed_as_plain_numpys(shape):
    rng = np.random.default_rng(0)
    scores = {
        "all different": rng.beta(0.7, 0.9, 2000),
        "few values": rng.choice([0.0, 0.2, 1.0], 2000),
        "skewed": rng.lognormal(0, 2, 2000),
    }[shape]
    resampled = resampled_means(scores, SIZES, rng=np.random.default_rng(1), n_samples=20_000)
    for size, means in zip(SIZES, resampled, strict=True):
        expected = plainly(scores, size, 20_000, seed=size)
        assert stats.ks_2samp(np.round(means, 9), np.round(expected, 9)).pvalue > 1e-3
        levels = [0.025, 0.25, 0.5, 0.75, 0.975]
        spread = scores.std() / np.sqrt(size)
        assert np.quantile(means, levels) == pytest.approx(
            np.quantile(expected, levels), abs=0.1 * spread
        )
        assert means.std() == pytest.approx(spread, rel=0.03)
        assert means.mean() == pytest.approx(scores.mean(), abs=5 * spread / np.sqrt(20_000))


def test_samples_of_one_size_are_independent_and_larger_ones_hold_the_smaller():
    """Means of nested samples correlate as the root of the ratio of their sizes.

    Successive samples do not.
    """
    scores = np.random.default_rng(0).random(500)
    small, large = resampled_means(
        scores, [100, 400], rng=np.random.default_rng(1), n_samples=20_000
    )
    assert np.corrcoef(small, large)[0, 1] == pytest.approx(0.5, abs=0.02)
    for means in (small, large):
        assert abs(np.corrcoef(means[1:], means[:-1])[0, 1]) < 0.03


def test_sizes_may_come_in_any_order_and_twice():
    scores = np.random.default_rng(0).random(50)
    means = resampled_means(scores, [40, 7, 40], rng=np.random.default_rng(1), n_samples=20)
    other = resampled_means(scores, [7, 40], rng=np.random.default_rng(1), n_samples=20)
    assert means.tolist() == other[[1, 0, 1]].tolist()
    assert resampled_means(scores, [], rng=np.random.default_rng(1)).shape == (0, 10_000)


def test_a_seed_gives_these_very_numbers_on_every_machine():
    scores = np.arange(1, 8) / 7
    means = resampled_means(scores, [5, 9], rng=np.random.default_rng(20), n_samples=2)
    assert means.tolist() == [
        [0.5428571428571445, 0.3142857142857153],
        [0.4920634920634931, 0.4920634920634915],
    ]


@cases(200)
@given(
    arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e300, 1e300)),
    st.integers(1, 10_000),
    st.integers(0, 2**32),
)
def test_sums_of_values_on_the_grid_are_exact_in_any_order(values, n_added, seed):
    grid = on_grid(values, n_added)
    largest = np.abs(values).max()
    assert np.abs(grid - values).max() <= max(n_added * largest * 2.0**-50, 5e-324)
    chosen = np.random.default_rng(seed).choice(grid, min(n_added, 300))
    assert chosen.sum() == math.fsum(chosen) == np.add.reduce(chosen[::-1])
    assert n_added * np.abs(grid).max() == math.fsum([np.abs(grid).max()] * n_added)


def test_each_row_has_a_grid_of_its_own():
    rows = np.array([[0.1, 0.3], [1e9, 1 / 3]])
    assert on_grid(rows, 1000)[0].tolist() == on_grid(rows[0], 1000).tolist()
    assert on_grid(np.zeros((2, 3)), 5).tolist() == np.zeros((2, 3)).tolist()


def test_memory_does_not_grow_with_the_samples():
    scores = np.random.default_rng(0).random(5000)
    peaks = []
    for n_samples, size in ((100, 1000), (3000, 1000), (3, 300_000)):
        tracemalloc.start()
        resampled_means(scores, [size], rng=np.random.default_rng(0), n_samples=n_samples)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 3e6


@pytest.mark.parametrize("sizes", [[0], [10, -1]])
def test_a_sample_of_nothing_is_refused(sizes):
    with pytest.raises(ValueError, match="at least one query"):
        resampled_means([0.5, 0.25], sizes, rng=np.random.default_rng(0))
