"""Averages of both directions and of protocols on the leaderboard, in a browser."""

import pytest
from playwright.sync_api import expect

from annotate.models import Role
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics.services.analysis.questions import compute_kept, table_of
from tests.metrics.services.leaderboard.choices.protocol_study import protocol_study

pytestmark = pytest.mark.django_db(transaction=True)


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
