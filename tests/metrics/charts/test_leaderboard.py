"""Dot plots and histories: sorted, named on the axis, no colour twice."""

from metrics.charts.leaderboard import (
    N_LINES,
    Dot,
    difference_plot,
    score_dots,
    score_history,
    with_ceiling_line,
)
from metrics.charts.pictures import svg_of


def test_a_dot_plot_has_its_names_on_the_axis_in_the_order_given_and_all_digits_to_take_away():
    dots = [Dot(f"run {number}", 90 - number / 3, None, 80.0, 95.0) for number in range(17)]
    chart = score_dots(dots, measure="AP", unit="%", id="a", title="AP")
    assert chart.spec["encoding"]["y"]["sort"] == [dot.run for dot in dots]
    # no reference, no tick for it
    assert "color" not in chart.spec["encoding"] and len(chart.spec["layer"]) == 2
    assert [row[0] for row in chart.rows] == [dot.run for dot in dots]
    assert (chart.rows[1][1].text, chart.rows[1][1].exact) == ("89.7", repr(90 - 1 / 3))
    assert "Tick" not in chart.subtitle


def test_the_reference_alone_is_a_tick():
    dots = [Dot("a", 50, 40.0, None, None), Dot("b", 40, 30.0, 20.0, 50.0)]
    chart = score_dots(dots, measure="AP", unit="%", id="a", title="AP")
    assert chart.spec["layer"][1]["mark"]["type"] == "tick" and "Tick" in chart.subtitle
    assert [str(cell) for cell in chart.rows[0]] == ["a", "50.0", "", "", "40.0"]


def test_where_no_score_has_an_interval_no_line_is_drawn_or_spoken_of():
    chart = score_dots([Dot("a", 50, None, None, None)], measure="AP", unit="%", id="a", title="AP")
    assert [layer["mark"]["type"] for layer in chart.spec["layer"]] == ["point"]
    assert "Line" not in chart.subtitle


def test_a_person_by_the_labels_of_the_others_is_a_line_across_all_runs():
    dots = [Dot("a", 50, None, 45.0, 55.0), Dot("b", 40, None, 20.0, 50.0)]
    without = score_dots(dots, measure="C@1", unit="%", id="a", title="C@1")
    chart = with_ceiling_line(without, percent=62.0, low=60.0, high=64.0)
    assert [str(cell) for cell in chart.rows[-1]] == [
        "A person, by the labels of the others",
        *("62.0", "60.0", "64.0", ""),
    ]
    assert "Dashed: a person" in chart.subtitle
    picture = svg_of(chart)
    assert 'stroke-dasharray="6,3"' in picture and "stroke-dasharray" not in svg_of(without)


def test_a_history_has_no_more_lines_than_colours():
    runs = [f"run {number}" for number in range(17)]
    points = [(n, run, float(n)) for n in (10, 20) for run in runs]
    arguments = {"measure": "AP", "direction": "query to document", "id": "a", "labels": "people"}
    chart = score_history(points, runs=runs, **arguments)
    assert {row["run"] for row in chart.spec["data"]["values"]} == set(runs[:N_LINES])
    assert "The 7 best of 17 runs; choose others above." in chart.subtitle
    assert "best of" not in score_history(points, runs=runs[:7], **arguments).subtitle


def test_of_ranks_the_run_whose_is_lower_is_the_better_one():
    arguments = {"first": "a", "second": "b", "measure": "MedR"}
    shares = difference_plot([[1, -2.0], [2, 0.0], [3, 4.0]], **arguments)
    ranks = difference_plot([[1, -2.0], [2, 0.0], [3, 4.0]], is_rank=True, **arguments)
    assert [row[2] for row in shares.rows] == ["b", "equal", "a"]
    assert [row[2] for row in ranks.rows] == ["a", "equal", "b"]
    assert shares.subtitle.startswith("Above zero the first") and ranks.subtitle.startswith(
        "Below zero the first"
    )
