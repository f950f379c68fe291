"""Active time: a clock that stops half a minute after the last movement, and while nobody can see the screen."""

import pytest

from annotate.models import Judgment
from tests.judge_screen.screen import saved

pytestmark = pytest.mark.django_db(transaction=True)

CLOCK = """async () => {
    const { Clock } = await import("/static/js/judge/clock.js");
    window.plays = false;
    window.made = new Clock(() => window.plays);
    window.made.start();
}"""
HIDE = """(hidden) => {
    Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def clock(open_judge):
    """The page, with a clock of its own on a time that the test moves."""
    page = open_judge(before=lambda page: page.clock.install(time=1_700_000_000))
    page.clock.pause_at(1_700_000_100)
    page.evaluate(CLOCK)
    return page


def run(page, seconds):
    page.clock.run_for(1_000 * seconds)


def read(page):
    return page.evaluate("window.made.read() / 1000")


def move(page):
    page.evaluate("dispatchEvent(new PointerEvent('pointermove'))")


def test_the_clock_stops_half_a_minute_after_the_last_movement_and_goes_on_with_the_next(clock):
    run(clock, 20)
    assert read(clock) == pytest.approx(20, abs=0.1)
    run(clock, 100)
    assert read(clock) == pytest.approx(30, abs=0.1)
    move(clock)
    run(clock, 5)
    assert read(clock) == pytest.approx(35, abs=0.1)


def test_the_clock_runs_while_media_play_and_half_a_minute_longer(clock):
    clock.evaluate("window.plays = true")
    run(clock, 100)
    assert read(clock) == pytest.approx(100, abs=1.1)
    clock.evaluate("window.plays = false")
    run(clock, 100)
    assert read(clock) == pytest.approx(130, abs=1.1)


def test_the_clock_stands_while_the_page_is_hidden(clock):
    run(clock, 10)
    clock.evaluate(HIDE, True)
    run(clock, 500)
    clock.evaluate(HIDE, False)
    move(clock)
    run(clock, 5)
    assert read(clock) == pytest.approx(15, abs=0.1)
    clock.evaluate("window.made.start()")
    assert read(clock) == 0


def test_an_answer_carries_its_active_time(open_judge):
    page = open_judge(before=lambda page: page.clock.install())
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    page.keyboard.press("Shift")
    page.clock.run_for(7_000)
    page.keyboard.press("2")
    page.clock.resume()
    saved(page)
    assert 7_000 <= Judgment.objects.get().active_ms <= 40_000
