"""The people of the first page: as many as fit its first screen, and how many there are."""

import pytest

from metrics.services.cockpit.cockpit import Cockpit


@pytest.mark.parametrize(
    ("n_people", "title"),
    [
        (0, "Who"),
        (5, "Who"),
        (6, "Who \N{MIDDLE DOT} 5 of 6 people, those to look at first"),
    ],
)
def test_the_heading_says_how_many_there_are_where_not_all_have_a_row(n_people, title):
    answers = Cockpit(None, None, list(range(n_people)), [])
    assert (answers.people_title, answers.has_more_people) == (title, n_people > 5)
    assert answers.first_people == list(range(min(n_people, 5)))
