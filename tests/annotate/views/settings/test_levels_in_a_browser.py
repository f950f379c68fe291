"""Levels in a real browser: what contradicts itself is told while somebody types."""

import pytest
from playwright.sync_api import Page, expect

from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)
SAME_NAME = "Two levels have the same name"


@pytest.mark.parametrize("address", ["/c/shapes/settings/levels/", "/collections/new/?levels=eccv"])
def test_a_second_level_of_one_name_is_told_at_its_field_until_it_has_another(
    page: Page, live_server, lead, address
):
    cast.sign_in(page.context, live_server.url, lead)
    page.goto(live_server.url + address)
    name = page.locator("[name=levels-1-name]")
    name.fill(page.locator("[name=levels-0-name]").input_value().upper())
    error = page.locator("#id_levels-1-name_error")
    expect(error).to_contain_text(SAME_NAME)
    expect(name).to_be_focused()
    name.fill("Hardly")
    expect(error).to_be_empty()
    expect(page.locator("#levels-draft")).to_contain_text("“Hardly”")
    expect(page.locator(".levels-picture .level-name").nth(1)).to_have_text("Hardly")
    expect(page.locator("#levels-1-title")).to_have_text("Hardly")
