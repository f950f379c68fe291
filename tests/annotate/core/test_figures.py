"""Numbers of sentences have as many digits as people read."""

import pytest

from annotate.core.figures import at_most, decimals, p_text, percent_text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "< 0.001"),
        (0.00099, "< 0.001"),
        (0.001, "0.001"),
        (0.0324, "0.032"),
        (0.3249, "0.32"),
        (1.0, "1.00"),
        (0.0499, "0.0499"),
        (0.04996, "0.04996"),
        (0.0999, "0.0999"),
        (0.05, "0.050"),
    ],
)
def test_a_p_value_has_two_digits(p, text):
    assert p_text(p) == text


@pytest.mark.parametrize(
    ("value", "n", "text"),
    [
        (83.25, 1, "83.3"),
        (-83.25, 1, "-83.3"),
        (62.5, 0, "63"),
        (-0.001, 2, "0.00"),
        (float("nan"), 2, "not defined"),
        (float("inf"), 2, "not defined"),
    ],
)
def test_halves_go_away_from_zero_and_nothing_has_no_minus(value, n, text):
    assert decimals(value, n) == text


def test_a_bound_is_never_rounded_down():
    assert (at_most(0.0012, 2), at_most(0.5, 2), at_most(0.0, 2)) == ("0.01", "0.50", "0.00")


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (0, "0"),
        (0.04, "< 0.1"),
        (0.05, "0.1"),
        (0.5, "1"),
        (0.4, "0.4"),
        (99.4, "99"),
        (99.6, "99.6"),
        (99.96, "> 99.9"),
        (100, "100"),
    ],
)
def test_a_share_is_no_false_end(percent, text):
    assert percent_text(percent) == text
