"""The first page of a collection: steps and figures for leaders, an annotator's own work."""

import re

import pytest
from django.core.cache import cache
from django.urls import reverse

from annotate.models import Membership, Role, Side
from annotate.services.collection import query_sets
from tests import campaigns, cast
from tests.metrics import studies

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def home(client, collection, *, status=200):
    """The text of the page."""
    answer = client.get(reverse("metrics:collection", args=[collection.slug]))
    assert answer.status_code == status
    return re.sub(r"\s+", " ", answer.content.decode())


def next_step(text):
    """The title of the step that stands out; "" if none does."""
    match = re.search(r'aria-current="step">.*?<a href="([^"]*)">(.*?)</a>', text)
    return match.group(2) if match else ""


def test_a_researcher_is_led_from_items_to_runs_to_a_pool(client, collection, researcher):
    client.force_login(researcher)
    assert next_step(home(client, collection)) == "Data"
    cast.items(collection, Side.QUERY, 2)
    cast.items(collection, Side.DOCUMENT, 3)
    text = home(client, collection)
    assert next_step(text) == "Runs"
    assert "2 queries, 3 documents" in text
    cast.run(collection, "bm25", {})
    assert next_step(home(client, collection)) == "Pool"


def test_a_lead_sees_the_figures_but_loads_nothing(client, collection, lead):
    client.force_login(lead)
    text = home(client, collection)
    assert "Reference labels" in text
    assert reverse("annotate:load", args=[collection.slug, "items"]) not in text
    assert next_step(text) == "People"
    for kind in ("items", "reference", "judgments"):
        assert client.get(reverse("annotate:load", args=[collection.slug, kind])).status_code == 404


def test_a_reference_set_of_any_name_has_its_column(client, collection, researcher):
    cast.pairs(collection, 1)
    query_sets.complete_query_sets(collection=collection)
    cast.reference(collection, {("q0", "d0"): 3}, name="items")
    client.force_login(researcher)
    assert 'data-label="Relevant in items">1</td>' in home(client, collection)


def test_once_people_have_judged_the_steps_are_folded_away(client, collection, lead):
    client.force_login(lead)
    assert "<details><summary>Set-up" not in home(client, collection)
    campaigns.open_pool_round(collection, cast.pairs(collection, 1))
    campaigns.judge(campaigns.first_batch(collection)[0])
    text = home(client, collection)
    assert re.search(r"<details><summary>Set-up: \d of 11 steps done</summary>", text)
    assert "1 judgment" in text


def test_once_people_judge_leaders_see_the_cockpit_and_annotators_do_not(client):
    study = studies.judged_study("study", seeds=range(3))
    for role, title in (
        (Role.LEAD, "What waits for you"),
        (Role.RESEARCHER, "What waits for a lead"),
    ):
        client.force_login(cast.member(study, role))
        text = home(client, study)
        assert f'"/c/{study.slug}/dashboard/numbers/?level=' in text
        assert text.index(title) < text.index("<details><summary>Set-up")
        assert (reverse("annotate:inbox", args=[study.slug]) in text) == (role is Role.LEAD)
    client.force_login(cast.annotator(study).user)
    text = home(client, study)
    assert "What waits for" not in text
    assert "/dashboard/numbers/" not in text


def test_beside_the_work_of_a_researcher_who_judges_no_number_tells_golds(client):
    study = studies.judged_study("study", seeds=range(3))
    person = cast.member(study, Role.RESEARCHER)
    client.force_login(person)
    assert "Golds right" in home(client, study)
    cast.annotator(study, person)
    text = home(client, study)
    assert "Your work" in text and "Golds right" not in text and "/dashboard/numbers/" not in text


def test_a_lead_who_becomes_a_researcher_is_sent_the_dashboard_anew(client):
    study = studies.judged_study("study", seeds=range(3))
    person = cast.member(study, Role.LEAD)
    client.force_login(person)
    address = reverse("metrics:dashboard-numbers", args=[study.slug])
    tag = client.get(address)["ETag"]
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
    Membership.objects.filter(user=person).update(role=Role.RESEARCHER)
    cache.clear()  # of the version of a second ago
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 200


def test_an_annotator_sees_own_progress_alone(client, collection):
    campaigns.open_pool_round(collection, cast.pairs(collection, 4))
    client.force_login(cast.annotator(collection).user)
    text = home(client, collection)
    assert "Start judging" in text
    assert "Judged in the last 24 hours" in text
    for secret in ("Reference labels", "Open pools", "Pairs judged", "Set-up", "relevant</span>"):
        assert secret not in text


def test_an_annotator_without_an_open_pool_is_told_so(client, collection):
    client.force_login(cast.annotator(collection).user)
    text = home(client, collection)
    assert "No pool is open" in text
    assert "Start judging" not in text


def test_a_stranger_finds_no_collection(client, collection):
    client.force_login(cast.user())
    home(client, collection, status=404)


def test_the_page_needs_as_many_queries_for_many_as_for_few(
    client, collection, researcher, django_assert_max_num_queries
):
    client.force_login(researcher)
    cast.pairs(collection, 400)
    with django_assert_max_num_queries(36):
        home(client, collection)
