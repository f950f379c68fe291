"""Decided differences: equal to the tests they are made of, whichever is chosen."""

from itertools import combinations

import numpy as np
import pytest

from metrics.core.multiple import compare_systems
from metrics.core.significance import holm, randomization
from metrics.core.tournament import METHODS, decide, randomization_p

MADE = np.random.default_rng(3)
SCORES = np.clip(MADE.random((60, 1)) * 0.4 + MADE.normal([0.1, 0.12, 0.3, 0.3], 0.1, (60, 4)), 0, 1)


@pytest.fixture
def rng():
    """Of its own for each test: what one draws must not hang on which ran before it."""
    return np.random.default_rng(4)


@pytest.mark.parametrize("method", METHODS[:2])
def test_the_methods_on_the_range_are_the_library_s(method, rng):
    found, same = decide(SCORES, method=method, rng=rng), compare_systems(SCORES, method=method)
    assert found.order.tolist() == same.order.tolist()
    assert found.significant.tolist() == same.significant.tolist() and found.groups == same.groups


def test_randomization_of_many_pairs_at_once_agrees_with_one_at_a_time(rng):
    pairs = list(combinations(range(4), 2))
    differences = np.stack([SCORES[:, i] - SCORES[:, j] for i, j in pairs], axis=1)
    at_once = randomization_p(differences, rng=np.random.default_rng(1), n_samples=20_000)
    alone = [randomization(SCORES[:, i], SCORES[:, j], rng=rng, n_samples=20_000).p_value for i, j in pairs]
    assert at_once == pytest.approx(alone, abs=0.015)


def test_randomization_tells_the_two_good_systems_from_the_two_bad_ones():
    found = decide(SCORES, method="randomization", rng=np.random.default_rng(1))
    assert [sorted(found.order[group].tolist()) for group in found.groups] == [[2, 3], [0, 1]]


def test_the_verdict_is_holm_s_not_the_single_test_s(rng):
    scores = np.random.default_rng(0).random((40, 8)) * 0.5
    scores[:, 0] += 0.09
    found = decide(scores, method="randomization", rng=np.random.default_rng(1))
    ranked = scores[:, found.order]
    pairs = list(combinations(range(8), 2))
    p = [randomization(ranked[:, i], ranked[:, j], rng=rng, n_samples=10_000).p_value for i, j in pairs]
    alone, together = np.array(p) < 0.05, holm(p) < 0.05
    assert alone.sum() > together.sum()
    assert found.significant[tuple(np.array(pairs).T)].sum() == together.sum()


def test_systems_that_never_differ_are_one_group(rng):
    same = np.tile(np.random.default_rng(0).random((10, 1)), 3)
    assert decide(same, method="randomization", rng=rng).groups == [[0, 1, 2]]


@pytest.mark.parametrize("scores", [np.ones((1, 3)), np.ones((3, 1)), np.full((3, 3), np.nan)])
def test_too_few_queries_or_systems_or_a_gap_are_refused(scores, rng):
    with pytest.raises(ValueError, match="Two queries or more"):
        decide(scores, method="tukey", rng=rng)
