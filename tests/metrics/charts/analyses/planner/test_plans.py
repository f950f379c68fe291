"""The cost of judging queries: cells, columns and the note on what they are of."""

import pytest

from metrics.charts.analyses.judging_pace import JudgingPace
from metrics.charts.analyses.planner.plans import JudgingCost

COST = JudgingCost(
    n_pairs=120,
    n_new=30,
    n_waiting=0,
    n_queries=10,
    n_runs=2,
    depth=10,
    pace=JudgingPace(1, 0, 12.0, True),
    hourly_pay=20.0,
    currency="CHF",
)


@pytest.mark.parametrize(
    ("n", "cells"),
    [
        (0, [0, 0, 0, 0]),
        (5, [60, 15, 0.05, 1]),
        (10, [120, 30, 0.1, 2]),
        # all pairs of the other thirty are new
        (40, [480, 390, 1.3, 26]),
    ],
)
def test_hours_and_pay_are_of_new_pairs(n, cells):
    assert COST.cells(n) == pytest.approx(cells)
    assert COST._replace(hourly_pay=None).cells(n) == pytest.approx(cells[:3])


def test_a_number_that_is_not_told_has_no_cost():
    assert COST.cells(None) == [None] * 4
    assert COST._replace(hourly_pay=None).cells(None) == [None] * 3


def test_columns_are_as_many_as_cells_and_name_the_currency():
    titles = ["Pairs", "New pairs", "Hours for new pairs", "Pay for these, CHF"]
    assert [column.title for column in COST.columns] == titles
    assert [column.title for column in COST._replace(hourly_pay=None).columns] == titles[:3]


def test_the_note_says_what_is_new_and_of_how_many_queries_the_means_are():
    assert COST.note("queries", 10) == (
        "Cost: for each of 10 queries the first 10 ranks of 2 runs hold 12.0 pairs on average, and "
        "a sample holds about as many for each of its queries. Of these 3.0 are new: nobody has "
        "labelled them, no open pool asks about them, and no lead has left them out. Hours and pay "
        "are for new pairs alone: 1 label a pair as the policy plans, 12.0 seconds a judgment, the "
        "median here; labels that a disagreement asks for come on top."
    )


def test_hours_hold_the_labels_and_gold_checks_that_the_policy_plans():
    cost = COST._replace(pace=JudgingPace(2.5, 0.2, 12.0, True))
    assert cost.cells(5)[2] == pytest.approx(15 * 2.5 * 1.2 * 12 / 3_600)
    assert "2.5 labels a pair as the policy plans, 20 gold checks with 100 labels, 12.0 " in (
        cost.note("queries", 10)
    )


def test_the_note_speaks_of_queries_beyond_those_at_hand_where_the_table_has_them():
    assert " Beyond these 10 documents all pairs are new. Hours" in COST.note("documents", 11)
    note = COST._replace(hourly_pay=None, pace=JudgingPace(2, 0, 12.0, False)).note("queries", 10)
    assert "eyond" not in note
    assert "Hours are for new pairs alone: 2 labels a pair as the policy plans, 12.0 sec" in note
    assert "a judgment, a usual one, as none was timed; " in note


def test_the_note_tells_pairs_that_wait_and_that_none_is_new():
    note = COST._replace(n_waiting=25).note("queries", 10)
    assert "Of these 3.0 are new: nobody" in note
    assert " An open pool asks about 2.5 already, whose hours are not counted. " in note
    note = COST._replace(n_new=0).note("queries", 10)
    assert " None of these is new: each has a label, is in an open pool or was left out" in note
    rare = COST._replace(n_queries=1_000, n_new=1).note("queries", 10)
    assert " Of these fewer than 0.1 are new: " in rare
