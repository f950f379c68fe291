"""Every page of the product in a real browser: open to everybody, fit for a phone, quiet, and asking nobody else.

What counts as a page is read from the access matrix: an address that answers a GET with 200 is opened here, or stands
in `NO_PAGES` with what it is instead.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import override_settings
from playwright.sync_api import Browser, BrowserContext, Page
from pytest_django.live_server_helper import LiveServer

from tests import access_table
from tests.access_table import Address, World, url_of
from tests.browsing import patient
from tests.draws import going_on
from tests.lasting import empty_tables
from tests.looks import FIRST, PHONE, look_at, small_fields, take, too_low

pytestmark = pytest.mark.django_db
SEES_MOST = ("anonymous", "admin", "annotator")  # who does not know you sees the pages for strangers
NO_PAGES = {
    **dict.fromkeys(("healthz", "readyz"), "words for programs"),
    **dict.fromkeys(("annotate:judge-recent", "annotate:judge-token"), "words for the screen's script"),
    **dict.fromkeys(
        ("annotate:own-data", "annotate:part-media", "annotate:part-source", "annotate:review-log-csv",
         "metrics:download-file", "metrics:download-qrels", "metrics:download-disputed", "metrics:download-scores",
         "metrics:download-judgments"), "a file"),
    **dict.fromkeys(
        ("annotate:import-state", "annotate:review-work", "annotate:policy-preview", "pooling:run-state",
         "pooling:run-adds", "pooling:pool-preview-state", "pooling:pool-alike", "pooling:pool-state",
         "metrics:dashboard-numbers", "metrics:dashboard-person-numbers", "metrics:leaderboard-state",
         "metrics:compare-state", "metrics:explorer-state", "metrics:download-state", "metrics:pool-favour-state"),
        "a part that its page fetches"),
}  # fmt: skip
ALSO_AS = (("annotate:home", "annotator"), ("annotate:collection", "annotator"), ("annotate:home", "stranger"))
TO_PRESS = (  # with a finger: what leads and annotators may do on the way
    ("annotate:judge", "annotator"), ("annotate:inbox", "admin"), ("annotate:inbox-pair", "admin"),
    ("annotate:inbox-batch", "admin"), ("annotate:annotator", "admin"), ("annotate:members", "admin"),
    ("metrics:leaderboard", "admin"), ("metrics:dashboard", "admin"), ("metrics:downloads", "admin"),
    ("pooling:pool-new", "admin"),
)  # fmt: skip
TO_TYPE = (  # with a finger too: here are fields that those have not
    ("account_login", "anonymous"), ("annotate:collection-new", "admin"), ("annotate:golds", "admin"),
    ("annotate:inbox-pair", "admin"), ("pooling:pool-pairs", "admin"), ("metrics:explorer", "admin"),
)  # fmt: skip
ERRORS = ("400", "403", "403_csrf", "413", "429", "500", "503")


class Window(NamedTuple):
    """The one page of somebody, who goes from address to address in it, and what it complained of."""

    page: Page
    complaints: list[str]


class Desk(NamedTuple):
    """A window for each of those who come, the server they go to, and what is there."""

    world: World
    server: LiveServer
    windows: dict[str, Window]


def openings() -> list[tuple[Address, str]]:
    """Every address that the matrix answers with 200, and as whom it is opened here."""
    rows = access_table.table()
    known = {found.name: found for found in access_table.addresses() if not found.name.startswith("api:")}
    found = []
    for name, address in known.items():
        who = next((who for who in SEES_MOST if rows[name, "GET"][who] == "200"), None)
        if who:
            found.append((address, who))
    return found + [(known[name], who) for name, who in ALSO_AS]


@pytest.fixture(scope="module")
def desk(
    django_db_setup: None, django_db_blocker, tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[Desk]:  # fmt: skip
    """One world for the module, which the server's threads can see; all of it is gone afterwards."""
    folder = tmp_path_factory.mktemp("media")
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=folder):
        server = LiveServer("localhost")
        try:
            with server._live_server_modified_settings, going_on():
                world = access_table.build(folder)
                contexts = {who: come(browser, server, world, who) for who in world.clients}
                yield Desk(world, server, {who: window(server, context) for who, context in contexts.items()})
                for context in contexts.values():
                    context.close()  # and with it what the server's threads hold for it
        finally:
            server.stop()
            empty_tables()
            connection.close()  # the browser's loop makes this another connection than the tests' own


def come(browser: Browser, server: LiveServer, world: World, who: str, **device: Any) -> BrowserContext:
    """A browser of one's own, signed in as somebody; `device` as Playwright says it."""
    context = patient(browser.new_context(reduced_motion="reduce", **device))
    cookie = world.clients[who].cookies.get(settings.SESSION_COOKIE_NAME)
    if cookie:
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": server.url}])
    return context


def window(server: LiveServer, context: BrowserContext) -> Window:
    """A page that writes down what it complains of, and whom else it asks."""
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: line.type == "error" and line.location["url"] != page.url
            and complaints.append(line.text))  # the address itself may be an error page: its status is asked
    page.on("request", lambda asked: asked.url.startswith((server.url, "data:", "blob:"))
            or complaints.append(f"asks {asked.url}"))  # fmt: skip
    return Window(page, complaints)


@pytest.fixture
def open_page(desk: Desk) -> Iterator:
    """Opens an address as somebody; afterwards the page may neither have complained nor asked another host."""

    def act(url: str, who: str, body: str = "") -> tuple[Page, str]:
        page, address = desk.windows[who].page, desk.server.url + url
        take(page, FIRST)
        if body:
            page.route(address, lambda route: route.fulfill(body=body, content_type="text/html"))
        answer = page.goto(address)
        return page, answer.text()

    yield act
    said = []
    rest = desk.server.url + "/healthz"
    for page, complaints in desk.windows.values():
        if page.url not in ("about:blank", rest):
            page.goto(rest)  # what it still says on leaving is this test's, not the next one's
        said += complaints
        complaints.clear()
    assert said == []


def shown(open_page, request: pytest.FixtureRequest, *asked: str) -> None:
    """Open a page and look at it in the looks that this run wants."""
    page, text = open_page(*asked)
    assert "<!doctype html" in text.lower()[:100]
    look_at(page, full=request.config.getoption("--full"))


def plain(case: object) -> str:
    return case.name if isinstance(case, Address) else str(case)


@pytest.mark.parametrize(("address", "who"), [case for case in openings() if case[0].name not in NO_PAGES], ids=plain)
def test_every_page_is_open_to_everybody_and_asks_nobody_else(desk, open_page, request, address, who):
    url = url_of(desk.world, address, desk.world.campaign, keys_of=desk.world.campaign)
    shown(open_page, request, url, who)


def test_under_a_finger_what_is_pressed_is_48_pixels_high_and_no_field_makes_a_phone_zoom_in(desk, browser):
    known = {address.name: address for address in access_table.addresses()}
    faults = {}
    for who in sorted({who for _, who in TO_PRESS + TO_TYPE}):
        with closing(come(browser, desk.server, desk.world, who, **PHONE)) as context:
            page = context.new_page()
            for name in (name for name, other in TO_PRESS + TO_TYPE if other == who):
                page.goto(
                    desk.server.url + url_of(desk.world, known[name], desk.world.campaign, keys_of=desk.world.campaign)
                )
                faults[name] = small_fields(page) + (too_low(page) if (name, who) in TO_PRESS else [])
                assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
    assert {name: what for name, what in faults.items() if what} == {}


@pytest.mark.parametrize("error", ERRORS)
def test_what_says_that_something_went_wrong_is_a_page_like_others(desk, open_page, request, error):
    shown(open_page, request, f"/{error}", "anonymous", render_to_string(f"{error}.html"))


@pytest.mark.parametrize("who", ["anonymous", "annotator"])
def test_what_is_not_there_is_a_page_like_others(open_page, request, who):
    shown(open_page, request, "/no/such/thing/", who)


def test_what_is_called_no_page_is_none(desk):
    opened = {address.name: (address, who) for address, who in openings()}
    assert set(NO_PAGES) <= set(opened)
    pages = {}
    for name in NO_PAGES:
        address, who = opened[name]
        answer = desk.world.clients[who].get(
            url_of(desk.world, address, desk.world.campaign, keys_of=desk.world.campaign)
        )
        body = b"".join(answer) if answer.streaming else answer.content
        if b"<!doctype html" in body[:100].lower():
            pages[name] = who
    assert pages == {}
