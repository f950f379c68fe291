"""Active time: its clock stops half a minute after the last movement, and on a hidden page."""

import pytest

from annotate.models import Judgment
from tests.browsing import pass_time
from tests.judge_screen.screen import expect_saved

pytestmark = pytest.mark.django_db(transaction=True)

CLOCK = """async () => {
    const { Clock } = await import("/static/js/judge/deck/clock.js");
    window.plays = false;
    window.testClock = new Clock(() => window.plays);
    window.testClock.start();
}"""
HIDE = """(hidden) => {
    Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def clock(frozen_pages, open_judge):
    """The page with a further clock, on a time that the test moves."""
    page = open_judge()
    page.evaluate(CLOCK)
    return page


def active_seconds(page):
    return page.evaluate("window.testClock.read() / 1000")


def move_pointer(page):
    page.evaluate("dispatchEvent(new PointerEvent('pointermove'))")


def test_the_clock_stops_half_a_minute_after_the_last_movement_and_goes_on_with_the_next(clock):
    pass_time(clock, 20)
    assert active_seconds(clock) == pytest.approx(20)
    pass_time(clock, 100)
    assert active_seconds(clock) == pytest.approx(30)
    move_pointer(clock)
    pass_time(clock, 5)
    assert active_seconds(clock) == pytest.approx(35)


def test_the_clock_runs_while_media_play_and_half_a_minute_longer(clock):
    clock.evaluate("window.plays = true")
    pass_time(clock, 100)
    assert active_seconds(clock) == pytest.approx(100, abs=1)
    clock.evaluate("window.plays = false")
    pass_time(clock, 100)
    assert active_seconds(clock) == pytest.approx(130, abs=1)


def test_the_clock_stands_while_the_page_is_hidden(clock):
    pass_time(clock, 10)
    clock.evaluate(HIDE, True)
    pass_time(clock, 500)
    clock.evaluate(HIDE, False)
    move_pointer(clock)
    pass_time(clock, 5)
    assert active_seconds(clock) == pytest.approx(15)
    clock.evaluate("window.testClock.start()")
    assert active_seconds(clock) == 0


@pytest.mark.usefixtures("frozen_pages")
def test_an_answer_carries_its_active_time(open_judge):
    page = open_judge()
    pass_time(page, 7)
    page.keyboard.press("2")
    expect_saved(page)
    assert Judgment.objects.get().active_ms == 7_000
