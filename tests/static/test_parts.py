"""The scripts behind the shared partials, in a browser under the product's own security policy."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.addresses.page_checks import violations
from tests.browsing import COUNT_ANSWERS, pass_time, wait_for_poll
from tests.static import pages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.static.pages")]


@pytest.fixture
def parts(page: Page, live_server: object):
    complaints: list[str] = []
    pages.polls.clear()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.goto(f"{live_server.url}/parts/")
    expect(page.locator("#scores[data-drawn] svg")).to_be_visible()
    yield page
    assert complaints == []


def download(page: Page, kind: str) -> Path:
    with page.expect_download() as waiting:
        page.locator(f"#scores [data-download={kind}]").click()
    return Path(waiting.value.path())


def bar_colour(page: Page) -> str:
    return page.locator("#scores .mark-rect path").first.get_attribute("fill")


def test_a_chart_is_drawn_in_the_palettes_colours_and_again_when_the_theme_changes(parts):
    assert bar_colour(parts) == "rgb(4, 111, 126)"
    parts.emulate_media(color_scheme="dark")
    expect(parts.locator("#scores .mark-rect path").first).to_have_attribute(
        "fill", "rgb(85, 180, 181)"
    )


def test_pictures_are_downloaded_in_light_colours_whatever_the_page_looks_like(parts):
    parts.emulate_media(color_scheme="dark")
    expect(parts.locator("#scores .mark-rect path").first).to_have_attribute(
        "fill", "rgb(85, 180, 181)"
    )
    assert "rgb(4, 111, 126)" in download(parts, "svg").read_text()
    assert download(parts, "png").read_bytes().startswith(b"\x89PNG")


def test_the_table_is_downloaded_as_csv_that_no_spreadsheet_runs(parts):
    assert download(parts, "csv").read_text().splitlines() == [
        "Run,Score",
        "bm25,0.41",
        "'=cmd(),0.52",
        "'@tfidf,0.38",
    ]


def test_the_specification_is_downloaded_whole(parts):
    spec = json.loads(download(parts, "spec").read_text())
    assert "vega-lite" in spec["$schema"]
    assert spec["mark"]["color"] == "rgb(4, 111, 126)"
    assert [row["run"] for row in spec["data"]["values"]] == [name for name, _ in pages.RUNS]


def test_the_table_beneath_is_sorted_by_a_click(parts):
    parts.get_by_text("Show as a table").click()
    parts.get_by_role("button", name="Score", exact=True).click()
    assert parts.locator("#scores tbody th").all_inner_texts() == ["=cmd()", "bm25", "@tfidf"]
    expect(parts.locator("#scores thead th").nth(1)).to_have_attribute("aria-sort", "descending")


@pytest.mark.usefixtures("frozen_pages")
def test_a_job_is_asked_about_until_it_is_done_and_an_unchanged_answer_costs_nothing(parts):
    parts.evaluate(COUNT_ANSWERS)
    expect(parts.locator("#job")).to_contain_text("No worker has been seen for a minute.")
    wait_for_poll(parts, 2)
    expect(parts.locator("#job progress")).to_be_visible()
    wait_for_poll(parts, 2)
    expect(parts.locator("#job progress")).to_be_visible()
    wait_for_poll(parts, 2)
    expect(parts.locator("#job h2")).to_have_text("Run bm25 is ready")
    pass_time(parts, 60)
    assert pages.polls == [None, '"half"', '"half"']


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_the_parts_have_no_accessibility_finding(parts, scheme):
    parts.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    assert violations(parts) == []
