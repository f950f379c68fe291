"""Correlations of length and similarity are SciPy's, in words and in characters."""

import numpy as np
import pytest
from scipy import stats

from metrics.core.analyses.collection.text_lengths import similarity_by_length
from metrics.core.statistics.groups import Groups

RNG = np.random.default_rng(5)
WORDS = RNG.integers(1, 20, 120)
CHARACTERS = 5 * WORDS + RNG.integers(0, 9, 120)
SIMILARITY = RNG.random(120) / WORDS
SINGLE = Groups.single(120)


def test_words_and_characters_have_their_own_correlations():
    rows = similarity_by_length(SIMILARITY, WORDS, CHARACTERS, groups=SINGLE)
    assert [row.unit for row in rows] == ["words", "characters"]
    for row, length in zip(rows, (WORDS, CHARACTERS), strict=True):
        assert row.spearman.value == pytest.approx(
            stats.spearmanr(length, SIMILARITY).statistic, abs=1e-12
        )
        assert row.kendall.value == pytest.approx(
            stats.kendalltau(length, SIMILARITY).statistic, abs=1e-12
        )
        for correlation in (row.spearman, row.kendall):
            assert correlation.interval.low < correlation.value < correlation.interval.high < 0
            assert correlation.n == 120


def test_lengths_that_do_not_vary_have_no_correlation():
    words, characters = similarity_by_length(SIMILARITY, np.full(120, 4), CHARACTERS, groups=SINGLE)
    assert words.spearman.value is None and words.kendall.value is None
    assert words.kendall.interval == (None, None)
    assert characters.kendall.value is not None
