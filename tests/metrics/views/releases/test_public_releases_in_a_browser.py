"""A lead publishes on a phone, and a visitor without an account reads every page."""

from contextlib import closing

import pytest
from playwright.sync_api import expect

from annotate.models import Collection, Role
from tests import cast
from tests.addresses.page_checks import PHONE, check_page, low_targets
from tests.browsing import with_long_timeout
from tests.metrics.services.releases.made_releases import made_release
from tests.metrics.services.releases.release_study import busy_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.fixture
def study() -> Collection:
    """A study with a release whose items have their texts."""
    study = busy_study()
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=True)
    made_release(study)
    return study


def test_a_lead_publishes_and_everybody_reads(study, live_server, browser, request):
    with closing(with_long_timeout(browser.new_context(**PHONE))) as context:
        cast.sign_in(context, live_server.url, cast.member(study, Role.LEAD))
        page = context.new_page()
        page.goto(f"{live_server.url}/c/{study.slug}/results/releases/1.0/")
        page.get_by_role("link", name="Publish it").click()
        expect(page.get_by_role("heading", name="What becomes public")).to_be_visible()
        assert low_targets(page) == []
        page.get_by_role("button", name="Make it public").click()
        page.get_by_role("link", name="its public page").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Study")
    with closing(with_long_timeout(browser.new_context(reduced_motion="reduce"))) as context:
        page, complaints = context.new_page(), []
        page.on("console", lambda line: line.type == "error" and complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{live_server.url}/releases/{study.slug}/")
        check_page(page, full=request.config.getoption("--full"))
        page.get_by_role("link", name="1.0").click()
        expect(page.locator("#levels svg")).to_be_visible()
        check_page(page, full=request.config.getoption("--full"))
        for tab in ("Data card", "Leaderboard", "Files", "Explorer"):
            page.get_by_role("link", name=tab, exact=True).click()
            expect(page.locator(".tabs [aria-current=page]")).to_have_text(tab)
            check_page(page, full=request.config.getoption("--full"))
        page.get_by_role("searchbox", name="Id contains").fill("q1")
        page.get_by_role("button", name="Show").click()
        page.locator("a.public-id").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("q1")
        check_page(page, full=request.config.getoption("--full"))
        page.get_by_role("button", name="Appearance").click()
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
        assert context.cookies() == []
        assert complaints == []
