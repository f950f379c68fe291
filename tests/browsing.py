"""Waiting with a real browser: for what it tells, and for time to pass where its clock stands."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page

from config.up.processes import wait_until

PATIENCE = 120_000  # milliseconds: waiting costs nothing where all goes well, and machines differ
COUNT_ANSWERS = """
    window.nAnswers = 0;
    document.addEventListener("htmx:finally:request", () => { window.nAnswers += 1; });
"""


def patient(context: BrowserContext) -> BrowserContext:
    """Have what is asked of a browser's pages waited for."""
    context.set_default_timeout(PATIENCE)
    return context


def until(page: Page, expression: str) -> None:
    """Wait until a script's expression holds; a page's policy lets nothing wait for it from inside."""
    assert wait_until(lambda: page.evaluate(expression), seconds=240), expression


def heard(page: Page, holds: Callable[[], object]) -> None:
    """Wait until something holds of what the browser has told, which is heard while it is asked for anything."""
    assert wait_until(lambda: page.evaluate("true") and bool(holds()), seconds=240)


def pass_time(page: Page, seconds: float) -> None:
    """Let time pass for the pages of a browser whose clock stands."""
    page.clock.run_for(round(1_000 * seconds))


def look(page: Page, *, clock_stands: bool = False) -> None:
    """Look at the card of the judge screen until its levels are awake."""
    asleep = page.locator("#judge.is-asleep")
    heard(page, lambda: not asleep.count() or (clock_stands and pass_time(page, 0.05)))


def looking(page: Page, *, clock_stands: bool = False) -> Page:
    """Have keys of levels pressed on the judge screen as by somebody who looks first."""
    press = page.keyboard.press

    def look_and_press(key: str, **options: float) -> None:
        if key.isdigit():
            look(page, clock_stands=clock_stands)
        press(key, **options)

    page.keyboard.press = look_and_press  # type: ignore[method-assign]
    return page


def polled(page: Page, seconds: float) -> None:
    """Let so much time pass that a page in which COUNT_ANSWERS ran asks once, and wait until it has its answer."""
    before = page.evaluate("window.nAnswers")
    pass_time(page, seconds)
    heard(page, lambda: page.evaluate("window.nAnswers") > before or pass_time(page, 0.001))
