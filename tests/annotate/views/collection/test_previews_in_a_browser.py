"""Previews of chosen files in a real browser: the newest question alone is answered."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests import cast
from tests.browsing import wait_for_condition

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
ADDRESS = "**/imports/items/preview/"
TABLE = b"clip id,what,who\nc1,a dog runs,Ann\nc2,a cat sits,Ben\n"


@pytest.fixture
def form(page: Page, live_server, researcher) -> Page:
    """The form for items, open before a researcher."""
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(f"{live_server.url}/c/shapes/imports/items/")
    return page


def choose(page: Page) -> None:
    table = {"name": "a.csv", "mimeType": "text/csv", "buffer": TABLE}
    page.locator("[name=file]").set_input_files(table)


def test_who_is_signed_out_is_told_so_in_place_of_the_sign_in_page(form, settings):
    form.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    choose(form)
    preview = form.locator("[data-preview]")
    expect(preview).to_contain_text("You are signed out")
    expect(preview.locator("input")).to_have_count(0)
    expect(preview).not_to_have_attribute("aria-busy", "true")


def test_a_question_that_was_called_off_moves_no_focus_and_ends_no_waiting(form):
    preview = form.locator("[data-preview]")
    choose(form)
    expect(preview.get_by_label("who is")).to_be_visible()
    held_routes: list[Route] = []
    failed_addresses: list[str] = []

    def hold(route: Route) -> None:
        held_routes.append(route)

    form.route(ADDRESS, hold)
    form.on("requestfailed", lambda request: failed_addresses.append(request.url))
    preview.get_by_label("who is").select_option("document_warning")
    wait_for_condition(form, lambda: len(held_routes) == 1)
    preview.get_by_label("what is").focus()
    preview.get_by_label("what is").select_option("document_text")
    wait_for_condition(form, lambda: len(held_routes) == 2 and failed_addresses)
    expect(preview).to_have_attribute("aria-busy", "true")
    expect(preview.get_by_label("what is")).to_be_focused()
    held_routes[1].continue_()
    expect(preview).not_to_have_attribute("aria-busy", "true")
    expect(preview.get_by_label("what is")).to_be_focused()
