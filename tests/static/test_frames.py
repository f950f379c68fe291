"""Frames of clips in lists, in a real browser: a host that hangs holds up no others for long."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests import cast
from tests.browsing import pass_time, wait_for_condition

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("frozen_pages")]
SHOW = """() => {
  const list = document.createElement("div");
  for (let number = 0; number < 10; number += 1) {
    const clip = Object.assign(document.createElement("video"), { muted: true, preload: "none" });
    clip.src = `/clips/${number}.webm`;
    clip.dataset.frame = "";
    clip.style = "display: inline-block; width: 20px; height: 20px";
    list.append(clip);
  }
  document.getElementById("main").prepend(list);
  document.dispatchEvent(new Event("htmx:after:swap"));
}"""


def test_clips_that_give_no_frame_hold_up_others_for_ten_seconds_at_most(
    page: Page, live_server, researcher
):
    addresses: set[str] = set()

    def hang(route: Route) -> None:
        addresses.add(route.request.url)

    page.route("**/clips/*.webm", hang)
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(live_server.url)
    page.evaluate(SHOW)
    wait_for_condition(page, lambda: len(addresses) == 4)
    # a browser may end with a clip's length and size, and load no frame
    page.locator("video").first.dispatch_event("loadedmetadata")
    wait_for_condition(page, lambda: len(addresses) == 5)
    pass_time(page, 11)
    wait_for_condition(page, lambda: len(addresses) == 9)
    expect(page.locator("video[hidden]")).to_have_count(0)
