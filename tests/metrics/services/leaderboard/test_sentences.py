"""The sentences of the leaderboard: runs that wait, what bounds are, and runs that do not differ.

To see these tests fail: leave out a case of one of them.
"""

import pytest

from annotate.models import Direction
from metrics.services.leaderboard.cells import MeasureColumn
from metrics.services.leaderboard.comparison_page import NAMES, PairedTestRow, RunComparison
from metrics.services.leaderboard.decisions import MeasureDecision, headline
from metrics.services.leaderboard.leaderboard import Leaderboard
from metrics.services.leaderboard.tables import LeaderboardTable
from pooling.models import Run

A, B, C = (Run(name=name) for name in "abc")


def decision(**fields):
    return MeasureDecision(*[None] * len(MeasureDecision._fields))._replace(**fields)


@pytest.mark.parametrize(
    ("runs", "text"), [([], ""), ([A], "Not scored yet: a."), ([A, B], "Not scored yet: a, b.")]
)
def test_runs_without_scores_are_named(runs, text):
    empty = Leaderboard(*[None] * len(Leaderboard._fields))
    assert empty._replace(unscored_runs=runs).unscored_text == text


@pytest.mark.parametrize(
    ("direction", "without_bounds", "targets", "exception"),
    [
        (Direction.FORWARD, "", "documents", ""),
        (Direction.REVERSE, "none for nDCG", "queries", " (none for nDCG)"),
    ],
)
def test_bounds_name_what_they_leave_open(direction, without_bounds, targets, exception):
    table = LeaderboardTable(*[None] * len(LeaderboardTable._fields))
    assert table._replace(direction=direction).bounds_note(without_bounds) == (
        "Bounds and judged shares: between which ends the score lies, least … most, whatever the "
        f"unjudged {targets} that the run returned, and the unjudged pairs of the pools, turn out "
        "to be, labels taken as right, also a reference\N{RIGHT SINGLE QUOTATION MARK}s, which "
        f"people may still overrule{exception}; and how many per cent of its first ranks are "
        "judged, 10 where the measure names no other number."
    )


@pytest.mark.parametrize(
    ("kind", "is_estimable", "label"),
    [
        ("exact", True, ""),
        ("unbiased", True, "unbiased"),
        ("approximate", True, "approximate"),
        ("not estimable", False, ""),
    ],
)
def test_a_column_says_how_well_its_measure_is_estimated(kind, is_estimable, label):
    column = MeasureColumn("AP", "%", kind)
    assert (column.is_estimable, column.estimate_label) == (is_estimable, label)


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        ([], "none"),
        ([(A, B), (B, C)], "a ? b, b ? c"),
        ([(A, B)] * 6, ", ".join(["a ? b"] * 6)),
        ([(A, B)] * 8, f"{', '.join(['a ? b'] * 6)} and 2 more"),
    ],
)
def test_neighbours_that_do_not_differ_are_named_up_to_six(pairs, text):
    row = decision(unseparated=pairs)
    assert (row.unseparated_text, row.named_pairs) == (text, pairs[:6])


def test_groups_name_their_runs():
    assert decision(groups=[[A, B], [C]]).group_texts == ["a, b", "c"]


@pytest.mark.parametrize(
    ("measure", "difference", "p", "text"),
    [
        (
            "AP",
            12.5,
            0.0004,
            "a is better than b at AP: 66.5 against 54.0 %, a difference of 12.5 points, 95 % "
            "interval 10.5 to 14.5. The difference is significant at 5 % (randomization test, p < "
            "0.001).",
        ),
        (
            "AP",
            -12.5,
            0.32,
            "b scores better than a at AP, but which of them is better is not shown: 54.0 against "
            "66.5 %, a difference of 12.5 points, 95 % interval 10.5 to 14.5. The difference is "
            "not significant at 5 % (randomization test, p 0.32).",
        ),
        (
            "MeanR",
            12.5,
            None,
            "b scores better than a at MeanR: 54.0 against 66.5 ranks, a difference of 12.5 ranks, "
            "95 % interval 10.5 to 14.5.",
        ),
        ("AP", 0.0, 1.0, "a and b have the same mean AP."),
    ],
)
def test_a_comparison_begins_with_who_is_better_and_whether_that_is_shown(
    measure, difference, p, text
):
    facts = {"first": 66.5, "second": 54.0, "difference": difference}
    facts |= {"low": difference - 2, "high": difference + 2}
    tests = [PairedTestRow(NAMES["randomization"], 0.1, p, 50, 0)]
    page = RunComparison(*[None] * len(RunComparison._fields))
    page = page._replace(measure=measure, first=A, second=B, facts=facts, tests=tests)
    assert page.verdict == text


def test_the_headline_names_who_leads_and_how_many_are_not_told_apart():
    runs = [Run(pk=number, name=f"run {number}") for number in range(5)]

    def headline_of(leaders, *groups):
        return headline(runs[:leaders], MeasureDecision("AP", "", list(groups), 0, 0, [], {}, {}))

    assert (
        headline_of(1, runs[:4], runs[4:])
        == "run 0 leads so far at AP, which does not yet separate it from the next 3."
    )
    assert (
        headline_of(1, runs[:2])
        == "run 0 leads so far at AP, which does not yet separate it from the next one."
    )
    assert headline_of(1, runs[:1], runs[1:]) == "run 0 leads so far at AP."
    assert (
        headline_of(2, runs)
        == "run 0 and run 1 lead alike so far at AP, which does not yet separate them from the "
        "next 3."
    )
    assert headline_of(3, runs[:3]) == "3 runs lead alike so far at AP."
    assert headline_of(1) == ""


def test_the_headline_names_other_measures_that_do_separate_the_leader():
    runs = [Run(pk=number, name=f"run {number}") for number in range(3)]

    def of(measure, *letters):
        by_run = dict(enumerate(letters))
        return MeasureDecision(measure, "", [runs], 0, 0, [], by_run, {})

    first = of("C@1", ["a"], ["a"], ["a"])
    others = [of("AP", ["a"], ["b"], ["c"]), of("MedR"), of("R@5", ["a", "b"], ["b"], ["c"])]
    assert headline(runs[:1], first, others) == (
        "run 0 leads so far at C@1, which does not yet separate it from the next 2; AP does."
    )
    others.append(of("nDCG@10", ["a"], ["b"], ["b"]))
    assert headline(runs[:1], first, others).endswith("; AP and nDCG@10 do.")
    worse = of("AP", ["c"], ["b"], ["a"])
    assert headline(runs[:1], first, [worse]).endswith("from the next 2.")
