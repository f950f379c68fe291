"""The number that a form of an act sends back."""

import pytest

from annotate.forms.consequences import ExpectedForm


@pytest.mark.parametrize(
    ("sent", "number"),
    [({}, None), ({"expected": ""}, None), ({"expected": "12"}, 12), ({"expected": "0"}, 0)]
    + [({"expected": nonsense}, 0) for nonsense in ("-1", "twelve", "9" * 5000)],
)
def test_what_is_no_number_allows_nothing(sent, number):
    assert ExpectedForm.number_in(sent) == number
