"""Progress in words and as a bar: odd states, closed pools, days, hours and money.

To see these tests fail: leave a state out of the bar, or count stuck labels among those to come.
"""

from datetime import UTC, date, datetime

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.labels.pair_states import PairState, StateCounts
from annotate.services.pages.stuck_labels import StuckLabels
from metrics.charts.charts import Chart
from metrics.core.statistics.finish import DaysLeft
from metrics.services.cockpit.how_far import (
    BAR_WIDTH,
    EPOCH,
    MILLISECONDS_OF_A_DAY,
    HowFar,
    range_text,
    two_digits,
)
from metrics.services.dashboard.dashboard import Dashboard
from metrics.services.dashboard.details_page import Forecast, ValueRange
from metrics.services.dashboard.forecast_lines import PayForecast
from metrics.services.dashboard.moment import LaterChanges, Moment

TODAY = date(2026, 12, 1)
NOBODY_TEXT = "Nobody here can give the labels that are left."
FORECAST = Forecast(
    chart=Chart("pace", "Pace", "", {}, [], []),
    pace=None,
    n_days=0,
    days_left=None,
    reason="",
    n_left=250,
    hours_spent=None,
    hours_left=ValueRange(3.583, None, None),
    n_timed=0,
    n_untimed=0,
    days=[(((TODAY - EPOCH).days - back) * MILLISECONDS_OF_A_DAY, 100) for back in range(5, 0, -1)],
)


def stuck_labels(n_labels, *, is_more=False, n_people=2):
    return StuckLabels(n_labels, n_labels, is_more, n_people, 0, 0)


def progress(states=None, *, is_open=True, **fields):
    values = {
        "states": StateCounts(states or {}, is_open=is_open),
        "n_pools": 1,
        "n_done": 500,
        "n_left": 250,
        "stuck": None,
        "forecast": FORECAST,
        "pay": None,
        "today": TODAY,
    }
    return HowFar(**(values | fields))


@given(st.dictionaries(st.sampled_from([*map(str, PairState)]), st.integers(0, 10**6)))
def test_the_parts_of_the_bar_sum_to_the_pairs_whatever_their_states(states):
    how_far = progress(states)
    assert sum(part.n for part in how_far.parts) == how_far.states.n_pairs
    if how_far.parts:
        assert sum(part.width for part in how_far.parts) == pytest.approx(BAR_WIDTH)
        assert all(part.n for part in how_far.parts)


def test_pairs_that_are_left_out_are_in_no_part():
    assert [part.n for part in progress({"left_out": 9, "complete": 3}).parts] == [3]


def test_a_hundred_per_cent_is_all_of_them():
    assert progress({"complete": 999, "untouched": 1}).percent_text == "99 %"
    assert progress({"complete": 3}).percent_text == "100 %"
    assert progress().percent_text == ""


def test_pairs_are_counted_over_all_pools():
    counts = {"complete": 3866, "untouched": 1504}
    assert progress(counts).complete_text == "3,866 of 5,370 pairs complete"
    assert progress(counts, n_pools=2).complete_text == "3,866 of 5,370 pairs complete, in 2 pools"
    assert progress().complete_text.startswith("No pair is asked for yet")


def test_a_closed_pool_asks_for_no_more():
    names = [part.name for part in progress({"untouched": 1, "disputed": 1}, is_open=False).parts]
    assert names == ["disputed", "untouched, no longer asked for"]


def test_labels_hours_and_money_have_two_digits():
    pay = PayForecast(None, "EUR", 1.0, 53.75, 40.0, 60.0)
    assert progress().left_text == "500 labels given · 250 left"
    assert progress().effort_text == "about 3.6 hours of people"
    assert progress(pay=pay).effort_text == "about 3.6 hours of people · 54 EUR"
    minutes = FORECAST._replace(hours_left=ValueRange(0.069, None, None))
    assert progress(forecast=minutes).effort_text == "about 4 min of people"
    assert progress(n_left=0, pay=pay).effort_text == ""
    numbers = [0.344, 3.583, 53.75, 1473.0, 99.6, 0]
    assert [two_digits(number) for number in numbers] == ["0.34", "3.6", "54", "1,500", "100", "0"]


def test_the_day_is_a_range_of_the_labels_that_present_people_can_give():
    assert progress().finish_text == "Done between Thu 3 and Fri 4 December"
    assert progress().finish_hint == "Days in UTC"
    stuck = progress(stuck=stuck_labels(150))
    assert stuck.finish_text == "Done between Tue 1 and Wed 2 December"
    assert stuck.finish_note.endswith("; 150 labels nobody here can give not counted")


@pytest.mark.parametrize(
    ("n_left", "stuck", "text"),
    [
        (250, stuck_labels(250), NOBODY_TEXT),
        (10_000, stuck_labels(2000, n_people=0), NOBODY_TEXT),
        (
            10_000,
            stuck_labels(2000, is_more=True, n_people=0),
            NOBODY_TEXT,
        ),
        (
            10_000,
            stuck_labels(2000, is_more=True),
            "When it is done is not known: nobody here can give 2,000 or more labels.",
        ),
        (0, stuck_labels(1), ""),
    ],
)
@pytest.mark.parametrize("forecast", [FORECAST, None])
def test_no_day_is_promised_for_labels_that_nobody_here_can_give(n_left, stuck, text, forecast):
    how_far = progress(n_left=n_left, stuck=stuck, forecast=forecast)
    assert (how_far.finish_text, how_far.finish_note) == (text, "")


@pytest.mark.parametrize("forecast", [FORECAST, None])
def test_no_day_is_promised_in_an_archived_collection(forecast):
    text = "archived since 3 December 2026, 07:08 UTC"
    how_far = progress(forecast=forecast, archived_text=text)
    assert how_far.finish_text == f"Nothing more is handed out: {text}."
    assert how_far.finish_note == how_far.finish_hint == ""
    assert progress(n_left=0, archived_text=text).finish_text == ""


@pytest.mark.parametrize(("stuck", "n_old"), [(None, 2), (stuck_labels(250), 1)])
def test_older_days_and_hours_are_grey_and_say_so_and_a_sentence_of_now_is_not(stuck, n_old):
    moment = datetime(2026, 12, 1, tzinfo=UTC)
    for details_at, n_grey in ((moment, n_old), (None, 0)):
        page = Dashboard("", False, False, Moment(moment, LaterChanges(), details_at))
        html = render_to_string(
            "metrics/cockpit/_how_far.html", {"progress": progress(stuck=stuck), "dashboard": page}
        )
        assert html.count("is-old") == html.count("Older than the other numbers") == n_grey


def test_only_days_are_said_to_be_at_a_pace():
    assert progress().finish_note == "at the pace of the last days"
    assert progress(forecast=None).finish_note == ""
    stuck = progress(forecast=None, stuck=stuck_labels(1))
    assert stuck.finish_note == "1 label nobody here can give not counted"


def test_a_day_that_is_not_defined_says_why():
    assert "being computed" in progress(forecast=None).finish_text
    no_days = FORECAST._replace(days=FORECAST.days[:2])
    assert "it takes three whole days with labels" in progress(forecast=no_days).finish_text
    later = date(2027, 1, 15)
    assert progress(today=later).finish_text.startswith("At this pace never")


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (DaysLeft(30, 40), "Done between Wed 30 December and Sun 10 January"),
        (DaysLeft(30, None), "Done on Wed 30 December at the earliest, perhaps not within a year."),
        (DaysLeft(None, None), "At this pace not within a year."),
        (None, "At this pace never: nobody has given a label in the last 14 days."),
    ],
)
def test_days_far_ahead_name_their_month(left, text):
    assert range_text(left, today=TODAY) == text
