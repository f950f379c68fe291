"""The keys of a clip: loop, sound, and one frame back and forward."""

import pytest
from playwright.sync_api import expect

from tests.browsing import wait_for_expression
from tests.judge_screen.screen import open_documents, video

pytestmark = pytest.mark.django_db(transaction=True)
CURRENT_TIME = "document.querySelector('#document video').currentTime"
FRAME = 1 / 25


@pytest.fixture
def page(collection, open_judge, media_root):
    """A judge screen with a playing clip."""
    open_documents(collection, video(collection))
    page = open_judge()
    wait_until_playing(page)
    return page


def wait_until_playing(page):
    """Wait until the clip is on screen and plays."""
    expect(page.locator("#document video")).to_be_visible()
    wait_for_expression(page, f"{CURRENT_TIME} > 0.2")


def is_pressed(page, act):
    return page.locator(f"#document [data-act={act}]").get_attribute("aria-pressed")


def test_o_switches_the_loop_and_a_clip_without_it_ends(page):
    assert is_pressed(page, "loopToggle") == "true"
    page.keyboard.press("o")
    assert is_pressed(page, "loopToggle") == "false"
    page.evaluate("document.querySelector('#document video').playbackRate = 4")
    wait_for_expression(page, "document.querySelector('#document video').paused")
    assert page.evaluate(
        f"{CURRENT_TIME} >= document.querySelector('#document video').duration - 0.1"
    )
    page.keyboard.press("o")
    page.keyboard.press("Space")
    wait_for_expression(
        page, f"!document.querySelector('#document video').paused && {CURRENT_TIME} < 2"
    )
    wait_for_expression(page, f"{CURRENT_TIME} > 2")
    wait_for_expression(page, f"{CURRENT_TIME} < 2")  # round and round
    assert is_pressed(page, "loopToggle") == "true"


def test_m_switches_the_sound_and_that_is_remembered(page):
    muted = "document.querySelector('#document video').muted"
    assert (page.evaluate(muted), is_pressed(page, "mute")) == (True, "true")
    page.keyboard.press("m")
    assert (page.evaluate(muted), is_pressed(page, "mute")) == (False, "false")
    page.reload()
    wait_until_playing(page)
    assert (page.evaluate(muted), is_pressed(page, "mute")) == (False, "false")


def test_full_stop_and_comma_go_one_frame_forward_and_back_and_hold_the_clip(page):
    page.keyboard.press(".")
    assert page.evaluate("document.querySelector('#document video').paused")
    at = page.evaluate(f"{CURRENT_TIME} = 1")  # it may have been held at its very end
    page.keyboard.press(".")
    assert page.evaluate(CURRENT_TIME) == pytest.approx(at + FRAME, abs=0.005)
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert page.evaluate(CURRENT_TIME) == pytest.approx(at - FRAME, abs=0.005)
    expect(page.locator("#document [data-act=play]")).to_have_attribute("aria-label", "Play")
