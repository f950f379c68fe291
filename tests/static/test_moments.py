"""Times of a page in the reader's own time, with UTC on hover; in UTC without a script."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.static.pages")]


@pytest.mark.parametrize(
    ("timezone", "words"),
    [
        (
            "America/New_York",
            "4 Mar 2026 22:08, 4 Mar 2026, 4 Mar 2026 22:08:09, 4 Mar 22:08, 22:08, 5 Mar 2026",
        ),
        (
            "UTC",
            "5 Mar 2026 03:08 UTC, 5 Mar 2026, 5 Mar 2026 03:08:09 UTC, 5 Mar 03:08 UTC, "
            "03:08 UTC, 5 Mar 2026",
        ),
    ],
)
def test_a_page_tells_times_in_the_readers_zone_and_utc_on_hover(
    new_context, live_server, timezone, words
):
    page = new_context(timezone_id=timezone).new_page()
    page.goto(f"{live_server.url}/times/")
    expect(page.locator("main p")).to_have_text(words)
    expect(page.locator("main time").first).to_have_attribute("title", "5 Mar 2026 03:08:09 UTC")


def test_without_a_script_times_are_in_utc_and_say_so(new_context, live_server):
    page = new_context(timezone_id="America/New_York", java_script_enabled=False).new_page()
    page.goto(f"{live_server.url}/times/")
    expect(page.locator("main time").first).to_have_text("5 Mar 2026 03:08 UTC")


def test_a_field_in_utc_tells_beneath_it_the_time_where_the_reader_is(new_context, live_server):
    page = new_context(timezone_id="America/New_York").new_page()
    page.goto(f"{live_server.url}/times/")
    field, beneath = page.get_by_label("From (UTC)"), page.locator("form output")
    expect(field).to_have_value("2026-03-05T03:08:09")
    expect(beneath).to_have_text("In your time: 4 Mar 2026 22:08")
    field.fill("2026-07-05T12:00")
    expect(beneath).to_have_text("In your time: 5 Jul 2026 08:00")
    field.fill("")
    expect(beneath).to_have_text("")


def test_where_the_reader_s_time_is_utc_a_field_tells_nothing_more(new_context, live_server):
    page = new_context(timezone_id="UTC").new_page()
    page.goto(f"{live_server.url}/times/")
    expect(page.locator("form output")).to_have_text("")
