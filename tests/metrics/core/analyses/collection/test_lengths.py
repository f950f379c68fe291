"""Positives by length: against statsmodels' Poisson regression, SciPy, and a recount."""

from collections import Counter

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.collection.lengths import (
    LengthPositives,
    PositivesByLength,
    positives_by_length,
)
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from metrics.core.statistics.rank_correlations import spearman_with_interval
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

QUERIES = st.lists(
    st.tuples(st.integers(1, 12) | st.integers(1, 90), st.integers(0, 5) | st.integers(0, 60)),
    min_size=1,
    max_size=90,
)
N = 240
LENGTHS = recounts.lengths(5, N)
POSITIVES = np.random.default_rng(6).poisson(30 / (LENGTHS + 4))
SINGLE = np.arange(N)
# some with no text at either end, some with texts at both
GROUPED = np.random.default_rng(7).integers(0, 60, N)
WEIGHT = np.random.default_rng(8).integers(1, 4, N)


def by_length(n_words, n_positive, groups: Groups | None = None) -> PositivesByLength:
    n_words, n_positive = (np.array(x, dtype=np.int64) for x in (n_words, n_positive))
    return positives_by_length(
        LengthPositives(n_words, n_positive, groups or Groups.single(len(n_words)))
    )


def poisson_interval(group: np.ndarray, copies: np.ndarray) -> tuple[float, float]:
    """statsmodels' interval of the ratio of both fifths of POSITIVES, each query some times there.

    Its t has the degrees of freedom of the end with fewer groups, where statsmodels takes all.

    Beside G / (G - 1) of the groups its variance has (n - 1) / (n - 2) of the n rows, which goes.
    """
    short, long = recounts.fifths(LENGTHS.tolist())
    ends = np.repeat([*short, *long], copies[[*short, *long]])
    is_short = np.isin(ends, short).astype(float)
    fit = sm.GLM(POSITIVES[ends], sm.add_constant(is_short), family=sm.families.Poisson()).fit(
        cov_type="cluster", cov_kwds={"groups": group[ends]}, use_t=True, tol=1e-13
    )
    n, n_groups = len(ends), min(len(set(group[end])) for end in (short, long))
    error = fit.bse[1] * np.sqrt((n - 2) / (n - 1))
    half = stats.t.ppf(0.975, n_groups - 1) * error
    low, high = np.exp(fit.params[1] + np.array([-half, half]))
    return float(low), float(high)


@pytest.mark.parametrize("group", [SINGLE, GROUPED], ids=["single", "grouped"])
@pytest.mark.parametrize("weight", [np.ones(N, dtype=int), WEIGHT], ids=["plain", "unequal"])
def test_the_interval_of_the_ratio_is_that_of_statsmodels_clustered_poisson_regression(
    group, weight
):
    ours = by_length(LENGTHS, POSITIVES, Groups.of(group, weight=weight.astype(float)))
    expected = poisson_interval(group, weight)
    assert ours.interval == pytest.approx(expected, rel=1e-7)
    assert ours.interval.low < ours.ratio < ours.interval.high
    assert ours.ratio == pytest.approx(np.sqrt(expected[0] * expected[1]), rel=1e-7)


def test_groups_at_neither_end_do_not_count():
    short, long = recounts.fifths(LENGTHS.tolist())
    at_ends = np.isin(SINGLE, [*short, *long])
    assert len(set(GROUPED[at_ends])) < len(set(GROUPED))
    ours = by_length(LENGTHS, POSITIVES, Groups.of(GROUPED))
    among = np.where(at_ends, GROUPED, 1_000 + SINGLE)
    assert by_length(LENGTHS, POSITIVES, Groups.of(among)).interval == pytest.approx(
        ours.interval, rel=1e-12
    )


@cases(300)
@given(QUERIES)
def test_cells_are_those_of_a_recount(queries):
    n_words, n_positive = (list(column) for column in zip(*queries, strict=True))
    ours = by_length(n_words, n_positive)
    of_lengths = recounts.bin_edges(n_words, n_bins=40, least=1)
    of_positives = recounts.bin_edges(n_positive, n_bins=30, least=0)
    assert ours.lengths.labels == [recounts.label(edge) for edge in of_lengths]
    assert ours.positives.labels == [recounts.label(edge) for edge in of_positives]
    counts = Counter(
        (row, column)
        for length, number in queries
        for row, edge in enumerate(of_lengths)
        for column, other in enumerate(of_positives)
        if recounts.holds(edge, length) and recounts.holds(other, number)
    )
    assert ours.cells.shape == (len(of_lengths), len(of_positives))
    assert {tuple(map(int, at)): int(ours.cells[tuple(at)]) for at in np.argwhere(ours.cells)} == (
        counts
    )
    assert ours.cells.sum() == len(queries)


@cases(300)
@given(QUERIES)
def test_fifths_and_their_ratio_are_those_of_a_recount(queries):
    n_words, n_positive = (list(column) for column in zip(*queries, strict=True))
    ours, fifths = by_length(n_words, n_positive), recounts.fifths(n_words)
    if fifths is None:
        assert (ours.short, ours.long, ours.ratio) == (None, None, None)
        assert ours.interval == NO_INTERVAL
        return
    means = []
    for fifth, positions in zip((ours.short, ours.long), fifths, strict=True):
        lengths = [n_words[q] for q in positions]
        means.append(sum(n_positive[q] for q in positions) / len(positions))
        assert (fifth.shortest, fifth.longest) == (min(lengths), max(lengths))
        assert fifth.n_queries == len(positions)
        assert fifth.mean == pytest.approx(means[-1], abs=1e-12)
    if 0 in means:
        assert (ours.ratio, ours.interval) == (None, NO_INTERVAL)
    else:
        assert ours.ratio == pytest.approx(means[0] / means[1], rel=1e-12)


def test_weights_enter_the_means_of_the_fifths_and_their_ratio_alone():
    groups = Groups.of(GROUPED, weight=WEIGHT.astype(float))
    ours, plain = by_length(LENGTHS, POSITIVES, groups), by_length(LENGTHS, POSITIVES)
    means = []
    for fifth, other, positions in zip(
        (ours.short, ours.long),
        (plain.short, plain.long),
        recounts.fifths(LENGTHS.tolist()),
        strict=True,
    ):
        at = POSITIVES[positions].tolist(), WEIGHT[positions].tolist()
        means.append(recounts.weighted_mean(*at))
        assert fifth.mean == pytest.approx(means[-1], abs=1e-12)
        assert fifth == other._replace(mean=fifth.mean)
    assert ours.ratio == pytest.approx(means[0] / means[1], rel=1e-12)
    assert ours.ratio != pytest.approx(plain.ratio, rel=1e-3)
    assert (ours.cells == plain.cells).all()


def test_texts_of_the_length_at_the_border_belong_to_the_fifth():
    """Of ten the second shortest and the second longest are at the borders: 2 and 8 words."""
    ours = by_length([1, 2, 2, 2, 3, 4, 5, 8, 8, 9], [6, 0, 3, 3, 9, 9, 9, 1, 0, 2])
    assert ours.short == (1, 2, 4, 3.0)
    assert ours.long == (8, 9, 3, 1.0)
    assert ours.ratio == 3.0


@pytest.mark.parametrize(("n", "n_queries"), [(2, 1), (5, 1), (6, 2), (9, 2), (10, 2), (11, 3)])
def test_a_fifth_has_no_fewer_than_a_fifth_of_the_texts(n, n_queries):
    ours = by_length(range(1, n + 1), [1] * n)
    assert (ours.short.n_queries, ours.long.n_queries) == (n_queries, n_queries)


@pytest.mark.parametrize("n_words", [[7], [7] * 30, [1, *[7] * 28, 9]])
def test_where_most_texts_have_one_length_there_are_no_fifths(n_words):
    ours = by_length(n_words, [1] * len(n_words))
    assert (ours.short, ours.long, ours.ratio) == (None, None, None)
    assert ours.interval == NO_INTERVAL


@pytest.mark.parametrize("end", ["short", "long"])
def test_without_positives_at_an_end_there_is_no_ratio(end):
    fifths = dict(zip(("short", "long"), recounts.fifths(LENGTHS.tolist()), strict=True))
    positives = 1 + POSITIVES
    positives[fifths[end]] = 0
    ours = by_length(LENGTHS, positives)
    assert getattr(ours, end).mean == 0
    assert (ours.ratio, ours.interval) == (None, NO_INTERVAL)


def test_a_single_group_at_the_ends_or_few_that_decide_leave_a_ratio_without_interval():
    short, long = recounts.fifths(LENGTHS.tolist())
    at_ends = np.where(np.isin(SINGLE, [*short, *long]), 1_000, SINGLE)
    few = np.where(SINGLE % 5, SINGLE % 2, 1_000 + SINGLE)
    for keys in (np.zeros(N), at_ends, few):
        ours = by_length(LENGTHS, POSITIVES, Groups.of(keys))
        assert ours.ratio == by_length(LENGTHS, POSITIVES).ratio
        assert ours.interval == NO_INTERVAL


@pytest.mark.parametrize("n_words", [[2, 5, 9], [9, 5, 2]])
@pytest.mark.parametrize("n_groups", [1, 2])
def test_an_end_of_a_single_group_has_no_interval_though_no_group_decides_everything(
    n_words, n_groups
):
    """Its numbers add up to its own mean: nothing shows its spread, and rounding alone is left."""
    keys = np.array([*[0] * 8, *[1] * 24, *[2] * 4, *[1 + n_groups] * 4])
    n_words, n_positive = np.repeat(n_words, [8, 24, 8]), np.arange(40) % 3
    assert not Groups.of(keys[n_words != 5]).is_lopsided
    assert by_length(n_words, n_positive, Groups.of(keys)).interval == NO_INTERVAL
    keys[:4] = 4
    has_interval = by_length(n_words, n_positive, Groups.of(keys)).interval != NO_INTERVAL
    assert has_interval == (n_groups == 2)


def test_where_the_numbers_of_each_end_are_equal_there_is_no_interval_whatever_the_weights():
    short, _ = recounts.fifths(LENGTHS.tolist())
    positives = np.where(np.isin(SINGLE, short), 7, 3)
    for seed in range(20):
        weight = np.random.default_rng(seed).random(N) + 0.1
        ours = by_length(LENGTHS, positives, Groups.of(GROUPED, weight=weight))
        assert ours.ratio == pytest.approx(7 / 3, rel=1e-12)
        assert ours.interval == NO_INTERVAL


def test_the_correlation_is_that_of_length_and_positives():
    groups = Groups.of(GROUPED)
    ours = by_length(LENGTHS, POSITIVES, groups).correlation
    assert ours == spearman_with_interval(LENGTHS, POSITIVES, groups=groups)
    assert ours.value == pytest.approx(stats.spearmanr(LENGTHS, POSITIVES).statistic, abs=1e-12)
    assert ours.value < -0.3
