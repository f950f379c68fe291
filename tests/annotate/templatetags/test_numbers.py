"""Numbers on pages have the digits of their kind; nothing where there is no number."""

import pytest

from annotate.templatetags import numbers


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (numbers.share, 83.4, "83"),
        (numbers.share, 99.6, "99.6"),
        (numbers.share, 99.97, "> 99.9"),
        (numbers.share, 0.4, "0.4"),
        (numbers.share, 0.0, "0"),
        (numbers.score, 83.25001, "83.3"),
        (numbers.score, -0.04, "0.0"),
        (numbers.coefficient, 0.7249, "0.72"),
        (numbers.coefficient, -0.001, "0.00"),
        (numbers.effect, -0.0012, "-0.001"),
        (numbers.at_most, 0.0012, "0.01"),
        (numbers.as_trec_eval, 0.41255001, "0.4126"),
        (numbers.coefficient, float("nan"), "not defined"),
        (numbers.amount, 10.0, "10"),
        (numbers.amount, 10.5, "10.5"),
        (numbers.amount, 1200, "1,200"),
        (numbers.whole, 1234.5001, "1,235"),
        (numbers.machine_number, 1234.5, "1234.500000"),
    ],
)
def test_a_kind_has_its_digits(kind, value, text):
    assert kind(value) == text


@pytest.mark.parametrize(
    "kind",
    [
        numbers.share,
        numbers.score,
        numbers.coefficient,
        numbers.effect,
        numbers.at_most,
        numbers.as_trec_eval,
        numbers.amount,
        numbers.whole,
        numbers.machine_number,
    ],
)
def test_no_number_is_no_text(kind):
    assert kind(None) == ""
    assert kind("") == ""  # as a template has it for what is not there
