"""The card of a term: opened by hover, focus and tap, closed by leaving and Escape, in sight."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.addresses.page_checks import PHONE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.static.pages")]


@pytest.fixture
def page_of_terms(page: Page, live_server: object) -> Page:
    page.goto(f"{live_server.url}/terms/")
    return page


def word(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def test_hover_opens_the_card_and_leaving_closes_it(page_of_terms):
    card = page_of_terms.locator("#term-pool")
    expect(card).to_be_hidden()
    word(page_of_terms, "pool").hover()
    expect(card).to_be_visible()
    card.hover()
    expect(card).to_be_visible()
    page_of_terms.locator("h1").hover()
    expect(card).to_be_hidden()


def test_focus_opens_the_card_escape_closes_it_and_a_click_opens_it_again(page_of_terms):
    card = page_of_terms.locator("#term-pool")
    word(page_of_terms, "pool").focus()
    expect(card).to_be_visible()
    page_of_terms.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(word(page_of_terms, "pool")).to_be_focused()
    page_of_terms.keyboard.press("Enter")
    expect(card).to_be_visible()


def test_focus_that_goes_on_takes_the_card_along(page_of_terms):
    word(page_of_terms, "pool").focus()
    page_of_terms.keyboard.press("Tab")
    expect(page_of_terms.locator("#term-pool")).to_be_hidden()
    expect(page_of_terms.locator("#term-depth")).to_be_visible()


def test_the_card_describes_its_word(page_of_terms):
    expect(word(page_of_terms, "pool")).to_have_accessible_description(
        page_of_terms.locator("#term-pool").text_content()
    )


def test_on_a_phone_a_tap_opens_the_card_in_sight_and_a_tap_elsewhere_closes_it(
    new_context, live_server
):
    page = new_context(**PHONE).new_page()
    page.goto(f"{live_server.url}/terms/")
    word(page, "depth").tap()
    expect(page.locator("#term-depth")).to_be_visible()
    box = page.locator("#term-depth").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["viewport"]["width"]
    page.locator("h1").tap()
    expect(page.locator("#term-depth")).to_be_hidden()


def test_the_full_stop_after_a_term_stays_on_its_line(page_of_terms):
    is_apart = """(word) => {
      const sentence = word.closest("p");
      const stop = document.createRange();
      stop.selectNodeContents(sentence.lastChild);
      const widths = Array.from({ length: 200 }, (_, n) => n);
      return widths.filter((width) => {
        sentence.style.width = `${width}px`;
        return stop.getBoundingClientRect().top >= word.getBoundingClientRect().bottom;
      });
    }"""
    assert word(page_of_terms, "pool").evaluate(is_apart) == []
