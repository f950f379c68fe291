"""Content warnings: covered items are neither seen, heard nor moved until uncovered."""

import pytest
from playwright.sync_api import expect

from tests.browsing import wait_for_expression
from tests.judge_screen.screen import expect_saved, image, open_documents, recording, video

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
WARNING = "It may upset you"


def text(collection):
    return {"kind": "text", "text": "Two red circles."}


@pytest.fixture
def open_covered(collection, open_judge):
    """Function that opens a card whose only part is covered by a warning."""

    def act(part):
        open_documents(collection, part(collection), warning=WARNING)
        page = open_judge()
        expect(page.locator("#document .veil")).to_contain_text(WARNING)
        assert page.evaluate("document.querySelector('#document .item-body').inert")
        return page

    return act


def media_attribute(page, attribute):
    return page.evaluate(f"document.querySelector('#document :is(video, audio)').{attribute}")


@pytest.mark.parametrize("part", [image, text, video, recording])
def test_a_warning_covers_the_item_until_it_is_asked_for(open_covered, part):
    page = open_covered(part)
    body = page.locator("#document .item-body")
    assert body.evaluate("(body) => getComputedStyle(body).filter") != "none"  # blurred
    page.keyboard.press("v")
    expect(page.locator(".veil")).to_have_count(0)
    assert not body.evaluate("(body) => body.inert")
    assert body.evaluate("(body) => getComputedStyle(body).filter") == "none"


def test_the_button_on_the_warning_uncovers_it_too(open_covered):
    page = open_covered(text)
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".veil")).to_have_count(0)
    expect(page.locator("#document")).to_have_text("Two red circles.")


@pytest.mark.parametrize("part", [video, recording])
def test_no_key_plays_a_clip_that_a_warning_covers(open_covered, part):
    page = open_covered(part)
    wait_for_expression(
        page, "document.querySelector('#document :is(video, audio)').readyState > 1"
    )
    before = [
        media_attribute(page, attribute) for attribute in ("muted", "playbackRate", "currentTime")
    ]
    for key in ("Space", "o", "s", "m", "ArrowRight", "."):
        page.keyboard.press(key)
    assert media_attribute(page, "paused")  # no playing, not even for a moment
    assert [
        media_attribute(page, attribute) for attribute in ("muted", "playbackRate", "currentTime")
    ] == before
    expect(page.locator("#document [data-act=loopToggle]")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.press("v")
    if part is recording:
        assert media_attribute(page, "paused")  # sound does not start by itself
        page.keyboard.press("Space")
    wait_for_expression(page, "!document.querySelector('#document :is(video, audio)').paused")


def test_no_key_enlarges_an_image_that_a_warning_covers(open_covered):
    page = open_covered(image)
    page.keyboard.press("+")
    page.keyboard.press("v")
    expect(page.locator("#document [data-zoom]")).to_have_text("fit")
    page.keyboard.press("+")
    expect(page.locator("#document [data-zoom]")).not_to_have_text("fit")


def test_what_stays_covered_can_be_judged(open_covered):
    page = open_covered(video)
    page.keyboard.press("2")
    expect_saved(page)
