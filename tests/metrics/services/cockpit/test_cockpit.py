"""The rows of the first page: as many as fit its first screen, and how many more there are."""

import pytest

from metrics.services.cockpit.cockpit import Cockpit


@pytest.mark.parametrize(
    ("n_people", "title"),
    [
        (0, "Who"),
        (5, "Who"),
        (6, "Who \N{MIDDLE DOT} 5 of 6 people, those with flags first"),
    ],
)
def test_the_heading_says_how_many_there_are_where_not_all_have_a_row(n_people, title):
    answers = Cockpit(None, None, list(range(n_people)), [])
    assert (answers.people_title, answers.has_more_people) == (title, n_people > 5)
    assert answers.first_people == list(range(min(n_people, 5)))


@pytest.mark.parametrize(
    ("n_kinds", "n_rows", "text"),
    [(0, 0, ""), (5, 5, ""), (6, 4, "And 2 more kinds:"), (8, 4, "And 4 more kinds:")],
)
def test_kinds_of_things_that_have_no_row_share_a_line(n_kinds, n_rows, text):
    answers = Cockpit(None, None, [], list(range(n_kinds)))
    assert answers.first_waits + answers.more_waits == answers.waits
    assert (len(answers.first_waits), answers.more_waits_text) == (n_rows, text)
