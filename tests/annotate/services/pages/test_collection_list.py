"""The first page: what a person can do in each of her collections, in words and at once."""

import pytest
from django.db.models.functions import Now

from annotate.models import Collection, Role
from annotate.services.judging import work_availability
from annotate.services.pages import collection_list
from metrics.services.numbers import refresh
from metrics.templatetags.collection_progress import with_progress
from tests import campaigns, cast
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def links_of(entry: collection_list.CollectionEntry) -> list[tuple[str, str]]:
    return [(link.text, link.page) for link in entry.links]


@pytest.fixture
def collection():
    return campaigns.open_collection(7, gold_positives=0, gold_negatives=0)


def test_who_judges_and_leads_has_both_at_once(collection):
    annotator = cast.annotator(collection)
    cast.member(collection, Role.LEAD, annotator.user)
    (entry,) = collection_list.entries(user=annotator.user)
    assert (entry.todo, entry.label) == ("7 pairs wait for you.", "Judge")
    assert links_of(entry) == [
        ("Inbox: empty", "annotate:inbox"),
        ("Dashboard", "metrics:dashboard"),
        ("Leaderboard", "metrics:leaderboard"),
    ]


def test_an_annotator_has_her_own_work_alone(collection):
    annotator = cast.annotator(collection)
    (entry,) = collection_list.entries(user=annotator.user)
    assert (entry.page, links_of(entry)) == ("annotate:judge", [])


def test_pairs_that_wait_are_counted_for_each_annotator(collection):
    annotator = cast.annotator(collection)
    assert work_availability.reachable_pairs(annotators=[annotator]) == {annotator.pk: (7, False)}
    assert work_availability.reachable_pairs(annotators=[]) == {}


@pytest.mark.parametrize(("most", "words"), [(5, "At least 5 pairs"), (1000, "7 pairs")])
def test_of_many_pairs_the_number_is_a_round_one(collection, monkeypatch, most, words):
    monkeypatch.setattr(work_availability, "MOST_COUNTED", most)
    (entry,) = collection_list.entries(user=cast.annotator(collection).user)
    assert entry.todo == f"{words} wait for you."


def test_a_rehearsal_is_introduced_in_words(collection):
    person = cast.member(collection, Role.RESEARCHER)
    (entry,) = collection_list.entries(user=person)
    assert entry.introduction == ""
    Collection.objects.filter(pk=collection.pk).update(is_rehearsal=True)
    (entry,) = collection_list.entries(user=person)
    words = "A campaign under way with simulated people; look around."
    assert entry.introduction == words
    collection.rounds.update(state="closed", closed_at=Now())
    (entry,) = collection_list.entries(user=person)
    assert entry.introduction == "A campaign that is over with simulated people; look around."


def test_progress_is_for_leads_and_researchers(collection, client):
    refresh.refresh(collection=collection)
    researcher, annotator = cast.member(collection, Role.RESEARCHER), cast.annotator(collection)
    shown = {}
    for person in (researcher, annotator.user):
        (row,) = with_progress(collection_list.entries(user=person), is_admin=False)
        shown[person] = row.text
        client.force_login(person)
        assert ("0 of 7 pairs complete" in text_of(client.get("/"))) == (person == researcher)
    assert shown == {researcher: "0 of 7 pairs complete", annotator.user: ""}
