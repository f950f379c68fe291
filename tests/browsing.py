"""Waiting in a real browser: for conditions, and for time to pass where its clock is stopped."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page

from config.up.processes import wait_until

PATIENCE = 120_000  # milliseconds: waiting costs nothing where all goes well, and machines differ
COUNT_ANSWERS = """
    window.nAnswers = 0;
    document.addEventListener("htmx:finally:request", () => { window.nAnswers += 1; });
"""


def with_long_timeout(context: BrowserContext) -> BrowserContext:
    """Give the pages of a browser a long timeout."""
    context.set_default_timeout(PATIENCE)
    return context


def wait_for_expression(page: Page, expression: str) -> None:
    """Wait until a JavaScript expression holds; the page's CSP forbids waiting inside the page."""
    assert wait_until(lambda: page.evaluate(expression), seconds=240), expression


def wait_for_condition(page: Page, condition: Callable[[], object]) -> None:
    """Wait until a condition on browser events holds; Playwright delivers them during calls."""
    assert wait_until(lambda: page.evaluate("true") and bool(condition()), seconds=240)


def pass_time(page: Page, seconds: float) -> None:
    """Let time pass for the pages of a browser whose clock is stopped."""
    page.clock.run_for(round(1_000 * seconds))


def wait_until_levels_awake(page: Page, *, is_clock_stopped: bool = False) -> None:
    """Wait until the levels of the judge screen's card accept answers."""
    asleep = page.locator("#judge.is-asleep")
    wait_for_condition(
        page, lambda: not asleep.count() or (is_clock_stopped and pass_time(page, 0.05))
    )


def awaiting_levels(page: Page, *, is_clock_stopped: bool = False) -> Page:
    """Make the page's level keys wait until the levels accept answers, like a person who looks."""
    press = page.keyboard.press

    def look_and_press(key: str, **options: float) -> None:
        if key.isdigit():
            wait_until_levels_awake(page, is_clock_stopped=is_clock_stopped)
        press(key, **options)

    page.keyboard.press = look_and_press  # type: ignore[method-assign]
    return page


def wait_for_poll(page: Page, seconds: float) -> None:
    """Let time pass until a page in which COUNT_ANSWERS ran polls once, and await its answer."""
    before = page.evaluate("window.nAnswers")
    pass_time(page, seconds)
    wait_for_condition(
        page, lambda: page.evaluate("window.nAnswers") > before or pass_time(page, 0.001)
    )
