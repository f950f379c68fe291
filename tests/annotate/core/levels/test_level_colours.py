"""Colours of levels: set ones stay, the others go by the place of the grade."""

from itertools import permutations

from annotate.core.levels.level_colours import PALETTE, level_colours
from annotate.models import Level


def test_the_palette_is_that_of_the_model():
    assert set(PALETTE) == set(Level.Colour.values)


def test_colours_go_by_grade_in_whatever_order_the_levels_stand():
    expected = {3: "green", 2: "teal", 1: "amber", 0: "slate"}
    for grades in permutations(expected):
        assert level_colours(dict.fromkeys(grades, ""), positive_from=2) == expected


def test_no_two_of_seven_levels_have_one_colour():
    for positive_from in range(1, 7):
        colours = level_colours(dict.fromkeys(range(7), ""), positive_from=positive_from)
        assert len(set(colours.values())) == 7


def test_a_colour_that_was_set_stays_and_is_no_other_levels():
    colours = level_colours({2: "", 1: "green", 0: ""}, positive_from=1)
    assert colours == {2: "teal", 1: "green", 0: "slate"}
    assert level_colours({1: "red", 0: "red"}, positive_from=1) == {1: "red", 0: "red"}


def test_more_levels_than_colours_begin_anew():
    assert set(level_colours(dict.fromkeys(range(20), ""), positive_from=9)) == set(range(20))
