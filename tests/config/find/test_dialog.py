"""Ctrl K in a real browser: the keys, what a screen reader is told, and answers that overtake."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from annotate.models import Role
from annotate.services.collection import query_sets
from tests import cast
from tests.browsing import wait_for_condition, with_long_timeout

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "Control+k"


@pytest.fixture
def home(page: Page, live_server) -> Page:
    """The overview of a collection with items and runs, for a lead."""
    collection = cast.collection("shapes")
    cast.pairs(collection, 12)
    query_sets.complete_query_sets(collection=collection)
    for name in ("bm25", "dense"):
        cast.run(collection, name, {})
    person = cast.member(collection, Role.LEAD)
    cast.annotator(collection, person)
    with_long_timeout(page.context)
    cast.sign_in(page.context, live_server.url, person)
    page.goto(f"{live_server.url}/c/shapes/results/runs/")
    return page


def field(page):
    return page.get_by_role("combobox", name="Find in Shapes")


def chosen(page):
    return page.locator(f"#{field(page).get_attribute('aria-activedescendant')}")


def test_keys_find_choose_and_open(home):
    home.locator("main a").first.focus()
    home.keyboard.press(KEY)
    expect(field(home)).to_be_focused()
    home.keyboard.type("bm2")
    expect(home.get_by_role("option")).to_have_count(1)
    expect(home.get_by_role("group", name="Runs").get_by_role("option")).to_have_text(
        re.compile("bm25")
    )
    expect(home.locator(".find [role=status]")).to_have_text("1 match")
    expect(field(home)).to_have_attribute("aria-expanded", "true")
    expect(chosen(home)).to_have_attribute("aria-selected", "true")
    home.keyboard.press("Enter")
    expect(home).to_have_url(re.compile(r"/results/runs/\d+/$"))


def test_arrows_go_round_and_escape_gives_the_focus_back(home):
    link = home.locator("main a").first
    link.focus()
    home.keyboard.press(KEY)
    home.keyboard.type("d1")
    expect(home.get_by_role("option")).to_have_count(1)
    field(home).fill("text of d")
    expect(home.get_by_role("option")).to_have_count(7)  # the last one leads to the rest
    expect(chosen(home)).to_contain_text("d0")
    home.keyboard.press("ArrowUp")
    expect(chosen(home)).to_contain_text("10 documents with “text of d”")
    home.keyboard.press("ArrowDown")
    expect(chosen(home)).to_contain_text("d0")
    expect(home.locator("[aria-selected=true]")).to_have_count(1)
    home.keyboard.press("Escape")
    expect(home.locator("#find")).to_be_hidden()
    expect(link).to_be_focused()


def test_an_older_answer_replaces_no_newer_one_and_enter_awaits_the_newest(home):
    slow_routes: list[Route] = []

    def hold(route: Route) -> None:
        slow_routes.append(route)

    home.route(re.compile(r"/find/\?q=bm$"), hold)
    home.keyboard.press(KEY)
    expect(home.get_by_role("option").first).to_be_visible()  # of no text: pages
    home.keyboard.type("bm")
    wait_for_condition(home, lambda: slow_routes)
    field(home).fill("dense")
    expect(home.get_by_role("option")).to_have_count(1)
    slow_routes[0].fulfill(body='<div data-status="old"><a role="option" id="old">old</a></div>')
    home.evaluate("fetch('/healthz')")
    expect(home.get_by_role("option")).to_contain_text("dense")
    expect(home.locator("#old")).to_have_count(0)
    # the list still has what "dense" found while this is asked for
    home.unroute_all()
    field(home).fill("bm25")
    home.keyboard.press("Enter")
    expect(home.locator("h1")).to_have_text("bm25")


def test_trouble_is_told_in_the_dialog(home):
    home.route(re.compile("/find/"), lambda route: route.abort())
    home.keyboard.press(KEY)
    status = home.locator(".find [role=status]")
    expect(status).to_have_text("The server could not be reached; type on to try again.")
    home.unroute_all()
    home.context.clear_cookies()
    home.keyboard.type("d")
    expect(status).to_contain_text("You are signed out")


def test_a_button_opens_it_where_scripts_run_alone(home, browser, live_server):
    home.set_viewport_size({"width": 390, "height": 844})
    home.get_by_role("button", name="Find anything").click()
    expect(field(home)).to_be_focused()
    home.get_by_role("button", name="Close").click()
    expect(home.get_by_role("button", name="Find anything")).to_be_focused()
    plain = browser.new_context(
        java_script_enabled=False, storage_state=home.context.storage_state()
    )
    page = plain.new_page()
    page.goto(home.url)
    expect(page.locator(".bar")).to_be_visible()
    expect(page.locator("[data-find-open]")).to_be_hidden()
    plain.close()


def test_the_judge_screen_keeps_its_keys_to_itself(home, live_server):
    home.goto(f"{live_server.url}/c/shapes/judge/")
    expect(home.locator("#judge")).to_be_visible()
    home.keyboard.press(KEY)
    expect(home.locator("#find, [data-find-open]")).to_have_count(0)
