"""The form of a new pool in a real browser: an unreadable field is named, not sent as nothing."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Role
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


def test_preview_sends_no_number_that_the_browser_cannot_read(page, live_server):
    study = studies.study("study")
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.RESEARCHER))
    requests = []
    page.on(
        "request",
        lambda request: requests.append(request.url) if request.url.endswith("/preview/") else None,
    )
    page.goto(live_server.url + reverse("pooling:pool-new", args=["study"]))
    depth = page.get_by_label("Depth", exact=True)
    depth.clear()
    # all that Chromium lets one type of what is no number; Firefox takes any letter
    depth.press("e")
    page.get_by_role("button", name="Preview").click()
    expect(depth).to_be_focused()
    assert depth.evaluate("(field) => field.validity.badInput") and requests == []
    depth.clear()
    depth.fill("3")
    with page.expect_request("**/preview/"):
        page.get_by_role("button", name="Preview").click()
    expect(page.locator("#policy-version")).to_have_value("1")
