"""Headlines on the order of runs and on curves: each case of the numbers has its sentence."""

import numpy as np
import pytest

from metrics.charts.analyses.measures.both_directions import (
    SystemRow,
    SystemTable,
    both_directions_result,
)
from metrics.charts.analyses.measures.correlations import correlations_result
from metrics.charts.analyses.measures.rank_curves import (
    RunCounts,
    RunCurve,
    confusion_result,
    precision_recall_result,
    roc_result,
)
from metrics.charts.analyses.measures.run_orders import rank_changes_result, scatter_result
from metrics.charts.analyses.measures.run_scores import RunScores
from metrics.charts.analyses.nouns import Nouns
from metrics.core.analyses.measures.both_directions import system_means
from metrics.core.analyses.measures.rank_curves import AreaUnderRoc, CurvePoint, confusion_counts
from metrics.core.analyses.measures.run_orders import RunMean, run_ranks
from metrics.core.measures.ranking import PositiveRanks
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval

NOUNS = Nouns("captions", "2 captions", ["Rough."])


def scores_of(**columns: list[float | None]) -> RunScores:
    """Runs a, b, ... with these averages by measure."""
    names = list(columns)
    means = [
        [RunMean(value, NO_INTERVAL) for value in row]
        for row in zip(*columns.values(), strict=True)
    ]
    runs = [chr(ord("a") + number) for number in range(len(means))]
    return RunScores(runs, names, names, means, [False] * len(names), "2 captions", [])


def test_the_two_measures_that_agree_least_are_named():
    scores = scores_of(AP=[0.1, 0.2, 0.3], RR=[0.3, 0.2, 0.5], P=[0.3, 0.1, 0.2])
    assert correlations_result(scores).headline == (
        "AP and P agree least on the order of 3 runs with a tau-b of -0.33: 2 of 3 pairs of runs "
        "are in opposite orders"
    )


def test_measures_that_order_all_alike_or_not_at_all_are_said_to():
    alike = scores_of(AP=[0.1, 0.2], RR=[0.2, 0.3])
    assert correlations_result(alike).headline == (
        "No two of these measures order a pair of the 2 runs against one another"
    )
    equal = scores_of(AP=[0.1, 0.1], RR=[0.2, None])
    result = correlations_result(equal)
    assert result.headline == "No two of these measures can be compared over 2 runs"
    assert result.rows[0][2:7] == [1, None, None, None, None]


def test_the_run_that_moves_most_is_named():
    scores = scores_of(AP=[0.3, 0.2, 0.1], RR=[0.1, 0.3, 0.2])
    assert rank_changes_result(scores, of="measures").headline == (
        "a moves most: rank 1 of 3 by AP, 3 by RR"
    )
    same = scores_of(AP=[0.3, 0.2], RR=[0.3, 0.1])
    assert rank_changes_result(same, of="measures").headline == (
        "2 runs have the same order by 2 measures"
    )


def test_runs_that_move_as_much_are_counted():
    scores = scores_of(AP=[0.3, 0.2], RR=[0.1, 0.2])
    assert rank_changes_result(scores, of="measures").headline == (
        "a and 1 other run move most, a: rank 1 of 2 by AP, 2 by RR"
    )


def test_a_rank_that_runs_share_says_so_and_a_line_stops_where_there_are_no_ranks():
    scores = scores_of(AP=[0.3, 0.3, 0.1], C=[0.5, 0.5, 0.5], RR=[0.1, 0.2, 0.2])
    result = rank_changes_result(scores, of="measures")
    assert result.headline.endswith("move most, a: rank 1 (shared) of 3 by AP, 3 by RR"), (
        result.headline
    )
    points = {(row["run"], row["by"]): row["rank"] for row in result.spec["data"]["values"]}
    assert [points["b", name] for name in ("AP", "C", "RR")] == [1, None, 1]
    *_, names = result.spec["layer"]
    assert [(row["rank"], row["names"]) for row in names["data"]["values"]] == [
        (3, "a"),
        (1, "b, c"),
    ]


def test_measures_that_agree_as_little_are_counted():
    scores = scores_of(AP=[1, 2, 3], RR=[1, 2, 3], P=[3, 1, 2])
    assert correlations_result(scores).headline == (
        "AP and P agree least, as does 1 other pair, on the order of 3 runs with a tau-b of -0.33: "
        "2 of 3 pairs of runs are in opposite orders"
    )
    turned = scores_of(AP=[1, 2], RR=[2, 1])
    assert correlations_result(turned).headline == (
        "AP and RR disagree on the order of 2 runs with a tau-b of -1.00: 1 of 1 pair of runs is "
        "in the opposite order"
    )
    equal = scores_of(AP=[1, 2, 3], RR=[2, 3, 1], P=[3, 1, 2])
    assert correlations_result(equal).headline.startswith(
        "AP and RR disagree, as do 2 other pairs, on the order of 3 runs with a tau-b of -0.33: "
    )


def test_a_column_in_which_all_runs_are_equal_orders_nothing():
    scores = scores_of(AP=[0.3, 0.2], RR=[0, 0], P=[0.1, 0.2])
    result = rank_changes_result(scores, of="measures")
    assert [row[1:4] for row in result.rows] == [[1, None, 2], [2, None, 1]]
    assert result.notes == ["All runs are equal by RR: no ranks."]
    two = rank_changes_result(scores_of(AP=[0.3, 0.2], RR=[0, 0]), of="measures")
    assert two.headline == "Fewer than two of these measures tell 2 runs apart"


def test_two_measures_alone_are_not_said_to_agree_least():
    scores = scores_of(AP=[0.1, 0.2, 0.3], P=[0.3, 0.1, 0.2])
    assert correlations_result(scores).headline == (
        "AP and P disagree on the order of 3 runs with a tau-b of -0.33: 2 of 3 pairs of runs are "
        "in opposite orders"
    )


def test_averages_that_differ_by_the_order_of_a_sum_are_equal():
    means = [np.mean([0.1, 0.2, 0.3]), np.mean([0.3, 0.2, 0.1])]
    assert means[0] != means[1]
    result = rank_changes_result(scores_of(AP=means, RR=[0.2, 0.1]), of="measures")
    assert "All runs are equal by AP: no ranks." in result.notes


def test_of_many_runs_the_first_have_lines_and_all_have_rows():
    values = [number / 100 for number in range(25)]
    result = rank_changes_result(scores_of(AP=values, RR=values), of="measures")
    assert len(result.rows) == 25 and [row[1] for row in result.rows] == list(range(1, 26))
    assert len({value["run"] for value in result.spec["data"]["values"]}) == 20
    assert result.notes == ["Lines: the first 20 of 25 runs by AP."]


def test_a_run_without_an_average_has_no_rank_and_no_point():
    scores = scores_of(AP=[0.3, None, 0.1], RR=[0.3, 0.2, 0.1])
    rows = {row[0]: row for row in rank_changes_result(scores, of="measures").rows}
    assert rows["b"][1:4] == [None, None, 0] and rows["c"][1:3] == [2, 2]
    result = scatter_result(scores)
    assert result.headline == ("AP and RR order 1 pair of runs alike and 0 the other way round")
    assert [value["run"] for value in result.spec["data"]["values"]] == ["a", "c"]


def test_runs_that_a_measure_has_equal_are_told_apart_from_those_in_an_order():
    scores = scores_of(AP=[0.3, 0.3, 0.1], RR=[0.3, 0.2, 0.2])
    assert scatter_result(scores).headline == (
        "AP and RR order 1 pair of runs alike and 0 the other way round; 2 pairs have runs that "
        "are equal by one of the two measures or by both"
    )
    scores = scores_of(AP=[0.3, 0.3, 0.1], RR=[0.3, 0.2, 0.4])
    assert scatter_result(scores).headline.endswith(
        "; 1 pair has runs that are equal by one of the two measures or by both"
    )


def test_one_run_with_all_averages_has_no_order():
    scores = scores_of(AP=[0.3, None, 0.1], RR=[0.3, 0.2, None])
    assert rank_changes_result(scores, of="measures").headline == (
        "Fewer than two runs have an average by each of these measures: there is no order"
    )


def test_precision_is_told_at_half_of_the_positives():
    interval = Interval(0.5, 0.9)
    points = [[CurvePoint(x / 10, y - x / 100, interval) for x in range(11)] for y in (0.85, 0.45)]
    curves = [RunCurve("near", points[0]), RunCurve("far", points[1])]
    assert precision_recall_result(curves, NOUNS).headline == (
        "At half of the positives near has a precision of 0.800 (95 % interval 0.500 to 0.900), "
        "far one of 0.400 (95 % interval 0.500 to 0.900)"
    )
    assert precision_recall_result(curves[:1], NOUNS).headline == (
        "At half of the positives near has a precision of 0.800 (95 % interval 0.500 to 0.900)"
    )
    alike = [RunCurve("one", points[0]), RunCurve("two", points[0])]
    assert precision_recall_result(alike, NOUNS).headline == (
        "At half of the positives each run has a precision of 0.800"
    )


@pytest.fixture
def counts():
    """Two queries with a positive each of ten targets, at ranks 1 and 4 of five."""
    ranks = PositiveRanks(
        np.array([0, 1]), np.array([1, 4]), np.array([1, 1]), np.array([1, 1]), np.array([5, 5])
    )
    return confusion_counts(ranks, n_targets=10, depths=[1, 5], groups=Groups.single(2))


def test_areas_are_told_where_they_are_known(counts):
    near, far = (AreaUnderRoc(area, Interval(0.5, 0.95), 2) for area in (0.9, 0.6))
    both = roc_result([RunCounts("near", counts, near), RunCounts("far", counts, far)], 10, NOUNS)
    assert both.headline == (
        "In near a positive stands above a negative with a chance of 0.900 (95 % interval 0.500 to "
        "0.950), in far with one of 0.600 (95 % interval 0.500 to 0.950)"
    )
    short = roc_result([RunCounts("near", counts, None)], 10, NOUNS)
    assert short.headline == (
        "Within its first 5 ranks near has, on average a caption, 100.0 % of the positives and "
        "44.4 % of the negatives"
    )
    assert short.notes[-1].startswith("An area is known only of runs that rank all 10 targets")
    assert short.rows[0][-3:] == [None, None, None]


def test_right_and_missing_positives_are_told_at_ten_or_the_last_depth(counts):
    result = confusion_result([RunCounts("near", counts, None)], 10, NOUNS)
    assert result.headline == (
        "Of the first 5 targets of near, 1.0 a caption are positive; 0.0 positives stand "
        "behind or are missing"
    )
    assert result.spec is None


def both_directions(name: str, *values: float):
    """Systems a, b, ... with the same average in both directions of 40 queries."""
    rows = []
    for number, value in enumerate(values):
        means = [RunMean(value, NO_INTERVAL)]
        system = chr(ord("a") + number)
        rows.append(SystemRow(system, "", "", system_means([name], means, means)))
    return both_directions_result(SystemTable(rows, [name], [name == "MedR"], (40, 40), "", []))


def test_systems_with_equal_means_lead_together():
    assert both_directions("MedR", 2, 1, 1).headline == (
        "2 of 3 systems share the best mean of both directions by MedR, 1.000: b, c"
    )
    assert both_directions("C@1", 0.5, 0.5).headline == (
        "2 systems have the same mean of both directions by C@1, 0.500: a, b"
    )
    assert both_directions("MedR", 2, 1).headline.startswith("b has the best mean of both")


def test_a_median_is_not_called_a_mean_with_an_interval():
    start = "Chart: MedR, the median over the queries of each direction, which has no interval."
    assert both_directions("MedR", 2, 1).reading.startswith(start)
    start = "Chart: C@1, as a mean over the queries of each direction, and its 95 % interval."
    assert both_directions("C@1", 0.5, 0.4).reading.startswith(start)


def test_small_means_are_no_ties_and_are_told_by_digits_that_count():
    assert both_directions("RBP", 2e-14, 5.5e-14, 1e-14).headline.startswith(
        "b has the best mean of both directions by RBP, 5.5e-14: 5.5e-14 (no interval) from"
    )
    scores = scores_of(AP=[1e-14, 3e-14, 2e-14, None], RR=[0.3, 0.1 + 0.2, 0.5, 0.1])
    assert run_ranks(scores.scores).tolist() == [[3, 2], [1, 2], [2, 1], [0, 4]]
