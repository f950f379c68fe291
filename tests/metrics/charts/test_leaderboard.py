"""Dot plots and histories: sorted, named on the axis, no colour twice."""

from metrics.charts.leaderboard import N_LINES, Dot, difference_plot, score_dots, score_history


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
