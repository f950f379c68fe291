"""Alpha in words and as a line: marks by the printed lower end, undefined ends, the drawing.

To see these tests fail: round the interval to the nearest on either page, or go by the value.
"""

import pytest

from annotate.core.labels.alpha_marks import KRIPPENDORFF, AlphaMarks
from metrics.charts.charts import AlphaPoint
from metrics.services.cockpit.how_good import HowGood, alpha_drawing
from metrics.services.dashboard.agreement_page import AgreementFigures, AgreementPanel


def how_good(value, low, high, *, reason="", points=(), marks=KRIPPENDORFF):
    alpha = {"value": value, "low": low, "high": high, "reason": reason}
    alpha |= {"n_groups": 64, "n_pairable_units": 226, "n_replicates": 0}
    figures = AgreementFigures(alpha, None, None)
    return HowGood(AgreementPanel("ordinal", [], figures, figures, "queries", marks), list(points))


@pytest.mark.parametrize(
    ("low", "interval", "mark"),
    [
        (0.6041, "0.60 to 0.78", "the interval is not yet above 0.667"),
        (0.66699, "0.66 to 0.78", "the interval is not yet above 0.667"),
        (0.667, "0.667 to 0.78", "the interval is not yet above 0.8"),
        (0.6699, "0.669 to 0.78", "the interval is not yet above 0.8"),
        (0.6701, "0.67 to 0.78", "the interval is not yet above 0.8"),
        (0.7999, "0.79 to 0.78", "the interval is not yet above 0.8"),
        (0.8001, "0.80 to 0.78", "the interval is above 0.8"),
        (-0.101, "-0.11 to 0.78", "the interval is not yet above 0.667"),
    ],
)
def test_the_mark_goes_by_the_lower_end_as_it_is_printed(low, interval, mark):
    agreement = how_good(0.7, low, 0.7712)
    assert (agreement.interval_text, agreement.mark_text) == (interval, mark)


@pytest.mark.parametrize("low", [0.512, 0.6699, 0.66699, 0.7999, -0.101])
def test_the_dashboard_has_the_interval_of_the_overview(low):
    agreement = how_good(0.7, low, 0.7312)
    cell = agreement.panel.interval_cells[0]
    assert cell.text == agreement.interval_text
    reaches = agreement.panel.mark_text.startswith("At least 0.667")
    assert reaches == ("not yet above 0.667" not in agreement.mark_text)


def test_marks_of_a_collections_own_take_the_place_of_the_usual_ones():
    points = [AlphaPoint(n, 0.7, 0.65, 0.8, None) for n in (1, 2)]
    agreement = how_good(0.7, 0.65, 0.8, points=points, marks=AlphaMarks(0.6, 0.9))
    assert agreement.mark_text == "the interval is not yet above 0.9"
    assert [mark.name for mark in agreement.drawing.marks] == ["0.6", "0.9"]
    agreement = how_good(0.7, 0.65, 0.8, marks=AlphaMarks(0.5, 0.65))
    assert agreement.mark_text == "the interval is above 0.65"


def test_alpha_that_is_not_defined_says_why_and_one_without_an_interval_reaches_nothing():
    undefined = how_good(None, None, None, reason="no pair has two planned labels yet")
    assert undefined.value_text == undefined.interval_text == undefined.mark_text == ""
    assert undefined.basis_text == ("Alpha is not defined yet: no pair has two planned labels yet.")
    assert how_good(0.9, None, None).mark_text == ""
    assert how_good(0.9, None, None).basis_text == (
        "Alpha, ordinal, of planned labels on 226 pairs of 64 queries"
    )


def test_the_line_runs_from_the_first_point_to_the_last_and_the_band_around_it():
    points = [AlphaPoint(100, 0.5, 0.4, 0.6, None), AlphaPoint(300, 0.75, 0.7, 0.9, None)]
    drawing = alpha_drawing(points, marks=KRIPPENDORFF)
    assert drawing.line == "0.0,80.0 1000.0,30.0"
    assert drawing.band == "0.0,60.0 1000.0,0.0 1000.0,40.0 0.0,100.0"
    assert [(mark.name, mark.y) for mark in drawing.marks] == [("0.667", "46.6%"), ("0.8", "20.0%")]
    assert (drawing.first_text, drawing.last_text) == ("100 judgments", "300")


def test_one_point_is_no_line_and_points_without_an_interval_have_no_band():
    points = [AlphaPoint(1, None, None, None, 0.2), AlphaPoint(5, 0.7, None, None, 0.7)]
    assert how_good(0.7, 0.6, 0.8, points=points).drawing is None
    drawing = alpha_drawing([points[1], points[1]._replace(n_judgments=9)], marks=KRIPPENDORFF)
    assert drawing.band.split()[0] == drawing.line.split()[0]
