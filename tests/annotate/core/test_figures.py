"""Numbers of sentences have as many digits as people read."""

import pytest

from annotate.core.figures import at_most, decimals, p_text, percent_text, sum_text


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


@pytest.mark.parametrize(
    ("whole", "part", "text"),
    [
        (62.25, None, "62.3"),
        (62.46, 41.0, "62.5 (41.0 + 21.5)"),
        (62.25, 41.04, "62.3 (41.0 + 21.3)"),
        (40.0, 41.2, "40.0 (41.2 \N{MINUS SIGN} 1.2)"),
        (40.0, 40.04, "40.0 (40.0 + 0.0)"),
        (float("nan"), 40.0, "not defined"),
    ],
)
def test_the_printed_numbers_of_a_sum_add_up(whole, part, text):
    assert sum_text(whole, part) == text


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
