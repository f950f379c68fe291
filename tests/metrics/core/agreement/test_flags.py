"""Flags: the numbers that fire them, those that do not, and how often chance does."""

import numpy as np

from metrics.core.agreement.flags import drift, one_level, too_fast

NAMES = ["No", "Perhaps", "Yes"]


def test_too_fast_is_below_a_third_of_the_others_median():
    assert (
        too_fast(900, 3000, 50).evidence
        == "0.9 s a label at the median of 50 labels; the others 3.0 s."
    )
    assert too_fast(1000, 3000, 50) is None
    assert too_fast(900, 3000, 19) is None
    assert too_fast(None, 3000, 50) is None and too_fast(900, None, 50) is None


def test_one_level_only_fires_where_others_use_more():
    assert one_level([40, 0, 0], [0.5, 0.3, 0.2], NAMES).evidence == (
        "“No” for 40 of 40 labels (100 %); others give it to 50 % on the same pairs."
    )
    assert one_level([40, 0, 0], [0.97, 0.02, 0.01], NAMES) is None  # the pairs are like that
    assert one_level([29, 0, 0], [0.5, 0.3, 0.2], NAMES) is None
    assert one_level([36, 4, 0], [0.5, 0.3, 0.2], NAMES) is None
    assert one_level([0, 0, 0], [0.0, 0.0, 0.0], NAMES) is None


def test_drifting_is_a_change_of_agreement_that_chance_does_not_make():
    assert drift((90, 100), (55, 100)).evidence == (
        "Equal to another label in 90 % of the first 100 comparisons and in 55 % of the last 100."
    )
    assert drift((90, 100), (85, 100)) is None
    assert drift((9, 10), (2, 10)) is None
    assert drift((10, 10), (0, 100)) is None
    assert drift((100, 100), (0, 10)) is None
    assert drift((24, 30), (18, 30)) is None


def test_who_works_evenly_is_hardly_ever_called_drifting():
    rng = np.random.default_rng(1)
    fired = [
        drift((rng.binomial(100, 0.8), 100), (rng.binomial(100, 0.8), 100)) for _ in range(2000)
    ]
    assert sum(flag is not None for flag in fired) <= 6
