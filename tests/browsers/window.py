"""Actions of a person at a Selenium browser: open pages, press, type, wait for elements."""

from collections.abc import Callable

from selenium.common.exceptions import (
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from config.up.processes import wait_until
from tests import cast

PATIENCE = 240  # seconds; long, as machines differ
VISIBLE = """
const [selector, words] = arguments;
const all = [...document.querySelectorAll(selector)];
const visible = all.filter((one) => one.getClientRects().length);
return visible.find((one) => !words || one.textContent.includes(words)) ?? null;
"""


class Window:
    """A browser's window at the product; its methods wait for what they need."""

    def __init__(self, driver: WebDriver, url: str) -> None:
        self.driver, self.url = driver, url

    def open(self, path: str) -> None:
        """Go to an address of the product."""
        self.driver.get(self.url + path)

    def evaluate(self, expression: str, *arguments: object) -> object:
        """The value of a JavaScript expression on the page, at this moment."""
        return self.driver.execute_script(f"return {expression}", *arguments)

    def wait_for(self, condition: Callable[[], object], name: str = "") -> None:
        """Wait until a condition holds; `name` describes it in the failure."""
        assert wait_until(lambda: bool(condition()), seconds=PATIENCE), (
            f"{name} not within {PATIENCE} s: {self.text()}"
        )

    def text(self) -> str:
        """The visible text of the page."""
        return str(self.evaluate("document.body.innerText"))

    def find(self, selector: str, text: str = "") -> WebElement:
        """Wait for a visible element that contains the text; returns the first."""
        elements: list[WebElement | None] = []

        def look() -> bool:
            elements[:] = [self.driver.execute_script(VISIBLE, selector, text)]
            return elements[0] is not None

        self.wait_for(look, f"{selector} {text!r}")
        return elements[0]  # type: ignore[return-value]

    def press(self, selector: str, text: str = "") -> None:
        """Click on a visible element; retried, as the page may still move or replace it."""

        def click() -> bool:
            element = self.find(selector, text)
            try:
                self.evaluate(
                    "arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element
                )
                element.click()
            except (ElementNotInteractableException, StaleElementReferenceException):
                return False
            return True

        self.wait_for(click, f"pressed {selector} {text!r}")

    def fill(self, name: str, words: str) -> None:
        """Type into the field with this name."""
        field = self.find(f"[name={name}]")
        field.clear()
        field.send_keys(words)

    def key(self, key: str) -> None:
        """Press a key wherever the focus is."""
        ActionChains(self.driver).send_keys(key).perform()

    def wait_until_levels_awake(self) -> None:
        """Wait until the levels of the judge screen's card accept answers."""
        self.wait_for(lambda: self.has("#judge:not(.is-asleep, .is-loading, .is-empty)"), "awake")

    def has(self, selector: str) -> bool:
        """Whether the page has such an element at this moment."""
        return bool(self.evaluate("document.querySelector(arguments[0]) !== null", selector))

    def resize(self, width: int, height: int) -> None:
        """Set the width of the page, and the height of the window with the browser's own bars."""
        self.driver.set_window_size(width, height)
        self.wait_for(lambda: self.evaluate("innerWidth") == width, f"{width} pixels")

    def sign_in(self, username: str) -> None:
        """Sign in by the form, as a person does."""
        self.open("/accounts/login/")
        self.fill("login", username)
        self.fill("password", cast.PASSWORD)
        self.press("button[type=submit]", "Sign in")
        self.wait_for(lambda: "/login" not in self.driver.current_url, "signed in")
