"""The judge screen in a real browser against the real server."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotate.models import Annotator, Collection, Level, User
from tests import campaigns, cast
from tests.browsing import awaiting_levels
from tests.judge_screen.screen import N_PAIRS


@pytest.fixture
def policy() -> dict[str, object]:
    """Policy fields that differ from the defaults; tests set them by parametrize."""
    return {}


@pytest.fixture
def collection(policy: dict[str, object]) -> Collection:
    collection = campaigns.open_collection(
        N_PAIRS, "birds", per_query=N_PAIRS, grades=3, batch_candidates=N_PAIRS, **policy
    )
    Level.objects.filter(collection=collection, grade=1).update(reasons=["colour", "action"])
    return collection


@pytest.fixture
def person(annotator: Annotator) -> User:
    return annotator.user


@pytest.fixture
def sign_in(context: BrowserContext, live_server: LiveServer) -> Callable[[User], None]:
    return lambda person: cast.sign_in(context, live_server.url, person)


@pytest.fixture
def open_judge(
    context: BrowserContext,
    live_server: object,
    person: User,
    sign_in: Callable,
    request: pytest.FixtureRequest,
) -> Iterator[Callable]:
    """Function that opens the judge screen in a new tab; errors and foreign requests fail."""
    complaints: list[str] = []
    sign_in(person)

    def act(*, before: Callable[[Page], None] = lambda page: None) -> Page:
        page = awaiting_levels(
            context.new_page(), is_clock_stopped="frozen_pages" in request.fixturenames
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda line: complaints.append(line.text) if "Content Security" in line.text else None,
        )
        page.on(
            "request",
            lambda request: (
                request.url.startswith(live_server.url) or complaints.append(request.url)
            ),
        )
        before(page)
        page.goto(f"{live_server.url}/c/birds/judge/")
        expect(page.locator(".level").first).to_be_visible()
        return page

    yield act
    for page in context.pages:
        # a request under way would store rows in the next test's database
        if page.locator("#saved").count():
            expect(page.locator("#saved")).not_to_have_attribute("data-state", "saving")
    assert complaints == []
