"""What was saved is told once it is; a card that comes back shows what was said of it before."""

import pytest
from playwright.sync_api import Page, expect

from tests.addresses.page_checks import PHONE
from tests.browsing import wait_for_condition
from tests.judge_screen.screen import expect_position, expect_saved, stored_grades

pytestmark = pytest.mark.django_db(transaction=True)
HINT = "Press z to take it back."


def expect_echo(page: Page, words: str) -> None:
    """Wait until the line below the answers says this."""
    expect(page.locator("#echo")).to_have_text(words, use_inner_text=True)


def places(page: Page) -> list[object]:
    """The boxes of the levels and of the document."""
    boxes = page.locator(".level, #document, .judge-actions")
    return [boxes.nth(index).bounding_box() for index in range(boxes.count())]


def record_announcements(page: Page) -> None:
    """Record all announcements to screen readers in their order."""
    page.evaluate("""() => {
        window.announcements = [];
        const live = document.getElementById("live");
        const record = () => live.textContent && window.announcements.push(live.textContent);
        new MutationObserver(record).observe(live, {childList: true});
    }""")


def test_an_answer_is_called_saved_when_the_server_has_it_and_nothing_moves(open_judge):
    page = open_judge()
    expect_position(page, 1)
    expect_echo(page, "A finished answer is saved at once, and can be taken back.")
    first_places = places(page)
    record_announcements(page)
    routes: list = []
    page.route("**/judge/answer", lambda route: routes.append(route))  # noqa: PLW0108 - of a method Playwright asks more
    page.keyboard.press("2")
    expect_position(page, 2)
    wait_for_condition(page, lambda: routes)
    expect_echo(page, "Saving…")
    assert page.evaluate("window.announcements") == []
    assert places(page) == first_places
    routes[0].continue_()
    expect_echo(page, f"Saved: Level 2. {HINT}")
    expect(page.locator("#live")).to_have_text("Saved: Level 2.")
    assert page.evaluate("window.announcements") == ["Saved: Level 2."]
    assert places(page) == first_places


def test_reasons_are_told_with_the_level(open_judge):
    page = open_judge()
    for key in ("1", "a", "d", "Enter"):
        page.keyboard.press(key)
    expect_echo(page, f"Saved: Level 1 (colour, action). {HINT}")


def test_of_answers_that_wait_the_last_is_told_once_it_is_saved(open_judge, context):
    page = open_judge()
    expect_position(page, 1)
    record_announcements(page)
    context.set_offline(True)
    page.keyboard.press("2")
    expect_position(page, 2)
    page.keyboard.press("0")
    expect_position(page, 3)
    expect_echo(page, "Not saved - will retry (2 waiting)")
    context.set_offline(False)
    expect_echo(page, f"Saved: Level 0. {HINT}")
    assert "Saved: Level 2." not in page.evaluate("window.announcements")


def test_what_was_refused_is_not_called_saved(open_judge):
    page = open_judge()
    refusal = {"error": "The scheme has no grade 2."}
    page.route("**/judge/answer", lambda route: route.fulfill(status=422, json=refusal))
    page.keyboard.press("2")
    expect(page.locator("#saved")).to_have_text("1 refused")
    expect_echo(page, "")


def test_a_report_is_told_too(open_judge):
    page = open_judge()
    page.keyboard.press("l")
    expect_echo(page, f"Put off: it comes back at the end of the batch. {HINT}")


@pytest.mark.parametrize("is_reloaded", [False, True])
def test_a_card_that_comes_back_shows_what_was_said_of_it(open_judge, is_reloaded):
    page = open_judge()
    page.locator("#comment").fill("a wing")
    page.keyboard.press("Escape")
    for key in ("1", "d", "Enter"):
        page.keyboard.press(key)
    expect_position(page, 2)
    expect_saved(page)
    if is_reloaded:  # the server tells what this page does not know any more
        page.reload()
        expect_position(page, 2)
    page.keyboard.press("z")
    expect_position(page, 1)
    expect_echo(page, "Taken back. You had said: Level 1 (action).")
    expect(page.locator("#live")).to_have_text(
        "The last judgment is undone. You had said: Level 1 (action)."
    )
    level = page.locator('.level[data-grade="1"]')
    expect(level.locator(".level-earlier")).to_be_visible()
    expect(page.locator(".level-earlier:visible")).to_have_count(1)
    expect(level).to_have_attribute("aria-checked", "false")
    expect(page.locator("#comment")).to_have_value("a wing")
    page.keyboard.press("1")
    expect(page.locator('#chips [aria-pressed="true"]')).to_have_text("d action")
    page.keyboard.press("Enter")
    expect_position(page, 2)
    expect_echo(page, f"Saved: Level 1 (action). {HINT}")
    expect(page.locator(".level-earlier:visible")).to_have_count(0)
    assert stored_grades() == [1, 1]


def test_what_was_said_is_not_shown_of_the_next_card(open_judge):
    page = open_judge()
    page.keyboard.press("2")
    expect_position(page, 2)
    expect_saved(page)
    page.keyboard.press("z")
    expect_echo(page, "Taken back. You had said: Level 2.")
    page.keyboard.press("l")
    expect_echo(page, f"Put off: it comes back at the end of the batch. {HINT}")
    expect(page.locator(".level-earlier:visible")).to_have_count(0)


@pytest.mark.browser_context_args(**PHONE)
def test_a_touch_takes_the_answer_back(open_judge):
    page = open_judge()
    page.keyboard.press("2")
    expect_position(page, 2)
    expect_echo(page, "Saved: Level 2.\nUndo")
    page.locator("#echo").get_by_role("button", name="Undo").tap()
    expect_position(page, 1)
    expect_echo(page, "Taken back. You had said: Level 2.")
