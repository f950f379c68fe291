"""The explorer in a real browser: keys, the picker of runs on a phone, and axe's findings."""

import pytest
from playwright.sync_api import expect

from annotate.models import Item, Role
from tests import cast
from tests.addresses.page_checks import violations
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def explorer(live_server, page):
    """The explorer's first page, opened by a researcher; the browser's complaints must be none."""
    study = studies.judged_study("study", n=6)
    Item.objects.filter(external_id="d3").update(warning="blood")
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.RESEARCHER))
    complaints = []
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{live_server.url}/c/study/results/explorer/?depth=5")
    yield page
    assert complaints == []


def at(page, query):
    expect(page.locator("#query-title .explorer-id")).to_have_text(query)
    page.wait_for_load_state()  # the keys are there once the page's script has run


def test_keys_go_from_query_to_query_and_to_the_search_and_are_off_while_typing(explorer):
    at(explorer, "q0")
    for key, query in (
        ("j", "q1"),
        ("ArrowRight", "q2"),
        ("k", "q1"),
        ("ArrowLeft", "q0"),
        ("k", "q0"),
        ("j", "q1"),
    ):
        explorer.keyboard.press(key)
        at(explorer, query)
    assert "depth=5" in explorer.url and "q=q1" in explorer.url
    explorer.keyboard.press("Control+j")
    explorer.keyboard.press("/")
    expect(explorer.locator("#search")).to_be_focused()
    explorer.keyboard.type("jk?/ q4")
    at(explorer, "q1")
    explorer.locator("#search").fill("text of q4")
    explorer.keyboard.press("Enter")
    at(explorer, "q4")
    explorer.keyboard.press("/")
    explorer.keyboard.press("Escape")
    explorer.keyboard.press("?")
    expect(explorer.locator("#keys")).to_be_visible()
    explorer.keyboard.press("j")
    explorer.keyboard.press("Escape")
    at(explorer, "q4")
    explorer.keyboard.press("r")
    explorer.wait_for_url("**order=random**")


def test_on_a_phone_the_runs_stand_one_after_another_and_a_picker_leads_to_each(explorer):
    explorer.set_viewport_size({"width": 390, "height": 800})
    first, second = (explorer.locator(".explorer-run").nth(n).bounding_box() for n in (0, 1))
    assert second["y"] >= first["y"] + first["height"]
    explorer.locator(".explorer-picker a", has_text="beta").click()
    expect(explorer.get_by_role("heading", name="beta", exact=True)).to_be_in_viewport()
    assert explorer.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_warned_item_stays_covered_until_it_is_asked_for(explorer):
    covered = explorer.locator(".explorer-veil").first
    expect(covered.locator(".explorer-item")).to_be_hidden()
    covered.locator("summary").click()
    expect(covered.locator(".explorer-item")).to_be_visible()


def test_the_checker_finds_nothing_at_any_width_in_light_and_dark(explorer, pytestconfig):
    while not explorer.locator("#missed").count():  # some query has a positive below rank 5
        with explorer.expect_navigation():
            explorer.locator("a[rel=next]").click()
    looks = ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark"))
    for width, scheme in looks if pytestconfig.getoption("--full") else looks[-1:]:
        explorer.set_viewport_size({"width": width, "height": 900})
        explorer.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert violations(explorer) == []


def test_runs_out_of_sight_make_the_page_no_wider(live_server, page):
    study = studies.study("study")
    for number in range(6):
        studies.run(study, f"run {number}", seed=number)
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.RESEARCHER))
    page.goto(f"{live_server.url}/c/study/results/explorer/")
    wide = "(one) => one.scrollWidth > one.clientWidth"
    assert page.locator(".explorer-runs").evaluate(wide)
    assert not page.locator("html").evaluate(wide)
