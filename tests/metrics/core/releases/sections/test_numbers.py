from metrics.core.releases.sections.numbers import (
    decimal,
    interval,
    is_number,
    percent,
    score_cell,
)


def test_a_number_is_there_and_finite():
    assert [is_number(value) for value in (0.0, 1, None, float("nan"), float("inf"))] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_decimals_are_at_most_two_and_whole_numbers_keep_their_noughts():
    assert [decimal(value) for value in (1400, 650.5, 41.254, 10, 0)] == [
        "1,400",
        "650.5",
        "41.25",
        "10",
        "0",
    ]
    assert percent(0.9396) == "94.0 %"


def test_an_interval_is_a_clause_even_if_there_is_none():
    assert interval(0.1, 0.25) == "with a 95 % interval from 0.100 to 0.250"
    assert interval(0.1, 0.25, in_percent=True) == "with a 95 % interval from 10.0 % to 25.0 %"
    assert interval(None, 0.25) == interval(0.1, float("nan")) == "without an interval"


def test_a_score_has_its_interval_and_bound_or_the_word_for_what_it_lacks():
    assert score_cell(0.5, 0.4, 0.6, 0.7) == "0.500 (0.400 to 0.600), at most 0.700"
    assert score_cell(0.5, None, None, None) == "0.500 (no interval)"
    assert score_cell(None, None, None, 0.7) == "undefined"
    assert score_cell(float("nan"), 0.4, 0.6, None) == "undefined"
