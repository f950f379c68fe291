"""Hits by similarity are those of a recount in tenths."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.collection.hits import (
    HIT_KINDS,
    RunHits,
    hit_correlation,
    hits_by_similarity,
)
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from tests.sizes import cases

RNG = np.random.default_rng(8)
SIMILARITY = np.concatenate([RNG.random(300), np.arange(11) / 10])
SOURCE = RunHits("labels", RNG.random(311) < 0.6, RNG.random(311) < 0.4)
NAMES = {(True, True): "both", (True, False): "first", (False, True): "second"}


def tenth(similarity: float) -> int:
    """The tenth that holds a number; a border is in the upper one, but for the last."""
    return min(int(Fraction(similarity) * 10 + Fraction(1, 10**12)), 9)


def test_hits_are_those_of_a_recount_in_tenths():
    ours = hits_by_similarity(SIMILARITY, [SOURCE], groups=Groups.single(311))
    assert ours.labels[0] == "0.0 to 0.1" and ours.labels[-1] == "0.9 to 1.0"
    (source,) = ours.sources
    rows = list(zip(SIMILARITY.tolist(), SOURCE.first, SOURCE.second, strict=True))
    for number, bin_hits in enumerate(source.by_bin):
        in_bin = [NAMES.get((a, b), "neither") for s, a, b in rows if tenth(s) == number]
        assert bin_hits.n == len(in_bin)
        assert [share.n for share in bin_hits.shares] == [in_bin.count(name) for name in HIT_KINDS]
    assert source.whole.n == 311


def test_empty_tenths_have_no_shares():
    source = RunHits("labels", np.array([True, True]), np.array([True, False]))
    ours = hits_by_similarity(np.array([0.0, 1.0]), [source], groups=Groups.single(2))
    (source_hits,) = ours.sources
    assert [row and row.n for row in source_hits.by_bin] == [1, *[None] * 8, 1]
    assert source_hits.by_bin[-1].shares[1].share == pytest.approx(1)


def tau_b(pairs: list[tuple[float, bool]]) -> float | None:
    """Kendall's tau-b by its definition: concordant less discordant pairs over those untied."""
    signs = [
        (np.sign(a - c), np.sign(int(b) - int(d))) for (a, b), (c, d) in combinations(pairs, 2)
    ]
    untied = [sum(sign[side] != 0 for sign in signs) for side in (0, 1)]
    if not all(untied):
        return None
    return sum(a * b for a, b in signs) / (untied[0] * untied[1]) ** 0.5


@cases(200)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=40))
def test_correlations_with_hits_are_scipys_and_those_of_the_definition(pairs):
    similarity = np.array([value / 6 for value, _ in pairs])
    hits = np.array([hit for _, hit in pairs])
    ours = hit_correlation(similarity, hits, groups=Groups.single(len(pairs)))
    expected = tau_b([(value, hit) for value, hit in pairs])
    assert ours.spearman.n == len(pairs)
    if expected is None:
        assert (ours.kendall, ours.spearman.value) == (None, None)
        return
    assert ours.kendall == pytest.approx(expected, abs=1e-12)
    assert ours.kendall == pytest.approx(stats.kendalltau(similarity, hits).statistic, abs=1e-12)
    rho = stats.spearmanr(similarity, hits.astype(float)).statistic
    assert ours.spearman.value == pytest.approx(rho, abs=1e-9)
    # the factor between the two hangs on the similarities alone
    ranks = stats.rankdata(similarity)
    n_untied = sum(a != b for a, b in combinations(similarity.tolist(), 2))
    factor = 2 * np.sqrt(np.square(ranks - ranks.mean()).sum() / len(pairs) / n_untied)
    assert ours.kendall == pytest.approx(factor * rho, abs=1e-9)


def test_each_run_by_each_source_has_its_own_correlation_with_the_similarity():
    other = RunHits("others", SIMILARITY > 0.5, SIMILARITY < 0.2)
    ours = hits_by_similarity(SIMILARITY, [SOURCE, other], groups=Groups.single(311))
    for source, correlations in zip([SOURCE, other], ours.correlations, strict=True):
        for hits, row in zip([source.first, source.second], correlations, strict=True):
            expected = stats.kendalltau(SIMILARITY, hits).statistic
            assert row.kendall == pytest.approx(expected, abs=1e-12)
            assert row.spearman.interval.low < row.spearman.value < row.spearman.interval.high
    for source, gain in zip([SOURCE, other], ours.gains, strict=True):
        lead = source.first.astype(float) - source.second
        assert gain.value == pytest.approx(stats.spearmanr(SIMILARITY, lead).statistic, abs=1e-9)
    first, second = ours.correlations[1]
    assert first.spearman.value > 0.8 and second.spearman.value < -0.5


def test_of_one_query_or_equal_hits_there_is_no_correlation():
    for n in (1, 9):
        ours = hit_correlation(SIMILARITY[:n], np.ones(n, dtype=bool), groups=Groups.single(n))
        assert (ours.kendall, *ours.spearman) == (None, None, NO_INTERVAL, n)
