"""Both rooms in a real browser: the dashboard follows the labels without a reload, the leaderboard sorts."""

import pytest
from playwright.sync_api import expect

from annotate.models import Role
from metrics.services import refresh
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rooms(live_server, page):
    """A refreshed study, and a page on which its lead is signed in; what the browser complains of is collected."""
    study = studies.judged_study("study", n=6)
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.LEAD))
    page.complaints, page.polls = [], []
    page.on("console", lambda line: page.complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("response", lambda answer: page.polls.append(answer.status) if "/numbers/" in answer.url else None)
    page.base = f"{live_server.url}/c/study"
    return study


def test_the_dashboard_follows_the_labels_without_a_reload(rooms, page):
    page.goto(f"{page.base}/dashboard/")
    labels = page.locator(".stat").nth(1).locator(".stat-value")
    expect(labels).to_have_text("6")
    expect(page.locator("#levels svg")).to_be_visible()
    studies.judge(cast.annotator(rooms), n=5)
    refresh.refresh(collection=rooms)
    expect(labels).to_have_text("11")
    expect(page.locator("#levels svg")).to_be_visible()
    page.wait_for_event("response", lambda answer: answer.status == 304, timeout=60_000)
    assert set(page.polls) == {200, 304}
    assert page.complaints == []


def test_a_hidden_dashboard_asks_nothing(rooms, page):
    page.goto(f"{page.base}/dashboard/")
    page.wait_for_event("response", lambda answer: "/numbers/" in answer.url, timeout=60_000)
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true})")
    n_polls = len(page.polls)
    page.wait_for_timeout(7_000)
    assert len(page.polls) == n_polls


def test_the_leaderboard_sorts_by_a_measure(rooms, page):
    page.goto(f"{page.base}/leaderboard/")
    expect(page.locator("#scores-forward svg")).to_be_visible()
    table = page.locator("table", has=page.locator("th", has_text="nDCG@10")).first
    shown = []
    for _ in range(2):
        table.get_by_role("button", name="AP", exact=True).click()
        shown.append(table.locator("tbody th").all_inner_texts())
    assert shown[0] == shown[1][::-1] and set(shown[0]) == {"alpha", "beta"}
    assert page.complaints == []
