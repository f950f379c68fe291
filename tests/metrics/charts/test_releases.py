"""Charts of a public release: their words, their tables, and that they can be drawn."""

import pytest

from annotate.core.labels.alpha_marks import KRIPPENDORFF
from metrics.charts.charts import level_distribution
from metrics.charts.pictures import svg_of
from metrics.charts.releases import (
    AgreementDot,
    agreement_dots,
    level_counts,
    pairs_by_rank,
)
from metrics.core.releases.manifest import LevelEntry

COUNTS = {"yes": (1, 9, 4), "no": (0, 3, 2)}  # grade, labels, pairs


def levels(**colours):
    """Levels of a manifest with these colours, in this order."""
    return [
        LevelEntry(grade, name, "", (), n_labels, n_pairs, colours[name])
        for name in colours
        for grade, n_labels, n_pairs in [COUNTS[name]]
    ]


def test_levels_are_counted_under_their_names():
    chart = level_distribution(level_counts(levels(yes="", no=""), positive_from=1))
    assert chart.rows == [["yes", 9, 4], ["no", 3, 2]]


@pytest.mark.parametrize("colours", [{"yes": "blue", "no": "red"}, {"no": "red", "yes": "blue"}])
def test_levels_have_the_colours_of_the_scheme(colours):
    counts = level_counts(levels(**colours), positive_from=1)
    assert {level.name: level.colour for level in counts} == {"yes": "blue", "no": "red"}


def test_levels_of_manifests_without_colours_have_those_of_their_grades():
    counts = level_counts(levels(no="", yes=""), positive_from=1)
    assert {level.name: level.colour for level in counts} == {"yes": "green", "no": "slate"}


def test_measures_of_agreement_stand_on_one_axis_with_their_intervals():
    dots = [
        AgreementDot("Alpha", -0.25, -0.5, 0.1, "9 pairs"),
        AgreementDot("Same grade", 0.5, None, None, "9 pairs"),
    ]
    chart = agreement_dots(dots, marks=KRIPPENDORFF)
    assert chart.rows[0] == ["Alpha", "-0.250", "-0.500", "0.100", "9 pairs"]
    assert chart.rows[1][2:4] == ["", ""]
    assert "0.667 and 0.8" in chart.subtitle and "Line:" in chart.subtitle
    assert chart.spec["layer"][-1]["encoding"]["x"]["scale"]["domain"] == [-0.5, 1]
    assert "Alpha" in svg_of(chart)


def test_without_intervals_no_line_is_drawn_or_spoken_of():
    chart = agreement_dots([AgreementDot("Same grade", 0.5, None, None, "9")], marks=KRIPPENDORFF)
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
