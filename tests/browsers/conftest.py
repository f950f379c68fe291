"""The judge screen and the pages of leads and researchers in Firefox and WebKit, Safari's engine.

The other folders test all of it in Chromium; here is what differs between engines.
"""

from collections.abc import Iterator

import pytest
from pytest_django.live_server_helper import LiveServer
from selenium.webdriver.remote.webdriver import WebDriver

from annotate.models import Annotator, Collection
from tests import campaigns, cast
from tests.browsers import programs
from tests.browsers.proxy import Proxy
from tests.browsers.window import Window


@pytest.fixture
def server(live_server: LiveServer) -> str:
    """The address of the product."""
    return str(live_server.url)


@pytest.fixture
def proxy(server: str) -> Iterator[Proxy]:
    """The proxy between the browser and the server; at the end no page may have complained."""
    with Proxy(server).running() as proxy:
        yield proxy
    assert proxy.complaints == []


@pytest.fixture(params=["firefox", "webkit"])
def driver(request: pytest.FixtureRequest) -> Iterator[WebDriver]:
    """A browser with a new profile."""
    with getattr(programs, request.param)() as driver:
        yield driver


@pytest.fixture
def window(driver: WebDriver, proxy: Proxy) -> Window:
    """The browser's window, connected through the proxy."""
    return Window(driver, proxy.url)


@pytest.fixture
def collection() -> Collection:
    return campaigns.open_collection(5, "birds", per_query=5, grades=3, batch_candidates=5)


@pytest.fixture
def annotator(collection: Collection) -> Annotator:
    return cast.annotator(collection, cast.user("ada"))
