"""Both rooms in a browser: the dashboard follows labels, the leaderboard sorts and averages."""

import pytest
from playwright.sync_api import expect

from annotate.models import Role
from metrics.services.numbers import refresh
from pooling.models import Run
from tests import cast
from tests.browsing import COUNT_ANSWERS, pass_time, wait_for_condition, wait_for_poll
from tests.metrics import studies
from tests.metrics.services.analysis.questions import compute_kept, table_of
from tests.metrics.services.leaderboard.choices.protocol_study import protocol_study

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS_BETWEEN = 3  # templates/metrics/dashboard/_numbers.html


@pytest.fixture
def rooms(live_server, page):
    """A refreshed study, and a page with its lead signed in; its complaints are collected."""
    study = studies.judged_study("study", n=6)
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.LEAD))
    page.complaints, page.polls = [], []
    page.on(
        "console", lambda line: page.complaints.append(line.text) if line.type == "error" else None
    )
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on(
        "response",
        lambda answer: page.polls.append(answer.status) if "/numbers/" in answer.url else None,
    )
    page.base = f"{live_server.url}/c/study"
    return study


def open_dashboard(page):
    page.goto(f"{page.base}/dashboard/")
    page.evaluate(COUNT_ANSWERS)


@pytest.mark.usefixtures("frozen_pages")
def test_the_dashboard_follows_the_labels_without_a_reload(rooms, page):
    open_dashboard(page)
    labels = page.locator(".cockpit-far")
    expect(labels).to_contain_text("6 labels given")
    studies.judge(cast.annotator(rooms), n=5)
    refresh.refresh(collection=rooms)
    wait_for_condition(
        page,
        lambda: "11 labels given" in labels.inner_text() or wait_for_poll(page, SECONDS_BETWEEN),
    )
    wait_for_condition(page, lambda: 304 in page.polls or wait_for_poll(page, SECONDS_BETWEEN))
    assert set(page.polls) == {200, 304}
    assert page.complaints == []


@pytest.mark.usefixtures("frozen_pages")
def test_a_hidden_dashboard_asks_nothing(rooms, page):
    open_dashboard(page)
    wait_for_poll(page, SECONDS_BETWEEN)
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    pass_time(page, 3600)
    page.evaluate("Object.defineProperty(document, 'hidden', {value: false})")
    wait_for_poll(page, SECONDS_BETWEEN)
    wait_for_condition(page, lambda: len(page.polls) >= 2)
    assert len(page.polls) == 2


def test_the_leaderboard_sorts_by_a_measure(rooms, page):
    page.goto(f"{page.base}/results/leaderboard/")
    expect(page.locator("#scores-forward-1 svg")).to_be_visible()
    table = page.locator("table", has=page.locator("th", has_text="nDCG@10")).first
    run_orders = []
    for _ in range(2):
        table.get_by_role("button", name="AP %", exact=True).click()
        run_orders.append(table.locator("tbody th").all_inner_texts())
    assert run_orders[0] == run_orders[1][::-1] and set(run_orders[0]) == {"alpha", "beta"}
    assert page.complaints == []


def test_a_laptop_shows_all_columns_of_the_leaderboard(rooms, page):
    Run.objects.filter(name="alpha").update(name="clip-vit-base-patch32")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{page.base}/results/leaderboard/")
    tables = page.get_by_role("region", name="Scores,")
    expect(tables).to_have_count(2)
    widths = "all => all.map(one => [one.scrollWidth, one.clientWidth])"
    cut_tables = [pair for pair in tables.evaluate_all(widths) if pair[0] > pair[1]]
    assert cut_tables == []


@pytest.mark.parametrize("width", [1280, 390])
def test_both_directions_and_protocols_stand_beneath_the_tables(live_server, page, width):
    study = protocol_study()
    refresh.refresh(collection=study)
    compute_kept(study, "both-directions")
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.RESEARCHER))
    complaints = []
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{live_server.url}/c/coco/results/leaderboard/")
    page.get_by_label("in both directions?").scroll_into_view_if_needed()
    figure = page.locator("#analysis-both-directions")
    expect(figure.locator(".chart-view svg")).to_be_visible()
    figure.get_by_text("Show as a table").click()
    best = max(table_of(study, "both-directions"), key=lambda row: row["rsum"])
    expect(figure.locator("table tbody tr").first).to_contain_text(f"{best['rsum']:.1f}")
    # protocols are computed now that somebody looks
    page.get_by_label("by the protocols of papers").scroll_into_view_if_needed()
    expect(page.locator("#analysis-protocols-job .spinner")).to_be_visible()
    compute_kept(study, "protocols")
    expect(page.locator("#analysis-protocols")).to_contain_text("COCO 1K", timeout=15_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
