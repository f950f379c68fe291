"""The forecast in words: each line with its numbers, without some, and without any.

To see these tests fail: leave the range out of a line, or swap what is spent and what is left.
"""

from decimal import Decimal

import pytest

from annotate.services.pages.stuck_labels import StuckLabels
from metrics.charts.charts import Chart
from metrics.services.dashboard.details_page import Forecast, ValueRange
from metrics.services.dashboard.forecast_lines import NO_TIME, PayForecast, forecast_lines

NAMES = ["Labels a day", "Working days left", "Hours of people so far", "Hours left", "Pay"]
NONE = Forecast(
    chart=Chart("pace", "Pace", "", {}, [], []),
    pace=None,
    n_days=0,
    days_left=None,
    reason="it takes two days",
    n_left=1200,
    hours_spent=None,
    hours_left=None,
    n_timed=0,
    n_untimed=0,
)
WHOLE = NONE._replace(
    pace=ValueRange(1234.5, 1000.0, 1500.0),
    n_days=9,
    days_left=ValueRange(2.25, 1.0, 3.5),
    hours_spent=1234.56,
    hours_left=ValueRange(12.0, 10.04, 14.0),
    n_timed=3456,
)
NO_PAY = PayForecast(None, "EUR")


def lines(forecast, pay=NO_PAY, stuck=None):
    rows = forecast_lines(forecast, pay, stuck)
    assert [row.name for row in rows] == NAMES
    return [(row.text, row.note) for row in rows]


def test_nothing_is_known_yet():
    assert lines(NONE) == [
        ("not defined yet: it takes two days", ""),
        ("not defined yet: it takes two days", "(1,200 labels left)"),
        (NO_TIME, ""),
        (NO_TIME, ""),
        ("no pay an hour is set", ""),
    ]


def test_everything_is_known():
    days_note = "for 1,200 labels at this pace; disagreements add labels"
    spent_note = "active time of 3,456 judgments, checks and training included"
    assert lines(WHOLE)[:4] == [
        ("1,235, range 1,000 to 1,500", "(9 whole days with labels)"),
        ("2.3, range 1.0 to 3.5", days_note),
        ("1,234.6", spent_note),
        ("12.0, range 10.0 to 14.0", "at the mean active time of a label, without golds"),
    ]
    assert lines(WHOLE._replace(n_untimed=7))[2][1] == f"{spent_note}; 7 more without a time"
    narrow = WHOLE._replace(pace=ValueRange(9.0, 8.9, 9.1))
    assert lines(narrow)[0][0] == "9"
    no_range = WHOLE._replace(hours_left=ValueRange(12.0, None, None))
    assert lines(no_range)[3][0] == "12.0"


@pytest.mark.parametrize(
    ("stuck", "text"),
    [
        (StuckLabels(1200, 1200, False, 2, 0, 0), "nobody here can give the labels that are left"),
        (StuckLabels(300, 300, False, 0, 0, 0), "nobody here can give the labels that are left"),
        (StuckLabels(300, 300, True, 2, 0, 0), "nobody here can give 300 or more labels"),
        (StuckLabels(1201, 1201, False, 2, 0, 0), "what is left has changed since these numbers"),
    ],
)
def test_no_days_are_promised_where_nobody_can_give_what_is_left(stuck, text):
    assert lines(WHOLE, stuck=stuck)[1] == (f"not known: {text}", "")
    assert lines(NONE, stuck=stuck)[1] == lines(NONE)[1]


def test_days_are_of_the_labels_that_people_here_can_give():
    stuck = StuckLabels(300, 300, False, 2, 0, 0)
    assert lines(WHOLE._replace(days_left=ValueRange(4.0, 2.0, 8.0)), stuck=stuck)[1] == (
        "3.0, range 1.5 to 6.0",
        "for 900 labels at this pace; disagreements add labels; "
        "300 labels nobody here can give not counted",
    )


@pytest.mark.parametrize(
    ("amounts", "text"),
    [
        ((1234.4,), "1,234 EUR so far"),
        ((1234.4, 50.0), "1,234 EUR so far, 50 EUR left"),
        ((1234.4, 50.0, 40.0, 60.0), "1,234 EUR so far, 50 EUR left (range 40 to 60)"),
        ((1234.4, 5.1, 4.9, 5.3), "1,234 EUR so far, 5 EUR left"),
    ],
)
def test_what_the_judging_costs(amounts, text):
    pay = PayForecast(Decimal("12.50"), "EUR", *amounts)
    assert lines(WHOLE, pay)[4] == (text, "at 12.50 EUR an hour")


def test_a_pay_without_times_costs_nothing_known():
    assert lines(NONE, PayForecast(Decimal(12), "EUR"))[4] == (NO_TIME, "")


@pytest.mark.parametrize("forecast", [NONE, WHOLE])
def test_no_days_are_promised_in_an_archived_collection(forecast):
    text = "archived since 3 December 2026, 07:08 UTC"
    days = forecast_lines(forecast, NO_PAY, archived_text=text)[1]
    assert (days.text, days.note) == (f"none: {text}", "(1,200 labels left)")
