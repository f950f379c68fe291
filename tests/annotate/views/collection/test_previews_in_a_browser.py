"""Previews of chosen files in a real browser: the newest question alone is answered."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests import cast
from tests.annotate.core.files.samples import archive, file, line
from tests.annotate.views.collection.test_previews import PNG
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


@pytest.mark.parametrize("compression", [0, 8])
def test_pictures_of_the_media_zip_are_shown_and_what_it_lacks_is_told(form, compression):
    table = file(
        line("d1", parts=[{"kind": "image", "path": "a.png"}]),
        line("d2", parts=[{"kind": "image", "path": "b.png"}]),
        line("d3", parts=[{"kind": "image", "path": "https://example.org/c.png"}]),
    ).getvalue()
    media = archive({"media/a.png": PNG, "media/x.png": PNG}, compression=compression).getvalue()
    preview = form.locator("[data-preview]")
    form.locator("[name=file]").set_input_files(
        {"name": "items.jsonl", "mimeType": "text/plain", "buffer": table}
    )
    expect(preview).to_contain_text("name files that items.jsonl does not hold")
    form.locator("[name=media]").set_input_files(
        {"name": "media.zip", "mimeType": "application/zip", "buffer": media}
    )
    expect(preview).to_contain_text("1 of 2 named media are in the zip; not in it: b.png.")
    expect(preview).to_contain_text("b.png: not in the zip")
    expect(preview).not_to_contain_text("c.png: not in the zip")
    picture = preview.locator("img")
    expect(picture).to_have_count(1)
    wait_for_condition(form, lambda: picture.evaluate("(image) => image.naturalWidth") == 1)
