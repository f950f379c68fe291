"""An item is chosen by its picture and its words where a form takes its id."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from playwright.sync_api import Route, expect

from annotate.models import Gold, Part, Role, TrainingPair
from tests import cast
from tests.browsing import wait_for_condition, with_long_timeout

ADDRESS = "/c/shapes/judging/items/"


@pytest.fixture
def shapes(db):
    """A collection with four queries and ten documents, one of which is an image."""
    collection = cast.collection("shapes")
    cast.pairs(collection, 40)
    Part.objects.filter(item__external_id="d3").update(kind="image", text="", path="a.png")
    return collection


def options(client, **parameters):
    answer = client.get(reverse("annotate:item-choice", args=["shapes"]), parameters)
    assert answer.status_code == 200
    return answer.content.decode()


def test_items_of_one_side_are_offered_with_picture_and_words(shapes, client):
    client.force_login(cast.member(shapes, Role.LEAD))
    page = options(client, side="document", q="d3")
    assert re.findall('data-id="(.*?)"', page) == ["d3"]
    assert 'data-kind="image"' in page and 'data-status="1 document."' in page
    page = options(client, side="query", q="text of")
    assert re.findall('data-id="(.*?)"', page) == ["q0", "q1", "q2", "q3"]
    assert "text of q1" in page and 'data-status="4 queries."' in page
    assert 'data-status="First 6 of 10 documents."' in options(client, side="document", q="d")
    assert "No query in use with “d3”" in options(client, side="query", q="d3")


def test_the_number_of_queries_does_not_grow_with_the_items(shapes, client):
    client.force_login(cast.member(shapes, Role.LEAD))

    def n_queries(text):
        with CaptureQueriesContext(connection) as queries:
            options(client, side="document", q=text)
        return len(queries)

    assert n_queries("d3") == n_queries("d")


@pytest.mark.parametrize(
    "parameters", [{}, {"q": "a"}, {"q": "a", "side": "both"}, {"q": "a" * 256, "side": "query"}]
)
def test_what_is_no_search_is_refused(shapes, client, parameters):
    client.force_login(cast.member(shapes, Role.LEAD))
    answer = client.get(reverse("annotate:item-choice", args=["shapes"]), parameters)
    assert answer.status_code == 422


@pytest.fixture
def sign_in(page, live_server):
    """Open a page of the collection as its lead, in a browser."""
    collection = cast.collection("shapes")
    cast.pairs(collection, 40)
    Part.objects.filter(item__external_id="d3").update(kind="image", text="", path="a.png")
    with_long_timeout(page.context)
    cast.sign_in(page.context, live_server.url, cast.member(collection, Role.LEAD))

    def open_page(path):
        page.goto(f"{live_server.url}/c/shapes/{path}")
        return page

    return open_page


def offered(page):
    """The options of the fields, not those of the form's menus."""
    return page.locator(".item-options [role=option]")


@pytest.mark.django_db(transaction=True)
def test_a_gold_is_chosen_by_keys_alone(sign_in):
    page = sign_in("judging/golds/")
    query = page.get_by_role("combobox", name="Query's id")
    query.focus()
    page.keyboard.type("text of q")
    expect(offered(page)).to_have_count(4)
    page.keyboard.press("ArrowDown")
    active = query.get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active}")).to_contain_text("q1")
    page.keyboard.press("Enter")
    expect(query).to_have_value("q1")
    expect(offered(page)).to_have_count(0)
    expect(query).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_text("Chosen: q1")).to_be_visible()
    expect(page.locator(".item-chosen")).to_contain_text(["text of q1", ""])
    page.keyboard.press("Tab")
    page.keyboard.type("d3")
    expect(offered(page).locator("[data-kind=image]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(offered(page)).to_have_count(0)
    page.keyboard.press("Tab")  # the typed id stands
    page.get_by_label("Grade").select_option("1")
    page.get_by_label("Why").fill("because it is so")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Added: it is handed out")).to_be_visible()
    assert Gold.objects.filter(pair__query__external_id="q1", pair__document__external_id="d3")


@pytest.mark.django_db(transaction=True)
def test_a_training_pair_is_chosen_by_touch_on_a_phone(sign_in):
    page = sign_in("judging/training/pairs/")
    page.set_viewport_size({"width": 390, "height": 844})
    for name, text, choice in (("Query's id", "text of q", "q2"), ("Document's id", "d", "d3")):
        page.get_by_role("combobox", name=name).fill(text)
        page.locator(f"[role=option][data-id={choice}]").click()
        expect(page.get_by_role("combobox", name=name)).to_have_value(choice)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_label("Right level").select_option("1")
    page.get_by_role("button", name="Add the pair").click()
    expect(page.get_by_text("Added.")).to_be_visible()
    (row,) = TrainingPair.objects.select_related("pair__query", "pair__document")
    assert (row.pair.query.external_id, row.pair.document.external_id) == ("q2", "d3")


@pytest.mark.django_db(transaction=True)
def test_enter_before_the_answer_takes_the_best_match_and_sends_nothing(sign_in):
    page = sign_in("judging/golds/")
    slow_routes: list[Route] = []

    def hold(route: Route) -> None:
        slow_routes.append(route)

    page.route(re.compile(ADDRESS), hold)
    query = page.get_by_role("combobox", name="Query's id")
    query.fill("of q3")
    page.keyboard.press("Enter")
    wait_for_condition(page, lambda: slow_routes)
    slow_routes[0].continue_()
    expect(query).to_have_value("q3")
    expect(page).to_have_url(re.compile("/judging/golds/$"))
    assert Gold.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_without_scripts_the_fields_take_ids(sign_in, browser):
    page = sign_in("judging/golds/")
    plain = browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    )
    plain_page = plain.new_page()
    plain_page.goto(page.url)
    plain_page.get_by_label("Query's id").fill("q0")
    plain_page.get_by_label("Document's id").fill("d0")
    plain_page.get_by_label("Grade").select_option("1")
    plain_page.get_by_label("Why").fill("because it is so")
    plain_page.get_by_role("button", name="Add", exact=True).click()
    expect(plain_page.get_by_text("Added: it is handed out")).to_be_visible()
    plain.close()
