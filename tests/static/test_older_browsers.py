"""Pages in the oldest supported browsers, without light-dark() and :has(), and in older ones.

Chromium simulates them: functions and selectors get unknown names in every style sheet.
"""

import json
import re
from pathlib import Path

import pytest
from django.urls import include, path
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotate.models import Level
from tests import campaigns, cast
from tests.addresses.page_checks import violations
from tests.browsing import awaiting_levels, wait_until_levels_awake, with_long_timeout
from tests.static import pages

ROOT = Path(__file__).resolve().parents[2]
SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
FLOOR = json.loads((ROOT / "tools" / "browsers" / "package.json").read_text())["browserslist"]
REASONS = [{"name": "does not match", "what": ["quantity", "colour"]}, "too general"]
UNKNOWN = {"light-dark(": "no-such-function(", ":has(": ":no-such-class("}
OLD_SCRIPTS = """
    const { supports } = CSS;
    CSS.supports = (...asked) => !asked.join().includes("light-dark") && supports.apply(CSS, asked);
"""
# Elements that must stand out, each with what it lacks: background, border or readable text.
PLAIN = """(
  quiet = '.button-quiet, [type=checkbox], [type=radio]',
) => [...document.querySelectorAll(
    'body, .bar, .card, .level, .button, dialog[open], .reasons, .chip, ' +
    'input:not([type=hidden]), textarea',
)].filter((one) => one.checkVisibility() && !one.matches(quiet)).flatMap((one) => {
    const { color, backgroundColor, borderBottomWidth, borderBottomStyle } = getComputedStyle(one);
    const isEdged = borderBottomStyle !== 'none' && parseFloat(borderBottomWidth) > 0;
    return Object.entries({
        'a ground': backgroundColor !== 'rgba(0, 0, 0, 0)',
        'an edge': isEdged || one === document.body,
        words: color !== backgroundColor,
    }).filter(([, isThere]) => !isThere)
      .map(([what]) => `${one.tagName}.${one.className} has not ${what}`);
})"""

pytestmark = pytest.mark.django_db(transaction=True)
urlpatterns = [*pages.urlpatterns, path("", include("config.urls"))]


def make_older(context: BrowserContext, replacements: dict[str, str] = UNKNOWN) -> BrowserContext:
    """Take features from a browser by replacing their names in its style sheets."""

    def answer(route: Route) -> None:
        response = route.fetch()
        text = response.text()
        for name, replacement in replacements.items():
            text = text.replace(name, replacement)
        route.fulfill(response=response, body=text)

    context.route(re.compile(r"\.css(\?|$)"), answer)
    context.add_init_script(OLD_SCRIPTS)
    return with_long_timeout(context)


@pytest.fixture
def old_page(context: BrowserContext) -> Page:
    page = awaiting_levels(make_older(context).new_page())
    page.emulate_media(reduced_motion="reduce", color_scheme="dark")
    return page


@pytest.fixture
def study(collection, annotator):
    Level.objects.filter(collection=collection, grade=1).update(reasons=REASONS)
    return collection


@pytest.fixture
def collection():
    return campaigns.open_collection(5, "birds", per_query=5, grades=3, batch_candidates=5)


def assert_readable(page: Page) -> None:
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(246, 246, 243)"
    assert page.evaluate(f"({PLAIN})()") == []
    assert violations(page) == []


def test_the_sign_in_page_can_be_read(old_page, live_server):
    old_page.goto(f"{live_server.url}/accounts/login/")
    assert_readable(old_page)
    assert not old_page.locator(".too-old").is_visible()


def test_the_judge_screen_can_be_read_and_judged_on(old_page, live_server, study, annotator):
    cast.sign_in(old_page.context, live_server.url, annotator.user)
    old_page.goto(f"{live_server.url}/c/birds/judge/")
    expect(old_page.locator(".level").first).to_be_visible()
    wait_until_levels_awake(old_page)
    assert_readable(old_page)
    old_page.keyboard.press("1")
    old_page.keyboard.press("a")
    expect(old_page.locator("#reasons-what")).to_be_visible()
    assert_readable(old_page)
    # the reasons take the room of hidden elements
    assert old_page.locator(".level-sentence:visible, .panel .judge-actions:visible").count() == 0
    assert old_page.locator(".level:visible").count() == 1
    old_page.keyboard.press("Escape")
    assert old_page.locator(".level:visible").count() == 3
    old_page.keyboard.press("x")
    expect(old_page.locator("#dialog-cannot")).to_be_visible()
    assert_readable(old_page)


def test_a_drawer_lies_beside_the_answers(old_page, live_server, study, annotator):
    cast.sign_in(old_page.context, live_server.url, annotator.user)
    old_page.set_viewport_size({"width": 1400, "height": 800})
    old_page.goto(f"{live_server.url}/c/birds/judge/")
    expect(old_page.locator(".level").first).to_be_visible()
    wait_until_levels_awake(old_page)
    old_page.keyboard.press("g")
    drawer = old_page.locator(".drawer[open]")
    expect(drawer).to_be_visible()
    panel = old_page.locator(".panel").bounding_box()
    assert panel["x"] + panel["width"] <= drawer.bounding_box()["x"]
    drawer.get_by_role("button", name="Close").click()
    expect(drawer).to_have_count(0)
    assert old_page.locator(".panel").bounding_box()["x"] > panel["x"]


def test_a_lead_can_read_settings_and_is_offered_no_dark_colours(old_page, live_server, collection):
    cast.sign_in(old_page.context, live_server.url, cast.member(collection, "lead"))
    old_page.goto(f"{live_server.url}/c/birds/settings/")
    assert_readable(old_page)
    old_page.locator(".menu summary").click()
    expect(old_page.get_by_text("Your account")).to_be_visible()
    assert not old_page.get_by_role("button", name="Appearance").is_visible()
    assert_readable(old_page)


@pytest.mark.urls("tests.static.test_older_browsers")
def test_a_chart_is_drawn_in_light_colours_which_paper_leaves_as_they_are(old_page, live_server):
    old_page.goto(f"{live_server.url}/parts/")
    expect(old_page.locator("#scores[data-drawn=light] svg")).to_be_visible()
    assert (
        old_page.locator("#scores .mark-rect path").first.get_attribute("fill")
        == "rgb(4, 111, 126)"
    )


@pytest.mark.parametrize("lacks", ["color-mix(in oklab, red, blue)", "(width >= 0px)"])
def test_a_browser_below_the_floor_is_told_so(context, live_server, lacks):
    page = make_older(context, {lacks: "(no such thing)"}).new_page()
    page.goto(f"{live_server.url}/accounts/login/")
    expect(page.locator(".too-old")).to_be_visible()
    words = f"This browser is too old for Assayer, which needs {floor()} or later."
    expect(page.locator(".too-old")).to_have_text(words)
    assert violations(page) == []
    page.emulate_media(media="print")
    assert not page.locator(".too-old").is_visible()


def test_a_browser_of_today_is_told_nothing(page, live_server):
    for address in ("/accounts/login/", "/no/such/page/"):
        page.goto(live_server.url + address)
        expect(page.locator(".too-old")).to_have_count(1)
        assert not page.locator(".too-old").is_visible()


def floor() -> str:
    """The oldest browsers, as named in sentences."""
    safari, ios, chrome, edge, firefox = (line.split(" >= ")[1] for line in FLOOR)
    assert (ios, edge) == (safari, chrome)
    return f"Safari {safari}, Chrome and Edge {chrome}, Firefox {firefox}"


@pytest.mark.parametrize(
    "file", ["README.md", "docs/annotators.md", "templates/shell/_browsers.html"]
)
def test_whoever_asks_is_told_the_same_floor(file):
    assert floor() in " ".join((ROOT / file).read_text().split())


def test_the_sign_in_page_names_the_floor(client):
    assert f"Works in {floor()} and later." in " ".join(
        client.get("/accounts/login/").content.decode().split()
    )


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_only_tokens_are_light_or_dark(sheet):
    assert sheet.name == "tokens.css" or "light-dark(" not in re.sub(
        r"@supports[^{]*", "", sheet.read_text()
    )
