"""Previews of chosen files in a real browser: the newest question alone is answered."""

import io
import struct
import zipfile

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


def in_large_form(content):
    """The same zip archive in the form for very large ones, zip64."""
    end = content.rfind(b"PK\x05\x06")
    n, _, size, start = struct.unpack_from("<2H2L", content, end + 8)
    counts = (0, 0, n, n, size, start)
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, *counts)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    last = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0)
    return content[:end] + record + locator + last


def test_media_that_cannot_be_listed_here_say_why_and_what_to_do(form):
    content = archive({"a.png": PNG}).getvalue()
    large = in_large_form(content)
    assert zipfile.ZipFile(io.BytesIO(large)).namelist() == ["a.png"]
    row = line("d1", parts=[{"kind": "image", "path": "a.png"}])
    table = {"name": "a.jsonl", "mimeType": "text/plain", "buffer": file(row).getvalue()}
    form.locator("[name=file]").set_input_files(table)
    preview = form.locator("[data-preview]")
    for media, sentences in (
        (large, ("media.zip is a zip in the form for very large archives", "Send it all the same")),
        (b"Rar!" * 9, ("media.zip is no zip archive", "pack the media in one")),
        (content, ("1 of 1 named media is in the zip.",)),
    ):
        file_of_media = {"name": "media.zip", "mimeType": "application/zip", "buffer": media}
        form.locator("[name=media]").set_input_files(file_of_media)
        for sentence in sentences:
            expect(preview).to_contain_text(sentence)
