"""The dashboard's charts as they are drawn."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from annotate.models import Role
from metrics.charts.dashboard import MAX_MARKS, labels_a_day
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics import pages_of_days, studies

in_a_browser = pytest.mark.django_db(transaction=True)
# by chart: the text of each mark beneath it and its distance from the middle of the nearest bar,
# then the width of the bars
DRAWN = """() => Object.fromEntries([...document.querySelectorAll("figure.chart")].map((figure) => {
  const boxes = (selector) =>
    [...figure.querySelectorAll(selector)].map((one) => [one, one.getBoundingClientRect()]);
  const middle = (box) => box.left + box.width / 2;
  const bars = boxes(".mark-rect.role-mark path").map(([, box]) => box);
  const beneath = (box) => Math.min(...bars.map((bar) => Math.abs(middle(bar) - middle(box))));
  const [axis] = figure.querySelectorAll(".role-axis-label");
  const marks = [...axis.querySelectorAll("text")].filter(
    (one) => getComputedStyle(one).opacity !== "0");
  return [figure.id, {
    names: marks.map((one) => one.textContent),
    off: marks.map((one) => beneath(one.getBoundingClientRect())),
    thin: Math.min(...bars.map((bar) => bar.width)),
  }];
}))"""


@in_a_browser
def test_an_axis_of_counts_has_no_mark_twice_where_there_is_one_label(page, live_server):
    study = studies.study("study")
    studies.judge(cast.annotator(study), n=1)
    refresh.refresh(collection=study)
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.LEAD))
    page.goto(f"{live_server.url}/c/study/dashboard/levels/")
    chart = page.get_by_role("figure", name="Labels by level")
    marks = chart.locator(".role-axis-label").first.locator("text")
    expect(marks.first).to_have_text("0")
    words = marks.all_text_contents()
    assert len(words) == len(set(words)), words


@in_a_browser
@pytest.mark.urls("tests.metrics.pages_of_days")
@pytest.mark.parametrize("timezone", ["America/Los_Angeles", "Asia/Tokyo"])
def test_labels_a_day_name_no_day_twice_and_each_beneath_its_bar(
    new_context, live_server, timezone
):
    page = new_context(timezone_id=timezone).new_page()
    page.goto(f"{live_server.url}/days/")
    expect(page.locator("figure.chart[data-drawn]")).to_have_count(len(pages_of_days.LENGTHS))
    charts = page.evaluate(DRAWN)
    assert {
        id: chart for id, chart in charts.items() if len(set(chart["names"])) < len(chart["names"])
    } == {}
    assert {
        id: chart for id, chart in charts.items() if not chart["off"] or max(chart["off"]) > 1
    } == {}
    assert charts["days-1"]["names"] == ["1 Jun"]
    assert charts["days-7"]["names"] == [f"{day} Jun" for day in range(1, 8)]
    assert charts["days-366"]["names"][0] == "1 Jun2026"  # on two lines
    assert charts["days-400"]["thin"] > 0.5


def test_marks_of_a_history_are_days_apart_and_few_however_long_it_is():
    for n_days in range(1, 401):
        values = pages_of_days.history(n_days).spec["encoding"]["x"]["axis"]["values"]
        days = [datetime(mark["year"], mark["month"], mark["date"], tzinfo=UTC) for mark in values]
        assert days[0] == datetime(2026, 6, 1, tzinfo=UTC)
        assert MAX_MARKS / 2 < len(days) <= MAX_MARKS or len(days) == n_days, n_days
        assert len({later - earlier for earlier, later in pairwise(days)}) <= 1
        assert (days[-1] - days[0]).days < n_days


def test_a_history_without_days_has_no_marks():
    assert labels_a_day([]).rows == []
