"""Drawing without replacement: equally likely sets, survey sampling's variance, plain numpy."""

import tracemalloc
from collections import Counter
from math import comb

import numpy as np
import pytest
from scipy import stats

from metrics.core.statistics import without_replacement
from metrics.core.statistics.without_replacement import subset_errors

SHAPES = {
    "all different": lambda rng: rng.beta(0.7, 0.9, 2000),
    "few values": lambda rng: rng.choice([0.0, 0.2, 1.0], 2000),
    "skewed": lambda rng: rng.lognormal(0, 2, 2000),
}


@pytest.mark.parametrize("sizes", [[1], [2, 3], [3], [4], [1, 5, 6]])
def test_every_set_of_queries_is_equally_likely(sizes):
    """Of powers of 2 a sum names its set.

    Sizes are alone, nested, and above half, where the others are drawn.
    """
    scores = 2.0 ** np.arange(7)
    sampled_errors = subset_errors(scores, sizes, rng=np.random.default_rng(1), n_samples=70_000)
    for size, errors in zip(sizes, sampled_errors, strict=True):
        sums = np.rint((errors + scores.mean()) * size).astype(int)
        assert {bin(total).count("1") for total in set(sums.tolist())} == {size}
        n_draws = Counter(sums.tolist())
        assert len(n_draws) == comb(7, size)
        assert stats.chisquare(list(n_draws.values())).pvalue > 1e-3


@pytest.mark.parametrize("shape", SHAPES)
def test_errors_are_distributed_as_plain_numpys_with_the_variance_of_survey_sampling(shape):
    """(1 - N/Q) S^2 / N: Cochran 1977, section 2.6."""
    scores, rng = SHAPES[shape](np.random.default_rng(0)), np.random.default_rng(5)
    sizes = [30, 100, 700, 1200, 1970]
    sampled_errors = subset_errors(scores, sizes, rng=np.random.default_rng(1), n_samples=20_000)
    for size, errors in zip(sizes, sampled_errors, strict=True):
        expected = np.array(
            [scores[rng.choice(2000, size, replace=False)].mean() for _ in range(4000)]
        )
        assert (
            stats.ks_2samp(np.round(errors, 9), np.round(expected - scores.mean(), 9)).pvalue > 1e-3
        )
        spread = np.sqrt((1 - size / 2000) / size) * scores.std(ddof=1)
        assert errors.std() == pytest.approx(spread, rel=0.03)
        assert errors.mean() == pytest.approx(0, abs=5 * spread / np.sqrt(20_000))


@pytest.mark.parametrize("shape", SHAPES)
def test_all_queries_leave_nothing_to_chance(shape):
    scores = SHAPES[shape](np.random.default_rng(0))
    errors = subset_errors(scores, [2000, 1999], rng=np.random.default_rng(1), n_samples=50)
    assert (errors[0] == 0).all()
    assert (errors[1] != 0).any()
    assert subset_errors([0.3], [1], rng=np.random.default_rng(1), n_samples=2).tolist() == [
        [0.0, 0.0]
    ]


def test_samples_of_one_size_are_independent_of_one_another():
    scores = np.random.default_rng(0).random(500)
    for errors in subset_errors(
        scores, [20, 200, 400], rng=np.random.default_rng(1), n_samples=20_000
    ):
        assert abs(np.corrcoef(errors[1:], errors[:-1])[0, 1]) < 0.03


def test_samples_with_too_few_different_queries_are_drawn_again(monkeypatch):
    """Read only as far as half of the samples need, others come from further blocks, unbiased."""
    monkeypatch.setattr(without_replacement, "_length", lambda n, size: 4)
    scores = 2.0 ** np.arange(6)
    (errors,) = subset_errors(scores, [3], rng=np.random.default_rng(3), n_samples=60_000)
    n_draws = Counter(np.rint((errors + scores.mean()) * 3).astype(int).tolist())
    assert len(n_draws) == comb(6, 3)
    assert stats.chisquare(list(n_draws.values())).pvalue > 1e-3


def test_sizes_may_come_in_any_order_and_twice():
    scores = np.random.default_rng(0).random(50)
    errors = subset_errors(scores, [40, 7, 40], rng=np.random.default_rng(1), n_samples=20)
    other = subset_errors(scores, [7, 40], rng=np.random.default_rng(1), n_samples=20)
    assert errors.tolist() == other[[1, 0, 1]].tolist()
    assert subset_errors(scores, [], rng=np.random.default_rng(1)).shape == (0, 10_000)


def test_memory_does_not_grow_with_the_samples():
    scores = np.random.default_rng(0).random(5000)
    peaks = []
    for n_samples, size in ((100, 1000), (3000, 1000), (3000, 2500)):
        tracemalloc.start()
        subset_errors(scores, [size], rng=np.random.default_rng(0), n_samples=n_samples)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 4e6


@pytest.mark.parametrize(
    ("scores", "size", "message"),
    [
        ([0.5, 0.25], 0, "1 to 2"),
        ([0.5, 0.25], 3, "1 to 2"),
        ([], 1, "none missing"),
        ([0.5, np.nan], 1, "none missing"),
    ],
)
def test_what_cannot_be_drawn_is_refused(scores, size, message):
    with pytest.raises(ValueError, match=message):
        subset_errors(scores, [size], rng=np.random.default_rng(0))
