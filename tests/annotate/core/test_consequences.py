"""The number that a page told of an act, and more than that by now."""

import pytest

from annotate.core.consequences import CountChanged, require_told


def test_an_act_reaches_as_many_as_its_page_told_or_fewer_but_no_more():
    for expected in (None, 3, 4):
        require_told(3, expected=expected, noun="label")
    with pytest.raises(CountChanged, match="about 3 labels by now, not 2; look again"):
        require_told(3, expected=2, noun="label")
