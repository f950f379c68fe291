"""The rows of the first page: as many as fit its first screen, and how many more there are."""

import pytest

from annotate.models import Role
from annotate.services.supervision import archiving
from metrics.services.cockpit.cockpit import Cockpit
from tests import cast
from tests.metrics import studies
from tests.pages import text_of


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


@pytest.mark.django_db(transaction=True)
def test_an_archive_is_told_beside_the_progress_at_once(client):
    study = studies.judged_study("study", seeds=range(2))
    lead = cast.member(study, Role.LEAD)
    client.force_login(lead)
    url = "/c/study/dashboard/numbers/"
    tag = client.get(url)["ETag"]
    for act in (archiving.archive_collection, archiving.unarchive_collection):
        act(collection=study, by=lead)
        answer = client.get(url)
        is_told = "Nothing more is handed out: archived since <time datetime=" in text_of(answer)
        assert is_told == (act is archiving.archive_collection)
        assert is_told == (answer["ETag"] != tag)
