"""Every page in a real browser: accessible, fit for a phone, without errors or foreign requests.

The pages are read from the access matrix: an address that answers a GET with 200 is opened here, or
stands in `NO_PAGES` with a description.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import override_settings
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page
from pytest_django.live_server_helper import LiveServer

from tests.addresses import access_table
from tests.addresses.access_table import Address, World, url_of
from tests.addresses.page_checks import (
    FIRST,
    PHONE,
    check_page,
    cut_stops,
    low_targets,
    set_look,
    small_fields,
    wide_tables,
)
from tests.browsing import with_long_timeout
from tests.seeding import continuing_numbers
from tests.tables.table_cleanup import empty_tables

pytestmark = pytest.mark.django_db
# the anonymous principal sees the pages for strangers
BROADEST_FIRST = ("anonymous", "admin", "annotator")
NO_PAGES = {
    **dict.fromkeys(("healthz", "readyz", "openapi"), "words for programs"),
    **dict.fromkeys(
        ("annotate:judge-recent", "annotate:judge-token"), "words for the screen's script"
    ),
    **dict.fromkeys(
        (
            "annotate:own-data",
            "annotate:part-media",
            "annotate:part-preview",
            "annotate:part-source",
            "annotate:review-log-csv",
            "metrics:comments-file",
            "metrics:download-file",
            "metrics:release-archive",
            "metrics:release-file",
        ),
        "a file",
    ),
    **dict.fromkeys(
        (
            "find",
            "find-in-collection",
            "annotate:import-state",
            "annotate:review-work",
            "annotate:policy-preview",
            "pooling:run-state",
            "pooling:run-adds",
            "pooling:pool-preview-state",
            "pooling:pool-alike",
            "pooling:pool-state",
            "metrics:dashboard-numbers",
            "metrics:dashboard-tab-numbers",
            "metrics:dashboard-person-numbers",
            "metrics:leaderboard-state",
            "metrics:analysis-state",
            "metrics:comments-state",
            "metrics:duplicates-state",
            "metrics:compare-state",
            "metrics:explorer-state",
            "metrics:download-state",
            "metrics:release-state",
            "metrics:release-diff-state",
            "metrics:pool-bias-state",
        ),
        "a part that its page fetches",
    ),
}
ALSO_AS = (
    ("annotate:home", "annotator"),
    ("metrics:collection", "annotator"),
    ("annotate:home", "stranger"),
)
PAGES_TO_PRESS = (  # touch: pages that people use on a phone, with all kinds of fields
    ("account_login", "anonymous"),
    ("annotate:judge", "annotator"),
    ("annotate:collection-new", "admin"),
    ("annotate:golds", "admin"),
    ("annotate:inbox", "admin"),
    ("annotate:inbox-pair", "admin"),
    ("annotate:inbox-batch", "admin"),
    ("metrics:dashboard-person", "admin"),
    ("annotate:members", "admin"),
    ("metrics:leaderboard", "admin"),
    ("metrics:dashboard", "admin"),
    ("metrics:downloads", "admin"),
    ("metrics:explorer", "admin"),
    ("pooling:pool-new", "admin"),
    ("pooling:pool-pairs", "admin"),
)
TABLES_THAT_FIT = {  # the keys of their addresses; on a phone each line stands as a block
    "annotate:golds": [{}],
    "annotate:members": [{}],
    "annotate:review-log": [{}],
    "annotate:training-setup": [{}],
    "annotate:training-pairs": [{}],
    "metrics:collection": [{}],
    "metrics:dashboard-tab": [{"tab": "agreement"}, {"tab": "forecast"}, {"tab": "people"}],
    "pooling:pools": [{}],
    "pooling:runs": [{}],
}
ERRORS = ("400", "403", "403_csrf", "413", "429", "500", "503")


class Window(NamedTuple):
    """The one page of a principal, and its complaints: errors, and requests to other hosts."""

    page: Page
    complaints: list[str]


class Site(NamedTuple):
    """A window for each principal, the server, and the world in its database."""

    world: World
    server: LiveServer
    windows: dict[str, Window]


def openings() -> list[tuple[Address, str]]:
    """Every address that the matrix answers with 200, with the principal who opens it here."""
    rows = access_table.table()
    addresses = {
        openings.name: openings
        for openings in access_table.addresses()
        if not openings.name.startswith("api:")
    }
    openings = []
    for name, address in addresses.items():
        principal = next(
            (principal for principal in BROADEST_FIRST if rows[name, "GET"][principal] == "200"),
            None,
        )
        if principal:
            openings.append((address, principal))
    return openings + [(addresses[name], principal) for name, principal in ALSO_AS]


@pytest.fixture(scope="module")
def site(
    django_db_setup: None,
    django_db_blocker,
    tmp_path_factory: pytest.TempPathFactory,
    browser: Browser,
) -> Iterator[Site]:
    """One world for the module, committed for the server's threads, and removed afterwards."""
    folder = tmp_path_factory.mktemp("media")
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=folder):
        server = LiveServer("localhost")
        try:
            with server._live_server_modified_settings, continuing_numbers():
                world = access_table.build(folder)
                contexts = {
                    principal: signed_in_context(browser, server, world, principal)
                    for principal in world.clients
                }
                yield Site(
                    world,
                    server,
                    {principal: window(server, context) for principal, context in contexts.items()},
                )
                for context in contexts.values():
                    context.close()  # and with it its open requests on the server's threads
        finally:
            server.stop()
            empty_tables()
            connection.close()  # not the tests' own connection: the browser's loop has one


def signed_in_context(
    browser: Browser, server: LiveServer, world: World, principal: str, **device: Any
) -> BrowserContext:
    """A browser context signed in as a principal; `device` : Playwright's options."""
    context = with_long_timeout(browser.new_context(reduced_motion="reduce", **device))
    cookie = world.clients[principal].cookies.get(settings.SESSION_COOKIE_NAME)
    if cookie:
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": server.url}])
    return context


def window(server: LiveServer, context: BrowserContext) -> Window:
    """A page that records its errors and its requests to other hosts."""
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda line: (
            line.type == "error"
            and line.location["url"] != page.url
            and complaints.append(line.text)
        ),
    )  # the address itself may be an error page
    page.on(
        "request",
        lambda request: (
            request.url.startswith((server.url, "data:", "blob:"))
            or complaints.append(f"asks {request.url}")
        ),
    )
    return Window(page, complaints)


@pytest.fixture
def open_page(site: Site) -> Iterator:
    """Open an address as a principal; afterwards no page may have any complaint."""

    def act(url: str, principal: str, body: str = "") -> tuple[Page, str]:
        page, address = site.windows[principal].page, site.server.url + url
        set_look(page, FIRST)
        if body:
            page.route(address, lambda route: route.fulfill(body=body, content_type="text/html"))
        answer = page.goto(address)
        return page, answer.text()

    yield act
    complaints_made = []
    rest = site.server.url + "/healthz"
    for page, complaints in site.windows.values():
        if page.url not in ("about:blank", rest):
            page.goto(rest)  # complaints on leaving belong to this test, not the next one
        complaints_made += complaints
        complaints.clear()
    assert complaints_made == []


def open_and_check(open_page, request: pytest.FixtureRequest, *arguments: str) -> None:
    """Open a page and check it, in all looks with --full."""
    page, text = open_page(*arguments)
    assert "<!doctype html" in text.lower()[:100]
    check_page(page, full=request.config.getoption("--full"))


def case_id(case: object) -> str:
    return case.name if isinstance(case, Address) else str(case)


@pytest.mark.parametrize(
    ("address", "principal"),
    [case for case in openings() if case[0].name not in NO_PAGES],
    ids=case_id,
)
def test_every_page_is_open_to_everybody_and_asks_nobody_else(
    site, open_page, request, address, principal
):
    url = url_of(site.world, address, site.world.campaign, keys_of=site.world.campaign)
    open_and_check(open_page, request, url, principal)


def test_under_a_finger_what_is_pressed_is_48_pixels_high_and_no_field_makes_a_phone_zoom_in(
    site, browser, request
):
    addresses = {address.name: address for address in access_table.addresses()}
    cases = [(addresses[name], principal) for name, principal in PAGES_TO_PRESS]
    sizes = [(390, 844)]
    if request.config.getoption("--full"):
        cases = [case for case in openings() if case[0].name not in NO_PAGES]
        sizes = [(320, 568), (390, 844), (844, 390)]
    faults = {}
    for principal in sorted({principal for _, principal in cases}):
        with closing(
            signed_in_context(browser, site.server, site.world, principal, **PHONE)
        ) as context:
            page = context.new_page()
            for address in (address for address, other in cases if other == principal):
                url = url_of(site.world, address, site.world.campaign, keys_of=site.world.campaign)
                page.goto(site.server.url + url)
                for width, height in sizes:
                    page.set_viewport_size({"width": width, "height": height})
                    faults[address.name, principal, width] = small_fields(page) + low_targets(page)
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, url
    assert {case: case_faults for case, case_faults in faults.items() if case_faults} == {}


def test_tables_of_people_and_of_what_is_decided_fit_a_desk_and_a_phone(site, open_page):
    slug = site.world.campaign.collection.slug
    widths = {}
    for name, cases in TABLES_THAT_FIT.items():
        for keys in cases:
            page, _ = open_page(reverse(name, kwargs={"slug": slug, **keys}), "admin")
            assert page.locator("table").count(), name
            tables = {width: wide_tables(page, width) for width in (1280, 390, 320)}
            widths |= {(name, *keys.values(), width): wide for width, wide in tables.items()}
    assert {case: wide for case, wide in widths.items() if wide} == {}


@pytest.mark.parametrize("name", ["metrics:dashboard-tab", "metrics:leaderboard"])
def test_what_has_the_focus_is_in_sight_in_tabs_and_wide_tables(site, open_page, name):
    (address,) = [address for address in access_table.addresses() if address.name == name]
    url = url_of(site.world, address, site.world.campaign, keys_of=site.world.campaign)
    page, _ = open_page(url, "admin")
    page.set_viewport_size({"width": 390, "height": 844})
    assert cut_stops(page) == []


@pytest.mark.parametrize("error", ERRORS)
def test_what_says_that_something_went_wrong_is_a_page_like_others(site, open_page, request, error):
    open_and_check(open_page, request, f"/{error}", "anonymous", render_to_string(f"{error}.html"))


@pytest.mark.parametrize("principal", ["anonymous", "annotator"])
def test_what_is_not_there_is_a_page_like_others(open_page, request, principal):
    open_and_check(open_page, request, "/no/such/thing/", principal)


def test_what_is_called_no_page_is_none(site):
    opened = {address.name: (address, principal) for address, principal in openings()}
    assert set(NO_PAGES) <= set(opened)
    pages = {}
    for name in NO_PAGES:
        address, principal = opened[name]
        answer = site.world.clients[principal].get(
            url_of(site.world, address, site.world.campaign, keys_of=site.world.campaign)
        )
        body = b"".join(answer) if answer.streaming else answer.content
        if b"<!doctype html" in body[:100].lower():
            pages[name] = principal
    assert pages == {}
