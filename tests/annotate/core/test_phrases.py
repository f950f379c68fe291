"""Phrases: a number with its noun, in the singular for one."""

import pytest

from annotate.core.phrases import count_of


@pytest.mark.parametrize(
    ("nouns", "one"),
    [
        ("queries", "1 query"),
        ("documents", "1 document"),
        ("movies", "1 movie"),
        ("groups of queries", "1 group of queries"),
    ],
)
def test_a_number_of_one_has_the_singular_of_a_plural_noun(nouns, one):
    assert count_of(1, nouns) == one
    assert count_of(0, nouns) == f"0 {nouns}"
    assert count_of(1_200, nouns) == f"1,200 {nouns}"
