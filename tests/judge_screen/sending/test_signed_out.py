"""A session that ends during judging: nothing is lost, and signing in is always possible."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from tests import cast
from tests.judge_screen.screen import N_PAIRS, expect_position, expect_saved, stored_grades

pytestmark = pytest.mark.django_db(transaction=True)
DEAF_TO_FOCUS = """() => {
  const stop = (event) => event.stopImmediatePropagation();
  for (const name of ["focus", "visibilitychange"]) addEventListener(name, stop, true);
}"""


def focus_again(page):
    """Simulate coming back from another tab."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def warns_on_leaving(page):
    return page.evaluate("!dispatchEvent(new Event('beforeunload', {cancelable: true}))")


@pytest.fixture
def page(open_judge):
    """The judge screen after its session ended before the first answer."""
    page = open_judge()
    expect_position(page, 1)
    Session.objects.all().delete()
    page.keyboard.press("2")
    expect(page.locator("#dialog-signin")).to_be_visible()
    return page


def test_the_dialog_says_that_the_sign_in_opens_in_a_new_tab_and_the_page_stays(page):
    dialog = page.locator("#dialog-signin")
    expect(dialog).to_contain_text("This page stays as it is. The sign-in opens in a new tab")
    expect(dialog).to_contain_text("Waiting: 1.")
    link = dialog.get_by_role("link", name="Sign in in a new tab")
    with page.context.expect_page() as opened:
        link.click()
    expect(opened.value.get_by_role("heading", name="Sign in")).to_be_visible()
    opened.value.close()
    expect(dialog).to_be_visible()


def test_a_sign_in_in_a_new_tab_ends_there_and_the_first_tab_goes_on_by_itself(page, person):
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in in a new tab").click()
    new_tab = opened.value
    new_tab.fill("[name=login]", person.username)
    new_tab.fill("[name=password]", cast.PASSWORD)
    new_tab.press("[name=password]", "Enter")
    expect(new_tab.get_by_role("heading", name="You are signed in again")).to_be_visible()
    expect(new_tab.get_by_role("main")).to_contain_text("Go back to your first tab")
    assert not new_tab.locator(".level").count()
    expect_saved(page)
    expect(page.locator("#dialog-signin")).to_be_hidden()
    assert stored_grades() == [2]
    new_tab.close()


def test_the_first_tab_goes_on_by_the_word_of_the_new_one_without_being_looked_at(page, person):
    # what brings it the focus tells it nothing: only the message of the new tab is left
    page.evaluate(DEAF_TO_FOCUS)
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in in a new tab").click()
    new_tab = opened.value
    new_tab.fill("[name=login]", person.username)
    new_tab.fill("[name=password]", cast.PASSWORD)
    new_tab.press("[name=password]", "Enter")
    expect_saved(page)
    expect(page.locator("#dialog-signin")).to_be_hidden()
    assert stored_grades() == [2]
    new_tab.close()


def test_who_closed_the_dialog_goes_on_and_what_waits_is_sent_when_she_comes_back_signed_in(
    page, sign_in, person
):
    page.keyboard.press("Escape")
    expect(page.locator("#dialog-signin")).to_be_hidden()
    assert warns_on_leaving(page)
    page.keyboard.press("0")
    expect(page.locator("#saved")).to_have_text("Not saved - signed out (2 waiting)")
    focus_again(page)  # nobody signed in meanwhile
    expect(page.locator("#saved")).to_have_text("Not saved - signed out (2 waiting)")
    sign_in(person)
    focus_again(page)
    expect_saved(page)
    assert stored_grades() == [2, 0]
    expect(page.get_by_role("button", name="Sign in")).to_be_hidden()
    assert not warns_on_leaving(page)


def test_the_header_offers_the_sign_in_that_was_closed_once_more(page, sign_in, person):
    page.keyboard.press("Escape")
    page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    expect(page.locator("#dialog-signin")).to_be_visible()
    sign_in(person)
    page.get_by_role("button", name="I have signed in").click()
    expect(page.locator("#dialog-signin")).to_be_hidden()
    expect_saved(page)
    assert stored_grades() == [2]


def test_an_empty_deck_says_that_one_is_signed_out_and_goes_on_from_there(page, sign_in, person):
    page.keyboard.press("Escape")
    while page.locator("#card").is_visible():
        page.keyboard.press("2")
    expect(page.locator("#empty-title")).to_have_text("You are signed out")
    n_waiting = page.locator("#saved").inner_text().partition("(")[2].split()[0]
    expect(page.locator("#empty-text")).to_contain_text(
        f"{n_waiting} answers are kept in this browser"
    )
    page.locator("#empty").get_by_role("button", name="Sign in").click()
    expect(page.locator("#dialog-signin")).to_be_visible()
    sign_in(person)
    page.get_by_role("button", name="I have signed in").click()
    expect_saved(page)
    assert stored_grades() == [2] * int(n_waiting)


def test_a_session_found_ended_by_an_undo_is_told_and_not_called_an_unreachable_server(open_judge):
    page = open_judge()
    expect_position(page, 1)
    Session.objects.all().delete()
    page.keyboard.press("z")
    expect(page.locator("#dialog-signin")).to_be_visible()
    expect(page.locator("#saved")).to_have_text("Signed out")


def test_a_session_found_ended_when_cards_are_asked_for_is_told_the_same_way(
    open_judge, sign_in, person
):
    page = open_judge()
    for number in range(1, N_PAIRS + 1):
        expect_position(page, number)
        page.keyboard.press("2")
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    expect_saved(page)
    Session.objects.all().delete()
    page.get_by_role("button", name="Look again").click()
    expect(page.locator("#dialog-signin")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#empty-title")).to_have_text("You are signed out")
    expect(page.locator("#saved")).to_have_text("Signed out")
    assert not warns_on_leaving(page)
    sign_in(person)
    focus_again(page)
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    expect_saved(page)
