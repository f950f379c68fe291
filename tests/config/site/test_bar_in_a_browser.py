"""The bar in a real browser: on a phone that is held upright the sections are at the bottom."""

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Role
from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)
BOX = "one => (({top, bottom, height}) => [top, bottom, height])(one.getBoundingClientRect())"
LAST_LINE = """one =>
  one.getBoundingClientRect().bottom - parseFloat(getComputedStyle(one).paddingBottom)"""
# of what has the focus in the page; what is higher than half the window need only begin there
IS_ABOVE = """barTop => {
  const focused = document.activeElement, {top, bottom, height} = focused.getBoundingClientRect();
  return !focused.closest("main") || (height < barTop / 2 ? bottom : top) <= barTop;
}"""
NARROWEST = 320


@pytest.fixture
def members(page: Page, live_server) -> Page:
    """The page of members, of a collection with a long name."""
    collection = cast.collection("birds")
    collection.name = "Birds of the northern coasts " * 3
    collection.save(update_fields=["name"])
    cast.sign_in(page.context, live_server.url, cast.member(collection, Role.LEAD))
    page.goto(f"{live_server.url}/c/birds/people/members/")
    return page


def test_the_sections_are_at_the_bottom_of_an_upright_phone_alone(members):
    for width, height in ((390, 844), (NARROWEST, 640)):
        members.set_viewport_size({"width": width, "height": height})
        _, bottom, _ = members.locator(".nav").evaluate(BOX)
        assert bottom == height
        expect(members.locator(".nav svg").first).to_be_visible()
        top, bottom, bar_height = members.locator(".bar-row").evaluate(BOX)
        assert top == 0 and bar_height < 60  # one row, whatever the collection is called
    for width, height in ((1280, 800), (844, 390), (667, 375)):
        members.set_viewport_size({"width": width, "height": height})
        top, _, _ = members.locator(".nav").evaluate(BOX)
        assert top < 60
        expect(members.locator(".nav svg").first).to_be_hidden()


def test_what_has_the_focus_is_not_beneath_the_bar(members, live_server):
    members.set_viewport_size({"width": 390, "height": 844})
    members.goto(f"{live_server.url}/c/birds/settings/guidelines/")
    bar_top, _, _ = members.locator(".nav").evaluate(BOX)
    n_text_areas = 0
    for _ in range(40):
        members.keyboard.press("Tab")
        members.wait_for_function(IS_ABOVE, arg=bar_top)
        n_text_areas += members.locator("main textarea:focus").count()
    assert n_text_areas > 1


def test_no_word_of_the_bar_is_cut_and_the_foot_is_above_it(members):
    members.set_viewport_size({"width": NARROWEST, "height": 640})
    words = members.locator(".nav a > span:first-of-type")
    assert words.all_inner_texts() == ["Home", "Judging", "People", "Results", "Inbox"]
    assert words.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")
    bar_top, _, _ = members.locator(".nav").evaluate(BOX)
    members.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert members.locator(".foot").evaluate(LAST_LINE) <= bar_top
