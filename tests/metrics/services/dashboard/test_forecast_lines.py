"""The forecast in words: each line with its numbers, without some, and without any.

To see these tests fail: leave the range out of a line, or swap what is spent and what is left.
"""

from decimal import Decimal

import pytest

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


def lines(forecast, pay=NO_PAY):
    rows = forecast_lines(forecast, pay)
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
    spent_note = "active time of 3,456 answers, checks and training included"
    assert lines(WHOLE)[:4] == [
        ("1,235, range 1,000 to 1,500", "(9 whole days with labels)"),
        ("2.3, range 1.0 to 3.5", days_note),
        ("1,234.6", spent_note),
        ("12.0, range 10.0 to 14.0", "at the mean active time of a label, without golds"),
    ]
    assert lines(WHOLE._replace(n_untimed=7))[2][1] == f"{spent_note}; 7 more without a time"
    no_range = WHOLE._replace(hours_left=ValueRange(12.0, None, None))
    assert lines(no_range)[3][0] == "12.0"


@pytest.mark.parametrize(
    ("amounts", "text"),
    [
        ((1234.4,), "1,234 EUR so far"),
        ((1234.4, 50.0), "1,234 EUR so far, 50 EUR left"),
        ((1234.4, 50.0, 40.0, 60.0), "1,234 EUR so far, 50 EUR left (range 40 to 60)"),
    ],
)
def test_what_the_judging_costs(amounts, text):
    pay = PayForecast(Decimal("12.50"), "EUR", *amounts)
    assert lines(WHOLE, pay)[4] == (text, "at 12.50 EUR an hour")


def test_a_pay_without_times_costs_nothing_known():
    assert lines(NONE, PayForecast(Decimal(12), "EUR"))[4] == (NO_TIME, "")
