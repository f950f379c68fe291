"""Numbers of sentences have as many digits as people read."""

import pytest

from annotate.core.figures import p_text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "< 0.001"),
        (0.00099, "< 0.001"),
        (0.001, "0.001"),
        (0.0324, "0.032"),
        (0.3249, "0.32"),
        (1.0, "1.00"),
    ],
)
def test_a_p_value_has_two_digits(p, text):
    assert p_text(p) == text
