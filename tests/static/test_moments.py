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
