"""The keys of a clip: loop, sound, and one frame back and forward."""

import pytest
from playwright.sync_api import expect

from tests.browsing import until
from tests.judge_screen.screen import show, video

pytestmark = pytest.mark.django_db(transaction=True)
AT = "document.querySelector('#document video').currentTime"
FRAME = 1 / 25


@pytest.fixture
def page(collection, open_judge, media_root):
    """A clip that plays."""
    show(collection, video(collection))
    page = open_judge()
    plays(page)
    return page


def plays(page):
    """Wait until the clip is on screen and plays."""
    expect(page.locator("#document video")).to_be_visible()
    until(page, f"{AT} > 0.2")


def pressed(page, act):
    return page.locator(f"#document [data-act={act}]").get_attribute("aria-pressed")


def test_o_switches_the_loop_and_a_clip_without_it_ends(page):
    assert pressed(page, "loopToggle") == "true"
    page.keyboard.press("o")
    assert pressed(page, "loopToggle") == "false"
    page.evaluate("document.querySelector('#document video').playbackRate = 4")
    until(page, "document.querySelector('#document video').paused")
    assert page.evaluate(f"{AT} >= document.querySelector('#document video').duration - 0.1")
    page.keyboard.press("o")
    page.keyboard.press("Space")
    until(page, f"!document.querySelector('#document video').paused && {AT} < 2")
    until(page, f"{AT} > 2")
    until(page, f"{AT} < 2")  # round and round
    assert pressed(page, "loopToggle") == "true"


def test_m_switches_the_sound_and_that_is_remembered(page):
    muted = "document.querySelector('#document video').muted"
    assert (page.evaluate(muted), pressed(page, "mute")) == (True, "true")
    page.keyboard.press("m")
    assert (page.evaluate(muted), pressed(page, "mute")) == (False, "false")
    page.reload()
    plays(page)
    assert (page.evaluate(muted), pressed(page, "mute")) == (False, "false")


def test_full_stop_and_comma_go_one_frame_forward_and_back_and_hold_the_clip(page):
    page.keyboard.press(".")
    assert page.evaluate("document.querySelector('#document video').paused")
    at = page.evaluate(f"{AT} = 1")  # it may have been held at its very end
    page.keyboard.press(".")
    assert page.evaluate(AT) == pytest.approx(at + FRAME, abs=0.005)
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert page.evaluate(AT) == pytest.approx(at - FRAME, abs=0.005)
    expect(page.locator("#document [data-act=play]")).to_have_attribute("aria-label", "Play")
