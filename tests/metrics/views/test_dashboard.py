"""The lead's dashboard: what it shows, to whom, and what it costs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Role, WorkerHeartbeat
from metrics.services import refresh
from tests import factories
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lead(client):
    """A study with two judges, refreshed, and its lead signed in."""
    made = studies.study("study")
    for seed in range(2):
        studies.judge(factories.annotator(made), seed=seed)
    refresh.refresh(collection=made)
    client.force_login(factories.member(made, Role.LEAD))
    return made


def test_the_page_shows_progress_alpha_with_interval_agreement_and_people(client, lead):
    page = client.get("/c/study/dashboard/").content.decode()
    assert "<small>of 18</small>" in page
    assert "Alpha, ordinal" in page and "95 %:" in page and "18 pairs with two labels or more" in page
    assert "% of pairs unanimous" in page
    assert "depth 3" in page
    for annotator in lead.annotators.all():
        assert annotator.pseudonym in page
    assert 'id="alpha-history-spec"' in page and 'id="levels-spec"' in page


def test_alpha_without_a_pair_of_two_labels_is_a_sentence_and_no_chart(client):
    made = studies.study("bare")
    studies.judge(factories.annotator(made), seed=0)
    refresh.refresh(collection=made)
    client.force_login(factories.member(made, Role.LEAD))
    page = client.get("/c/bare/dashboard/").content.decode()
    assert "Drawn once some pair has two labels." in page
    assert 'id="alpha-history-spec"' not in page and 'id="levels-spec"' in page


def test_another_level_of_measurement_is_one_click_away(client, lead):
    page = client.get("/c/study/dashboard/", {"level": "nominal"}).content.decode()
    assert "Alpha, nominal" in page
    assert "dashboard/numbers/?level=nominal" in page
    assert client.get("/c/study/dashboard/", {"level": "nonsense"}).status_code == 200


def test_the_live_part_is_304_until_numbers_change(client, lead):
    first = client.get("/c/study/dashboard/numbers/")
    again = client.get("/c/study/dashboard/numbers/", headers={"If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    other_level = client.get("/c/study/dashboard/numbers/?level=ratio", headers={"If-None-Match": first["ETag"]})
    assert other_level.status_code == 200
    WorkerHeartbeat.objects.create(name="worker")
    assert client.get("/c/study/dashboard/numbers/", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_a_new_label_changes_the_live_part(client, lead):
    first = client.get("/c/study/dashboard/numbers/")
    studies.reference(lead, {("q0", "d5"): 2}, name="second")
    refresh.refresh(collection=lead)
    assert client.get("/c/study/dashboard/numbers/", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_before_the_first_numbers_the_page_waits_and_says_when_no_worker_lives(client):
    made = studies.study("young")
    client.force_login(factories.member(made, Role.LEAD))
    page = client.get("/c/young/dashboard/").content.decode()
    assert "Waiting for the first numbers" in page and "No worker has been seen for a minute" in page
    WorkerHeartbeat.objects.create(name="worker")
    assert "No worker" not in client.get("/c/young/dashboard/").content.decode()


def test_what_is_not_defined_yet_says_why(client):
    made = studies.study("young")
    refresh.refresh(collection=made)
    client.force_login(factories.member(made, Role.RESEARCHER))
    page = client.get("/c/young/dashboard/").content.decode()
    assert "Not defined yet" in page and "no pair has two labels yet" in page


@pytest.mark.parametrize("path", ["/c/study/dashboard/", "/c/study/dashboard/numbers/"])
def test_annotators_and_strangers_do_not_find_it(client, lead, path):
    client.force_login(factories.member(lead, Role.ANNOTATOR))
    assert client.get(path).status_code == 404
    client.force_login(factories.user())
    assert client.get(path).status_code == 404
    client.logout()
    assert client.get(path).status_code == 302


def test_the_page_takes_as_many_queries_however_much_there_is(client, lead):
    def queries(path):
        with CaptureQueriesContext(connection) as caught:
            assert client.get(path).status_code == 200
        return len(caught)

    paths = ("/c/study/dashboard/", "/c/study/dashboard/numbers/")
    before = [queries(path) for path in paths]
    for seed in range(3):
        studies.run(lead, f"run {seed}", seed=seed)
        studies.judge(factories.annotator(lead), seed=seed)
        refresh.refresh(collection=lead)
    assert [queries(path) for path in paths] == before
