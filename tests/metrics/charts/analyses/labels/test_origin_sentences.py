"""Headlines on where positives come from: shares and factors are told from 30 on, else numbers."""

import numpy as np
import pytest

from metrics.charts.analyses.labels.positives_by_rank import RankedRun, by_rank_result
from metrics.charts.analyses.labels.positives_by_set import DirectionTotals, SetRow, by_set_result
from metrics.charts.analyses.labels.reference_against_people import (
    DirectionQuality,
    QualityRow,
    against_people_result,
)
from metrics.charts.analyses.nouns import Nouns
from metrics.core.analyses.labels.positives_by_rank import RankedPositives, positives_by_rank
from metrics.core.analyses.labels.positives_by_set import positives_by_set
from metrics.core.analyses.labels.reference_against_people import (
    JudgedPairs,
    reference_against_people,
)
from metrics.core.statistics.groups import Groups

NOUNS = Nouns("captions", "40 captions of 8 videos", ["Rough."])


def set_headline(first, second):
    n_positive = np.array([first, second])
    totals = positives_by_set(n_positive, groups=Groups.single(len(first)))
    rows = [SetRow("set a", "reference", totals[0]), SetRow("people", "people", totals[1])]
    table = DirectionTotals("Query to document", NOUNS, len(first), rows, subject=1)
    return by_set_result([table], []).headline


def test_a_factor_is_told_with_its_interval_from_thirty_queries_on():
    assert set_headline([1, 2] * 15, [4, 5] * 15) == (
        "The captions have 3.00 times as many positives by people as by set a "
        "(95 % interval 2.76 to 3.26)"
    )
    assert set_headline([1, 2] * 14, [4, 5] * 14) == (
        "The captions have 126 positives by people, and 42 by set a"
    )


def test_a_factor_that_may_be_1_shows_no_difference():
    assert set_headline([0, 3] * 20, [3, 0] * 19 + [0, 4]).endswith(": no difference is shown")


def test_without_a_positive_or_a_spread_numbers_are_told():
    assert set_headline([0] * 40, [1] * 40) == (
        "The captions have 40 positives by people, and 0 by set a"
    )
    assert set_headline([1] * 40, [0] * 39 + [1]) == (
        "The captions have 1 positive by people, and 40 by set a"
    )


def against_headline(n_queries):
    """Of each query two pairs: one that both have, and one of people's for every other query."""
    query = np.repeat(np.arange(n_queries), 2)
    is_second = np.tile([False, True], n_queries)
    judged = JudgedPairs(query, ~is_second | (query % 2 == 0))
    (quality,) = reference_against_people(
        judged, ~is_second[None, :], groups=Groups.single(n_queries)
    )
    rows = [QualityRow("reference “a”", quality, 0, 0)]
    table = DirectionQuality("Query to document", NOUNS, rows)
    return against_people_result([table], []).headline


def test_recall_and_precision_are_told_with_their_intervals_from_thirty_queries_on():
    assert against_headline(30) == (
        "On average over 30 captions, reference “a” has 75.0 % (95 % interval 64.5 to 83.2) of "
        "people's positives; over 30, people confirm 100.0 % (95 % interval 88.6 to 100.0) of its "
        "positives that they judged"
    )
    assert against_headline(29) == (
        "People confirm 29 of 29 positives of reference “a” that they judged; it lacks 15 of theirs"
    )


def rank_headline(ranks, n_runs=1):
    rank = np.array(ranks)
    n = len(rank)
    positives = RankedPositives(
        np.arange(n), rank, np.zeros(n, dtype=np.int64), rank[:0], np.full(n, 30)
    )
    by_rank = positives_by_rank(positives, groups=Groups.single(n), n_origins=4, deepest=30)
    runs = [RankedRun(f"run {number}", by_rank) for number in range(n_runs)]
    return by_rank_result(runs, NOUNS, labels="people only")


def test_ranks_are_told_as_shares_from_thirty_positives_on():
    assert rank_headline([1, 12, 0] * 10).headline == (
        "Of 30 positives by people only, run run 0 has 33.3 % (95 % interval 19.2 to 51.2) in its "
        "first 10 ranks and 33.3 % (95 % interval 19.2 to 51.2) further down, and lacks 33.3 % (95 "
        "% interval 19.2 to 51.2)"
    )
    assert rank_headline([1, 12, 0] * 9, n_runs=2).headline == (
        "Of 27 positives by people only, run run 0 (the first of 2 runs) has 9 in its first 10 "
        "ranks and 9 further down, and lacks 9"
    )


@pytest.mark.parametrize("n_runs", [1, 3])
def test_bars_of_several_ranks_are_their_mean(n_runs):
    result = rank_headline([25, 26, 30, 7], n_runs=n_runs)
    assert len(result.spec["vconcat"]) == 2 * n_runs
    values = result.spec["vconcat"][1]["data"]["values"]
    heights = {
        (row["ranks"], row["origin"]): (row["n"], row["density"]) for row in values if row["n"]
    }
    assert heights == {
        ("7", "Reference alone"): (1, 1),
        ("21 to 50", "Reference alone"): (3, 0.1),
    }
