"""The analysis room in a browser: figures are drawn, fit a phone, and come when they are ready."""

import pytest
from playwright.sync_api import expect

from annotate.models import Role
from annotate.services.background import progress
from metrics.services.analysis.computation import inquiry_of
from metrics.services.analysis.register import ANALYSES
from tests import cast
from tests.metrics.services.analysis.collection.small_study import grade, small_study
from tests.metrics.services.analysis.questions import chosen, compute_kept

pytestmark = pytest.mark.django_db(transaction=True)
WITH_CHARTS = ("positives-per-query", "positives-by-length", "hits-by-length")


@pytest.fixture
def room(live_server, page):
    """The chapter of a small study, and a page with a researcher signed in."""
    study = small_study()
    grade(study, {(0, 1): 1, (0, 2): 1, (0, 3): 1, (1, 2): 1, (5, 4): 1})
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.RESEARCHER))
    page.complaints = []
    page.on(
        "console", lambda line: page.complaints.append(line.text) if line.type == "error" else None
    )
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.base = f"{live_server.url}/c/study/results/analysis/collection/"
    return study


@pytest.mark.parametrize("width", [1280, 390])
def test_every_figure_is_drawn_within_the_page(room, page, width):
    for name in ANALYSES:
        compute_kept(room, name)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(page.base)
    for name in WITH_CHARTS:
        expect(page.locator(f"#analysis-{name} .chart-view svg")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "NaN" not in page.locator("main").inner_html()
    assert page.complaints == []


def test_a_phone_shows_the_tab_of_the_chapter_and_files_have_the_name_of_the_collection(room, page):
    compute_kept(room, "positives-per-query")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{page.base}../planner/")
    expect(page.get_by_label("Chapters").locator("[aria-current]")).to_be_in_viewport(ratio=1)
    page.goto(f"{page.base}positives-per-query/")
    expect(page.get_by_label("Chapters").locator("[aria-current]")).to_be_in_viewport(ratio=1)
    with page.expect_download() as saved:
        page.locator("[data-download=svg]").click()
    assert saved.value.suggested_filename == "study-positives-per-query.svg"


def test_a_figure_takes_the_place_of_its_job_without_a_reload(room, page):
    page.goto(f"{page.base}positives-per-query/")
    expect(page.locator("#analysis-positives-per-query-job .spinner")).to_be_visible()
    page.evaluate("window.isSame = true")
    compute_kept(room, "positives-per-query")
    expect(page.locator("#analysis-positives-per-query svg")).to_be_visible(timeout=15_000)
    assert page.evaluate("window.isSame")
    assert page.complaints == []


def test_an_error_ends_the_wait(room, page):
    page.goto(f"{page.base}positives-per-query/")
    expect(page.locator("#analysis-positives-per-query-job .spinner")).to_be_visible()
    spec = ANALYSES["positives-per-query"].spec(chosen(room))
    progress.report_failure(job=inquiry_of(collection=room, spec=spec).job, seconds=600)
    card = page.locator("#analysis-positives-per-query-job")
    expect(card).to_contain_text("This could not be computed", timeout=15_000)
    expect(card.locator(".spinner")).to_have_count(0)
    polls = []
    page.on("request", lambda request: polls.append(request.url))
    page.wait_for_timeout(2_500)  # a poll comes every two seconds
    assert polls == [] and page.complaints == []


def test_choices_are_made_at_the_top_and_stay_in_the_address(room, page):
    for parameters in ({}, {"labels": "only"}):
        compute_kept(room, "positives-per-query", **parameters)
    page.goto(f"{page.base}positives-per-query/")
    page.locator("#choices summary").click()
    page.locator("#id_labels").select_option("only")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("figcaption h3")).to_contain_text("by people only")
    assert "labels=only" in page.url
