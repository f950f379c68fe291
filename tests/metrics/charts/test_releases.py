"""Charts of a public release: their words, their tables, and that they can be drawn."""

from metrics.charts.charts import level_distribution
from metrics.charts.pictures import svg_of
from metrics.charts.releases import (
    AgreementDot,
    agreement_dots,
    grade_colours,
    level_counts,
    pairs_by_rank,
)


def test_positives_and_others_have_colours_of_their_own():
    colours = grade_colours([0, 1, 2, 3], positive_from=2)
    assert colours == {3: "green", 2: "teal", 0: "slate", 1: "amber"}
    assert len(grade_colours(list(range(20)), positive_from=10)) == 20


def test_levels_are_counted_under_their_names():
    chart = level_distribution(level_counts([(1, "yes", 9, 4), (0, "no", 3, 2)], positive_from=1))
    assert chart.rows == [["yes", 9, 4], ["no", 3, 2]]


def test_measures_of_agreement_stand_on_one_axis_with_their_intervals():
    dots = [
        AgreementDot("Alpha", -0.25, -0.5, 0.1, "9 pairs"),
        AgreementDot("Same grade", 0.5, None, None, "9 pairs"),
    ]
    chart = agreement_dots(dots, marks=(0.667, 0.8))
    assert chart.rows[0] == ["Alpha", "-0.250", "-0.500", "0.100", "9 pairs"]
    assert chart.rows[1][2:4] == ["", ""]
    assert "0.667 and 0.8" in chart.subtitle and "Line:" in chart.subtitle
    assert chart.spec["layer"][-1]["encoding"]["x"]["scale"]["domain"] == [-0.5, 1]
    assert "Alpha" in svg_of(chart)


def test_without_intervals_no_line_is_drawn_or_spoken_of():
    chart = agreement_dots([AgreementDot("Same grade", 0.5, None, None, "9")], marks=(0.8,))
    assert "Line:" not in chart.subtitle and len(chart.spec["layer"]) == 2


def test_pairs_by_rank_are_those_of_each_pool():
    chart = pairs_by_rank({"deep": {1: 5, 3: 2}, "wide": {1: 1}})
    assert chart.rows == [["deep", 1, 5], ["deep", 3, 2], ["wide", 1, 1]]
    assert "color" in chart.spec["encoding"] and "deep" in svg_of(chart)
    assert "color" not in pairs_by_rank({"deep": {1: 5}}).spec["encoding"]
    assert pairs_by_rank({}).rows == []


def test_many_ranks_are_joined():
    chart = pairs_by_rank({"deep": dict.fromkeys(range(1, 251), 2)})
    assert len(chart.rows) == 84 and chart.rows[0] == ["deep", 1, 6]
    assert sum(row[2] for row in chart.rows) == 500
    assert "3 ranks a bar" in chart.subtitle
