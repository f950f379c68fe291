"""Sentences on pools, and on systems by protocols: one pair is, two are; who is best by what."""

import pytest

from annotate.core.phrases import counted
from metrics.charts.analyses.judging_pace import JudgingPace
from metrics.charts.analyses.labels.exclusions import NO_ITEM, ExcludedRow, exclusions_result
from metrics.charts.analyses.measures.both_directions import SystemRow, SystemTable
from metrics.charts.analyses.measures.protocols import ProtocolTable, protocols_result
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.pool.bias_by_size import bias_by_size_result
from metrics.charts.analyses.pool.edges import Deepening, PooledRuns, edges_result, single_part
from metrics.core.analyses.labels.exclusions import ReasonTotal
from metrics.core.analyses.measures.both_directions import DirectionMeans, SystemMeans
from metrics.core.analyses.measures.run_orders import RunMean
from metrics.core.analyses.pool.bias_by_size import SizeBias
from metrics.core.analyses.pool.edges import EdgeShare
from metrics.core.labels.protocols import PROTOCOLS, ProtocolFit
from metrics.core.statistics.intervals import NO_INTERVAL

PACE = JudgingPace(1, 0, 3.0, False)
NOUNS = Nouns("queries", "40 queries", [])


def test_the_bias_of_a_small_pool_is_told_beside_that_of_a_large_one():
    biases = [
        SizeBias(False, 1, 3, 1, 0.2, 0.1, 0.25),
        SizeBias(False, 2, 3, 2, 0.1, 0.05, 0.125),
        SizeBias(False, 3, 1, 3, 0.0, 0.0, None),
    ]
    result = bias_by_size_result(
        biases, measure="AP", n_runs=3, n_teams=0, n_labels=90, n_groups=40, nouns=NOUNS
    )
    assert result.headline == (
        "With 1 of these 3 runs pooled, AP of one outside the pool moves by 0.250 on average, with "
        "2 of 3 by 0.125"
    )


def test_the_bias_of_a_pool_of_one_team_is_told_after_it():
    biases = [
        SizeBias(False, 1, 3, 1, 0.2, 0.1, 0.25),
        SizeBias(False, 2, 3, 2, 0.1, 0.05, 0.125),
        SizeBias(True, 1, 2, 1.5, 0.15, 0.025, 0.3),
        SizeBias(True, 2, 1, 3, 0.0, 0.0, None),
    ]
    result = bias_by_size_result(
        biases, measure="AP", n_runs=3, n_teams=2, n_labels=90, n_groups=40, nouns=NOUNS
    )
    assert result.headline == (
        "With 1 of these 3 runs pooled, AP of one outside the pool moves by 0.250 on average, with "
        "2 of 3 by 0.125; with 1 whole team pooled, that of another team's run by 0.300, of a run "
        "inside by 0.025"
    )
    assert result.rows[2] == ["teams", 1, 2, 0.15, 0.025, 0.3, 1.5]


@pytest.mark.parametrize(
    ("n_positive", "n_runs", "sentence"),
    [
        (1, 3, "; 1 of 5 pairs of one run alone is positive"),
        (2, 3, "; 2 of 5 pairs of one run alone are positive"),
        (2, 2, "; 2 of 5 pairs of one alone of the 2 chosen pooled runs are positive"),
        (2, 1, ""),
    ],
)
def test_one_pair_is_positive_and_several_are(n_positive, n_runs, sentence):
    share = EdgeShare(5, n_positive, n_positive / 5, NO_INTERVAL)
    assert single_part(share, PooledRuns(n_runs, 3)) == sentence


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1, "these queries are 1 pair to add; a pool has one depth for all of them, the largest, "),
        (
            2,
            "these queries are 2 pairs to add; a pool has one depth for all of them, the largest, ",
        ),
    ],
)
def test_one_pair_to_add_is_no_pairs(n, words):
    (note,) = Deepening(1, n, 0, PACE).notes(1, n, "queries")
    assert f"{words}and so {counted(n, 'pair')}: 0.0 hours" in note


def test_of_more_queries_than_a_list_holds_the_first_have_the_pairs_and_the_form_the_list():
    whole, part = Deepening(40, 9, 0, PACE), Deepening(30, 9, 0, PACE)
    assert "and so 9 pairs: 0.0 hours" in whole.notes(40, 12, "queries")[0]
    assert "and so 9 pairs of the first 30 queries: 0.0 hours" in part.notes(40, 12, "queries")[0]
    (sentence,) = whole.form_notes(40, "queries")
    assert part.form_notes(40, "queries") == [
        sentence,
        "For queries after the first 30 of these 40, paste ids from the CSV into the form.",
    ]
    waiting_part = part._replace(n_pairs=0, n_waiting=2)
    assert "below the deepest of the first 30 queries: 2 pairs" in str(
        waiting_part.notes(40, 0, "queries")
    )
    assert waiting_part.form_notes(40, "queries") == part.form_notes(40, "queries")[1:]
    assert waiting_part.form_notes(30, "queries") == []


def test_a_headline_says_one_query():
    share = EdgeShare(5, 2, 0.4, NO_INTERVAL)
    deepening = Deepening(0, 0, 0, PACE)
    runs = PooledRuns(2, 2)
    result = edges_result(
        [], (share,) * 4, runs=runs, n_with_edge=1, deepening=deepening, nouns=NOUNS
    )
    assert "in 0 of 1 query at least half of them are" in result.headline


@pytest.mark.parametrize(
    ("n_labels", "sentence"),
    [
        (1, "1 label of these items and pairs is in no score; it stays in the log and in the "),
        (2, "2 labels of these items and pairs are in no score; they stay in the log and in the "),
    ],
)
def test_one_label_stays_and_several_stay(n_labels, sentence):
    row = ExcludedRow("query", NO_ITEM, NO_ITEM, "Blank", "2026-01-01", n_labels)
    totals = [ReasonTotal("query", "Blank", 1, n_labels)]
    n_of_kind = {"query": 4, "document": 5, "pair": 6}
    result = exclusions_result([row], totals, n_of_kind=n_of_kind, n_labels=n_labels)
    assert result.notes[0].startswith(sentence)


def test_the_best_system_is_named_by_each_protocol():
    tables = []
    for number, protocol in enumerate(PROTOCOLS[:2]):
        rows = []
        for system, mean in (("one", 0.5), ("two", 0.4 + 0.2 * number)):
            of_direction = RunMean(mean, NO_INTERVAL)
            means = SystemMeans([DirectionMeans(of_direction, of_direction, mean)], None)
            rows.append(SystemRow(system, "f", "r", means))
        table = SystemTable(rows, ["C@1"], [False], (40, 40), "40 queries", [])
        tables.append(ProtocolTable(ProtocolFit(protocol, "none:a", "all", 1, ""), table))
    first, second = (table.fit.protocol.title for table in tables)
    assert protocols_result(tables, notes=[]).headline == (
        f"Best of 2 systems by the mean of both directions: one by {first} C@1, two by {second} C@1"
    )
