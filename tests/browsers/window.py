"""What a person does at a browser that Selenium drives: go somewhere, press, type, wait until something is there."""

from collections.abc import Callable

from selenium.common.exceptions import ElementNotInteractableException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from config.up.processes import wait_until
from tests import cast

PATIENCE = 240  # seconds: waiting costs nothing where all goes well
SEEN = """
const found = [...document.querySelectorAll(arguments[0])].filter((one) => one.getClientRects().length);
return found.find((one) => !arguments[1] || one.textContent.includes(arguments[1])) ?? null;
"""


class Window:
    """A browser's window at the product; waiting is part of all it does."""

    def __init__(self, driver: WebDriver, url: str) -> None:
        self.driver, self.url = driver, url

    def open(self, path: str) -> None:
        """Go to an address of the product."""
        self.driver.get(self.url + path)

    def tell(self, expression: str, *arguments: object) -> object:
        """What an expression of JavaScript is on the page, at this moment."""
        return self.driver.execute_script(f"return {expression}", *arguments)

    def until(self, holds: Callable[[], object], what: str = "") -> None:
        """Wait until something holds."""
        assert wait_until(lambda: bool(holds()), seconds=PATIENCE), f"{what} not within {PATIENCE} s: {self.words()}"

    def words(self) -> str:
        """What can be read on the page."""
        return str(self.tell("document.body.innerText"))

    def find(self, selector: str, text: str = "") -> WebElement:
        """The first element that is to be seen, and has a text in it, once there is one."""
        found: list[WebElement | None] = []

        def look() -> bool:
            found[:] = [self.driver.execute_script(SEEN, selector, text)]
            return found[0] is not None

        self.until(look, f"{selector} {text!r}")
        return found[0]  # type: ignore[return-value]

    def press(self, selector: str, text: str = "") -> None:
        """Click on what is to be seen; a page may still move it, or put another in its place."""

        def click() -> bool:
            found = self.find(selector, text)
            try:
                self.tell("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", found)
                found.click()
            except (ElementNotInteractableException, StaleElementReferenceException):
                return False
            return True

        self.until(click, f"pressed {selector} {text!r}")

    def fill(self, name: str, words: str) -> None:
        """Type into the field of a name."""
        field = self.find(f"[name={name}]")
        field.clear()
        field.send_keys(words)

    def key(self, key: str) -> None:
        """Press a key wherever the focus is."""
        ActionChains(self.driver).send_keys(key).perform()

    def look(self) -> None:
        """Look at the card of the judge screen until its levels are awake."""
        self.until(lambda: self.has("#judge:not(.is-asleep, .is-loading, .is-empty)"), "awake")

    def has(self, selector: str) -> bool:
        """Whether an element is there at this moment."""
        return bool(self.tell("document.querySelector(arguments[0]) !== null", selector))

    def take(self, width: int, height: int) -> None:
        """Be so wide, which pages are told, and so high with all that the browser shows around them."""
        self.driver.set_window_size(width, height)
        self.until(lambda: self.tell("innerWidth") == width, f"{width} pixels")

    def sign_in(self, username: str) -> None:
        """As a person does, by the form."""
        self.open("/accounts/login/")
        self.fill("login", username)
        self.fill("password", cast.PASSWORD)
        self.press("button[type=submit]", "Sign in")
        self.until(lambda: "/login" not in self.driver.current_url, "signed in")
