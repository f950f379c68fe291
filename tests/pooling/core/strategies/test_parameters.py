"""Values of a strategy in words."""

from pooling.core.strategies.options import OPTIONS
from pooling.core.strategies.parameters import value_lines
from pooling.core.strategies.strategies import STRATEGIES


def test_a_choice_is_said_by_its_label_and_an_empty_text_is_left_out():
    parameters = (*STRATEGIES["depth-k-sample"].parameters, *OPTIONS)
    values = {"depth": 5, "strata": "", "allocation": "equal", "budget": 0, "currency": ""}
    assert value_lines(parameters, values) == [
        ("Depth", 5),
        ("Strata by", "No strata"),
        ("Drawn from strata", "The same number of each"),
        ("At most pairs a query", 0),
    ]


def test_a_value_of_no_parameter_is_said_as_it_is_stored():
    assert value_lines((), {"depth": 5}) == [("depth", 5)]
