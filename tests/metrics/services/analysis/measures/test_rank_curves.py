"""Curves of runs over their ranks, from the database, counted by hand."""

import pytest

from annotate.models import Item
from metrics.services.analysis.page import caption_of
from metrics.services.analysis.register import ANALYSES
from pooling.models import Run
from tests import cast
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, chosen, table_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """A run that ranks each query's own document first and then all, and one with two ranks."""
    collection = small_study()
    queries, documents = queries_of(collection), documents_of(collection)
    for name, shift, depth in (("whole", 0, 9), ("short", 1, 2)):
        rankings = {}
        for number, query in enumerate(queries):
            targets = [documents[(number + shift + step) % 9].pk for step in range(depth)]
            rankings[query.pk] = (targets, [float(depth - rank) for rank in range(depth)])
        cast.run(collection, name, rankings, direction="forward")
    return collection


def by_run(rows, name, **where):
    return [
        row
        for row in rows
        if row["run"] == name and all(row[key] == value for key, value in where.items())
    ]


def test_right_and_wrong_targets_are_counted_at_each_depth(study):
    grade(study, {(0, 1): 1, (1, 1): 0})
    rows = table_of(study, "confusion-counts")
    (at_1,) = by_run(rows, "whole", k=1)
    # positives: 2 of query 0, none of query 1, 1 of the other four; query 1's first is wrong
    assert at_1["true_positive"] == pytest.approx(5 / 6)
    assert at_1["false_positive"] == pytest.approx(1 / 6)
    assert at_1["false_negative"] == pytest.approx(1 / 6)
    assert at_1["true_negative"] == pytest.approx(9 - 7 / 6)
    assert at_1["precision"] == pytest.approx(5 / 6)
    assert at_1["recall"] == pytest.approx((0.5 + 4) / 5)
    assert by_run(rows, "whole")[-1]["k"] == 9
    (last,) = by_run(rows, "short", k=2)
    assert last["false_negative"] == pytest.approx(5 / 6)
    assert [row["k"] for row in by_run(rows, "short")] == [1, 2]


def test_the_area_is_known_of_whole_rankings_alone(study):
    rows = table_of(study, "roc")
    assert {row["area"] for row in by_run(rows, "whole")} == {1.0}
    assert {row["area"] for row in by_run(rows, "short")} == {None}
    result = answer_of(study, "roc").result
    assert result.notes[-1].startswith("An area is known only of runs that rank all 9 targets")
    assert result.headline.startswith(
        "In whole a positive stands above a negative with a chance of 1.0"
    )


def test_precision_by_recall_of_each_run(study):
    rows = table_of(study, "precision-recall", labels="none:original")
    assert {row["precision"] for row in by_run(rows, "whole")} == {1.0}
    assert {row["precision"] for row in by_run(rows, "short")} == {0.0}
    assert [row["recall"] for row in by_run(rows, "whole")] == pytest.approx(
        [point / 10 for point in range(11)]
    )


def test_excluded_targets_are_none(study):
    Item.objects.filter(pk=documents_of(study)[8].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    rows = table_of(study, "confusion-counts")
    row = by_run(rows, "whole")[-1]
    assert row["k"] == 8
    parts = ("true_positive", "false_positive", "false_negative", "true_negative")
    assert sum(row[part] for part in parts) == pytest.approx(8)


def test_of_many_runs_seven_are_shown_and_that_is_told(study):
    for number in range(8):
        cast.run(
            study,
            f"more {number}",
            {queries_of(study)[0].pk: ([documents_of(study)[0].pk], [1.0])},
            direction="forward",
        )
    result = answer_of(study, "precision-recall").result
    assert len({row[0] for row in result.rows}) == 7
    choices = chosen(study)
    answer = answer_of(study, "precision-recall")
    caption = caption_of(ANALYSES["precision-recall"], choices, answer)
    assert ", the first of 12 by name." in caption


def test_runs_with_unknown_targets_are_left_out_where_negatives_are_counted(study):
    Run.objects.filter(name="short").update(report={"n_unknown": 3})
    for name in ("roc", "confusion-counts"):
        result = answer_of(study, name).result
        assert {row[0] for row in result.rows} == {"alpha", "beta", "whole"}
        assert (
            "Left out, as they rank targets that the collection does not know: short."
            in result.notes
        )
    assert by_run(table_of(study, "precision-recall"), "short")
    study.runs.update(report={"n_unknown": 3})
    assert answer_of(study, "roc").reason.startswith("All of these runs rank targets that")


@pytest.mark.parametrize("name", ["precision-recall", "roc", "confusion-counts"])
def test_the_share_of_targets_that_ids_order_is_told(study, name):
    assert not any("share their score" in note for note in answer_of(study, name).result.notes)
    Run.objects.filter(name="short").update(report={"ties": 0.125})
    Run.objects.filter(name="whole").update(report={"ties": 0.001, "matrix": [6, 9]})
    assert answer_of(study, name).result.notes[-1 - (name == "roc")] == (
        "Targets that share their score with another of the same ranking stand in the order of "
        "their ids: 12 % of the targets of short, under 1 % of the best targets of whole."
    )


@pytest.mark.parametrize("name", ["precision-recall", "roc", "confusion-counts"])
def test_without_a_positive_or_a_run_there_is_a_sentence(study, name):
    reason = answer_of(study, name, labels="only").reason
    assert reason == "No query has a positive by these labels yet."
    assert answer_of(study, name, direction="reverse", run=[]).result is not None
    study.runs.update(retired_at="2026-01-01T00:00Z")
    assert answer_of(study, name).reason.startswith("It takes 1 run of this direction; 0 runs are")
