"""Layout in three engines with wide scrollbars: no undue scrolling, fields of equal height."""

from collections.abc import Iterator, Mapping
from typing import Protocol

import pytest
from django.conf import settings
from django.http.cookie import SimpleCookie
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page
from selenium.webdriver.remote.webdriver import WebDriver

from annotate.models import User
from annotate.services.background import kept
from metrics.services.dashboard import details as dashboard_details
from metrics.services.numbers import refresh
from tests import cast
from tests.addresses import access_table
from tests.addresses.page_checks import MAY_SCROLL, SCROLLS
from tests.addresses.test_every_page import NO_PAGES, openings
from tests.browsers import programs
from tests.browsers.window import Window
from tests.judge_screen.screen import image, open_documents
from tests.metrics import studies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.heavy]
PAGES = (
    "metrics:dashboard",
    "metrics:leaderboard",
    "metrics:compare",
    "metrics:explorer",
    "metrics:downloads",
    "metrics:alarms",
    "pooling:pool-new",
    "pooling:runs",
    "pooling:pools",
    "annotate:members",
    "annotate:golds",
    "annotate:inbox",
    "annotate:settings",
    "annotate:guidelines",
    "annotate:levels",
    "annotate:policy",
    "annotate:imports",
)
OPEN_DETAILS = """document.querySelectorAll("details").forEach((one) => {
  one.open = !one.closest(".menu");
})"""
HEIGHTS = """[...document.querySelectorAll(
    "select:not([multiple], [size]), input[type=text], input[type=number]")]
    .filter((one) => one.getClientRects().length && !one.closest(".table"))
    .map((one) => Math.round(one.getBoundingClientRect().height))"""
SCROLLBAR_WIDTH = """(() => {
  const probe = document.createElement("div");
  probe.style = "position: fixed; width: 99px; height: 99px; overflow: scroll";
  document.body.append(probe);
  const bar = probe.offsetWidth - probe.clientWidth;
  probe.remove();
  return bar;
})()"""
# the widest scrollbars of any system
SCROLLBAR_SETTINGS = {
    "firefox": {
        "widget.gtk.overlay-scrollbars.enabled": False,
        "widget.non-native-theme.scrollbar.size.override": 17,
    },
    "webkit": {"gtk_overlay_scrolling": 0},
}
DESK, PHONE = (1280, 900), (390, 700)
# On a desk all tables fit, but for the scores, with a column a measure.
WIDE = "pre, .explorer-runs, .table-tall, .table-scroll:has(.table-first-stays)"
SCROLLABLE = {DESK: MAY_SCROLL | {"aside": WIDE}, PHONE: MAY_SCROLL}
SLIPS = {"aside": 8, "down": 8}  # pixels


class Screen(Protocol):
    """A page of the product, in any engine."""

    def open(self, path: str) -> None: ...
    def evaluate(self, expression: str, *arguments: object) -> object: ...
    def resize(self, width: int, height: int) -> None: ...
    def set_session(self, cookies: SimpleCookie) -> None: ...


class ChromiumScreen:
    """A page in Chromium, driven by Playwright."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url

    def open(self, path: str) -> None:
        self.page.goto(self.url + path)

    def evaluate(self, expression: str, *arguments: object) -> object:
        return self.page.evaluate(
            f"(list) => (function () {{ return {expression} }})(...list)", list(arguments)
        )

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def set_session(self, cookies: SimpleCookie) -> None:
        self.page.context.clear_cookies()
        self.page.context.add_cookies(
            [
                {"name": cookie.key, "value": cookie.value, "url": self.url}
                for cookie in _session_cookies(cookies)
            ]
        )


class SeleniumScreen(Window):
    """A window of another engine, with changing sessions."""

    def set_session(self, cookies: SimpleCookie) -> None:
        self.open("/healthz")
        self.driver.delete_all_cookies()
        for cookie in _session_cookies(cookies):
            self.driver.add_cookie({"name": cookie.key, "value": cookie.value})


def _session_cookies(cookies: SimpleCookie) -> list:
    """The session cookie, if there is one."""
    return [cookies[name] for name in (settings.SESSION_COOKIE_NAME,) if name in cookies]


@pytest.fixture(params=["firefox", "webkit"])
def driver(request: pytest.FixtureRequest) -> Iterator[WebDriver]:
    """A browser with wide scrollbars."""
    with getattr(programs, request.param)(**SCROLLBAR_SETTINGS[request.param]) as driver:
        yield driver


@pytest.fixture(params=["chromium", "firefox", "webkit"])
def screen(request: pytest.FixtureRequest) -> Iterator[Screen]:
    """A browser of each engine, with wide scrollbars."""
    if request.param == "chromium":
        yield ChromiumScreen(request.getfixturevalue("page"), request.getfixturevalue("server"))
        return
    proxy = request.getfixturevalue("proxy")
    with getattr(programs, request.param)(**SCROLLBAR_SETTINGS[request.param]) as driver:
        yield SeleniumScreen(driver, proxy.url)


def layout_faults(screen: Screen, visits: Mapping[str, str]) -> dict[tuple[int, str], list]:
    """Layout faults by width and page name, at a desk and on a phone; visits : URLs by name."""
    faults_by_page = {}
    for size, may_scroll in SCROLLABLE.items():
        screen.resize(*size)
        for name, url in visits.items():
            screen.open(url)
            assert (
                screen.evaluate("innerWidth") == size[0] and screen.evaluate(SCROLLBAR_WIDTH) >= 15
            )
            screen.evaluate(f"({OPEN_DETAILS})")
            wrong = screen.evaluate(f"({SCROLLS})(arguments[0])", [may_scroll, SLIPS])
            heights = set(screen.evaluate(HEIGHTS))
            wrong += [[f"fields of {sorted(heights)} pixels"]] if len(heights) > 1 else []
            if wrong:
                faults_by_page[size[0], name] = wrong
    return faults_by_page


def test_on_no_page_anything_scrolls_that_should_not(screen, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    world = access_table.build(tmp_path)
    visits: dict[str, dict[str, str]] = {}
    for address, principal in openings():
        if address.name not in NO_PAGES:
            url = access_table.url_of(world, address, world.campaign, keys_of=world.campaign)
            visits.setdefault(principal, {})[address.name] = url
    for principal, addresses in visits.items():
        screen.set_session(world.clients[principal].cookies)
        assert layout_faults(screen, addresses) == {}, principal


def test_where_two_people_have_judged_ten_runs_nothing_scrolls_that_should_not(screen):
    study = studies.study("study")
    for number in range(8):
        studies.run(study, f"run {number}", seed=10 + number)
    for seed in range(2):
        studies.judge(cast.annotator(study), seed=seed)
    refresh.refresh(collection=study)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    screen.set_session(_cookies(cast.user("root", is_superuser=True, is_staff=True)))
    person = reverse("metrics:dashboard-person", args=["study", study.annotators.first().pk])
    assert (
        layout_faults(
            screen, {"person": person} | {page: reverse(page, args=["study"]) for page in PAGES}
        )
        == {}
    )


def _cookies(user: User) -> SimpleCookie:
    client = Client()
    client.force_login(user)
    return client.cookies


def test_on_a_phone_the_comment_grows_above_the_answers(window, collection, annotator, media_root):
    open_documents(collection, image(collection))
    window.sign_in("ada")
    window.resize(*PHONE)
    window.open("/c/birds/judge/")
    window.wait_until_levels_awake()
    window.key("c")
    window.wait_for(lambda: window.evaluate("document.activeElement.id") == "comment")
    bottom = "document.getElementById('comment').getBoundingClientRect().bottom"
    window.wait_for(
        lambda: window.evaluate(
            f"{bottom} <= document.querySelector('.panel').getBoundingClientRect().top"
        )
    )
