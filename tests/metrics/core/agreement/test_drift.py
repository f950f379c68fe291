"""Drift: the numbers that are called so, those that are not, and how often chance does it."""

import numpy as np

from metrics.core.agreement.drift import drift


def test_drifting_is_a_change_of_agreement_that_chance_does_not_make():
    assert drift((90, 100), (55, 100)) == (
        "Equal to another label in 90 % of the first 100 comparisons and in 55 % of the last 100."
    )
    assert drift((90, 100), (85, 100)) == ""
    assert drift((9, 10), (2, 10)) == ""
    assert drift((10, 10), (0, 100)) == ""
    assert drift((100, 100), (0, 10)) == ""
    assert drift((24, 30), (18, 30)) == ""


def test_who_works_evenly_is_hardly_ever_called_drifting():
    rng = np.random.default_rng(1)
    sentences = [
        drift((rng.binomial(100, 0.8), 100), (rng.binomial(100, 0.8), 100)) for _ in range(2000)
    ]
    assert sum(sentence != "" for sentence in sentences) <= 6
