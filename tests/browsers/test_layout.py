"""How pages lie in three engines where scrollbars take room: nothing scrolls that should not, fields are even."""

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
from metrics.services import closer, refresh
from tests import access_table, cast
from tests.browsers import programs
from tests.browsers.window import Window
from tests.judge_screen.screen import image, show
from tests.looks import MAY_SCROLL, SCROLLS
from tests.metrics import studies
from tests.test_every_page import NO_PAGES, openings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.heavy]
PAGES = ("metrics:dashboard", "metrics:leaderboard", "metrics:compare", "metrics:explorer", "metrics:downloads",
         "metrics:alarms", "pooling:pool-new", "pooling:runs", "pooling:pools", "annotate:members", "annotate:golds",
         "annotate:inbox", "annotate:settings", "annotate:imports")  # fmt: skip
OPEN = """document.querySelectorAll("details").forEach((one) => { one.open = !one.closest(".menu"); })"""
HEIGHTS = """[...document.querySelectorAll("select:not([multiple], [size]), input[type=text], input[type=number]")]
    .filter((one) => one.getClientRects().length && !one.closest(".table"))
    .map((one) => Math.round(one.getBoundingClientRect().height))"""
BAR = """(() => {
  const probe = document.createElement("div");
  probe.style = "position: fixed; width: 99px; height: 99px; overflow: scroll";
  document.body.append(probe);
  const bar = probe.offsetWidth - probe.clientWidth;
  probe.remove();
  return bar;
})()"""
# as wide as where they are widest
CLASSIC = {
    "firefox": {"widget.gtk.overlay-scrollbars.enabled": False, "widget.non-native-theme.scrollbar.size.override": 17},
    "webkit": {"gtk_overlay_scrolling": 0},
}
DESK, PHONE = (1280, 900), (390, 700)
# On a desk tables have room enough, but for the scores, which have a column a measure.
WIDE = "pre, .nav, .explorer-runs, .table-tall, .table-scroll:has(.table-first-stays)"
MAY = {DESK: MAY_SCROLL | {"aside": WIDE}, PHONE: MAY_SCROLL}
A_SLIP = {"aside": 8, "down": 8}  # pixels


class Screen(Protocol):
    """A page at the product, in any engine."""

    def open(self, path: str) -> None: ...
    def tell(self, expression: str, *arguments: object) -> object: ...
    def take(self, width: int, height: int) -> None: ...
    def come(self, cookies: SimpleCookie) -> None: ...


class Chromium:
    """A page in Chromium, which Playwright drives."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url

    def open(self, path: str) -> None:
        self.page.goto(self.url + path)

    def tell(self, expression: str, *arguments: object) -> object:
        return self.page.evaluate(f"(list) => (function () {{ return {expression} }})(...list)", list(arguments))

    def take(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def come(self, cookies: SimpleCookie) -> None:
        self.page.context.clear_cookies()
        self.page.context.add_cookies([{"name": one.key, "value": one.value, "url": self.url} for one in _own(cookies)])


class Other(Window):
    """A window of another engine, in which people come and go."""

    def come(self, cookies: SimpleCookie) -> None:
        self.open("/healthz")
        self.driver.delete_all_cookies()
        for one in _own(cookies):
            self.driver.add_cookie({"name": one.key, "value": one.value})


def _own(cookies: SimpleCookie) -> list:
    """The cookie of a session, if there is one."""
    return [cookies[name] for name in (settings.SESSION_COOKIE_NAME,) if name in cookies]


@pytest.fixture(params=["firefox", "webkit"])
def driver(request: pytest.FixtureRequest) -> Iterator[WebDriver]:
    """A browser whose scrollbars take room."""
    with getattr(programs, request.param)(**CLASSIC[request.param]) as driver:
        yield driver


@pytest.fixture(params=["chromium", "firefox", "webkit"])
def screen(request: pytest.FixtureRequest) -> Iterator[Screen]:
    """A browser of each engine, whose scrollbars take room."""
    if request.param == "chromium":
        yield Chromium(request.getfixturevalue("page"), request.getfixturevalue("server"))
        return
    proxy = request.getfixturevalue("proxy")
    with getattr(programs, request.param)(**CLASSIC[request.param]) as driver:
        yield Other(driver, proxy.url)


def faults(screen: Screen, visits: Mapping[str, str]) -> dict[tuple[int, str], list]:
    """What is wrong with pages, at addresses by name, at a desk and on a phone."""
    found = {}
    for size, may_scroll in MAY.items():
        screen.take(*size)
        for name, url in visits.items():
            screen.open(url)
            assert screen.tell("innerWidth") == size[0] and screen.tell(BAR) >= 15
            screen.tell(f"({OPEN})")
            wrong = screen.tell(f"({SCROLLS})(arguments[0])", [may_scroll, A_SLIP])
            heights = set(screen.tell(HEIGHTS))
            wrong += [[f"fields of {sorted(heights)} pixels"]] if len(heights) > 1 else []
            if wrong:
                found[size[0], name] = wrong
    return found


def test_on_no_page_anything_scrolls_that_should_not(screen, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    world = access_table.build(tmp_path)
    visits: dict[str, dict[str, str]] = {}
    for address, who in openings():
        if address.name not in NO_PAGES:
            url = access_table.url_of(world, address, world.campaign, keys_of=world.campaign)
            visits.setdefault(who, {})[address.name] = url
    for who, addresses in visits.items():
        screen.come(world.clients[who].cookies)
        assert faults(screen, addresses) == {}, who


def test_where_two_people_have_judged_ten_runs_nothing_scrolls_that_should_not(screen):
    study = studies.study("study")
    for number in range(8):
        studies.run(study, f"run {number}", seed=10 + number)
    for seed in range(2):
        studies.judge(cast.annotator(study), seed=seed)
    refresh.refresh(collection=study)
    closer.look(collection=study)
    screen.come(_cookies(cast.user("root", is_superuser=True, is_staff=True)))
    person = reverse("metrics:dashboard-person", args=["study", study.annotators.first().pk])
    assert faults(screen, {"person": person} | {page: reverse(page, args=["study"]) for page in PAGES}) == {}


def _cookies(user: User) -> SimpleCookie:
    client = Client()
    client.force_login(user)
    return client.cookies


def test_on_a_phone_the_comment_grows_above_the_answers(window, collection, annotator, media_root):
    show(collection, image(collection))
    window.sign_in("ada")
    window.take(*PHONE)
    window.open("/c/birds/judge/")
    window.look()
    window.key("c")
    window.until(lambda: window.tell("document.activeElement.id") == "comment")
    bottom = "document.getElementById('comment').getBoundingClientRect().bottom"
    window.until(lambda: window.tell(f"{bottom} <= document.querySelector('.panel').getBoundingClientRect().top"))
