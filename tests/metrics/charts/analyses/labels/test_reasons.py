"""Sentences, rows and chart of reasons: claims from thirty labels on, and what is shown of whom."""

import numpy as np

from metrics.charts.analyses.labels.reasons import (
    LevelOffer,
    PairSelection,
    ReasonKind,
    reason_name,
    reasons_result,
)
from metrics.charts.analyses.nouns import Nouns
from metrics.core.analyses.labels.reasons import GivenReasons, reasons_given
from metrics.core.statistics.groups import Groups

NOUNS = Nouns("captions", "40 captions", ["Rough."])


def result(named, n_runs=1, *, n=40):
    """n labels of one level, the first of which name "vague", so many "colour", as asked."""
    names = ["vague", "colour"]
    rows = [(label, k) for k, name in enumerate(names) for label in range(named.get(name, 0))]
    label, reason = np.array(sorted(rows), dtype=np.int64).reshape(-1, 2).T
    given = GivenReasons(np.arange(n), np.zeros(n, dtype=np.int64), label, reason, names)
    everything = np.ones(n, dtype=bool)
    selections = [PairSelection("", "")]
    for number in range(n_runs):
        selections += [PairSelection(f"run {number}", ranks) for ranks in ("1 to 10", "1")]
    table = reasons_given(
        given, [everything] * len(selections), grades=[0], groups=Groups.single(n)
    )
    return reasons_result(selections, [LevelOffer("No", ["vague"])], [table], NOUNS)


def test_the_most_frequent_reason_is_told_with_its_interval():
    assert result({"vague": 10, "colour": 20}).headline == (
        "20 of the 40 labels “No” name a reason, most often “colour”: 50.0 % of the labels (95 % "
        "interval 35.2 to 64.8)"
    )


def test_of_few_labels_no_share_is_claimed():
    assert result({"vague": 1}, n=29).headline == "1 of the 29 labels “No” names a reason"
    assert result({}).headline == "0 of the 40 labels “No” name a reason"


def test_reasons_that_are_neither_offered_nor_named_have_no_row():
    assert {row[6] for row in result({"vague": 3}).rows} == {"vague"}
    assert {row[6] for row in result({}).rows} == {"vague"}
    assert {row[6] for row in result({"colour": 3}).rows} == {"vague", "colour"}


def test_the_chart_has_all_pairs_and_the_first_six_runs_at_all_their_ranks():
    whole = result({"vague": 3}, n_runs=7)
    (view,) = whole.spec["vconcat"]
    series = [value["series"] for value in view["data"]["values"]]
    assert series == ["All pairs", *(f"run {number}" for number in range(6))]
    assert "The chart has the first 6 of 7 runs; the table all." in whole.notes
    assert len(whole.rows) == 1 + 2 * 7


def test_names_of_reasons_are_wholes_and_details():
    assert reason_name("wrong/colour", ReasonKind.WHOLE) == "wrong"
    assert reason_name("wrong/colour", ReasonKind.DETAIL) == "wrong: colour"
    assert reason_name("vague", ReasonKind.WHOLE) == "vague"
    assert reason_name("vague", ReasonKind.DETAIL) == ""
