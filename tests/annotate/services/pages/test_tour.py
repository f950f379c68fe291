"""The tour: six cards for what one may do, closed for good, and shown again when asked for."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse

from annotate.models import Collection, Role, User
from annotate.services.pages import collection_list, tour
from tests import campaigns, cast
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def cards_of(person: User) -> list[tour.TourCard]:
    entries = collection_list.entries(user=person)
    shown = tour.tour_of(user=person, entries=entries, number="")
    return [
        tour.tour_of(user=person, entries=entries, number=str(number)).card
        for number in range(1, shown.n + 1)
    ]


@pytest.fixture
def collection():
    return campaigns.open_collection(2, gold_positives=0, gold_negatives=0)


@pytest.fixture
def newcomer(collection, client):
    """An annotator whose account is new, signed in."""
    person = cast.annotator(collection).user
    client.force_login(person)
    return person


@pytest.mark.parametrize("role", [*Role, "admin"])
def test_six_cards_lead_to_pages_that_their_reader_may_see(client, collection, role):
    if role == "admin":
        person = cast.user(is_superuser=True, is_staff=True)
    elif role == Role.ANNOTATOR:
        person = cast.annotator(collection).user
    else:
        person = cast.member(collection, role)
    client.force_login(person)
    cards = cards_of(person)
    assert len({card.title for card in cards}) == len(cards) == 6
    for number, card in enumerate(cards, 1):
        address = reverse(card.page, args=[card.slug] if card.slug else [])
        assert client.get(address).status_code == 200, (card, resolve(address))
        page = text_of(client.get("/", {"card": number}))
        assert f"Card {number} of 6" in page
        assert f'href="{address}"' in page
        assert 'class="tour-drawing"' in page
    assert ("annotate:collection-new" in {card.page for card in cards}) == (role != Role.ANNOTATOR)


def test_links_turn_the_cards_without_a_script(client, newcomer):
    first, last = text_of(client.get("/")), text_of(client.get("/?card=6"))
    assert 'href="?card=2#tour"' in first and ">Back<" not in first and "Close the tour" in first
    assert 'href="?card=5#tour"' in last and ">Next<" not in last and "Done" in last
    for nonsense in ("0", "7", "x", "²", "-1", "1" * 5000):
        assert "Card 1 of 6" in text_of(client.get("/", {"card": nonsense}))


def test_closed_it_is_closed_for_good_until_the_account_page_shows_it_again(client, newcomer):
    assert client.get("/account/tour/close/").status_code == 405
    client.post("/account/tour/close/")
    assert "Card 1 of 6" not in text_of(client.get("/"))
    client.logout()
    client.force_login(User.objects.get(pk=newcomer.pk))  # another browser
    assert "Card 1 of 6" not in text_of(client.get("/"))
    account = text_of(client.get("/account/"))
    assert "Show the tour again" in account
    assert re.search(r'<form[^>]*action="/account/tour/open/"', account)
    client.post("/account/tour/open/")
    assert "Card 1 of 6" in text_of(client.get("/"))


def test_who_is_in_no_collection_has_no_tour_yet(client):
    client.force_login(cast.user())
    assert "Card 1" not in text_of(client.get("/"))


def test_to_look_a_rehearsal_comes_first_and_to_judge_a_collection_of_people(collection):
    rehearsal = campaigns.open_collection(2, gold_positives=0, gold_negatives=0)
    Collection.objects.filter(pk=rehearsal.pk).update(is_rehearsal=True)
    person = cast.user()
    for other in (collection, rehearsal):
        cast.annotator(other, person)
        cast.member(other, Role.LEAD, person)
    slugs = {card.page: card.slug for card in cards_of(person)}
    assert slugs["annotate:judge"] == collection.slug
    assert slugs["metrics:dashboard"] == slugs["annotate:inbox"] == rehearsal.slug


def test_the_tour_asks_the_database_nothing(client, newcomer):
    with CaptureQueriesContext(connection) as with_tour:
        client.get("/")
    tour.close(user=newcomer)
    with CaptureQueriesContext(connection) as without_tour:
        client.get("/")
    assert len(with_tour) == len(without_tour)
