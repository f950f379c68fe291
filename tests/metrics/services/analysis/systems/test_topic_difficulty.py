"""The queries by difficulty, from the database and from files."""

import json
import statistics

import numpy as np
import pytest

from annotate.models import Item
from metrics.score_files.requests import NotDefined
from tests import cast
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.score_study import (
    POSITIVES,
    of_scores,
    reciprocal_ranks,
    rows_of,
    score_study,
)

pytestmark = pytest.mark.django_db
NAME = "topic-difficulty"


def test_queries_are_sorted_by_the_mean_of_the_runs():
    study = score_study()
    values = list(reciprocal_ranks(study, POSITIVES).values())
    expected = {
        query.external_id: statistics.mean(run[q] for run in values)
        for q, query in enumerate(queries_of(study))
    }
    rows = table_of(study, NAME, measure="RR", missing="zero")
    assert {row["topic"]: row["mean"] for row in rows} == pytest.approx(expected)
    means = [row["mean"] for row in rows]
    assert means == sorted(means)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    spread = statistics.stdev(run[0] for run in values)
    first = next(row for row in rows if row["topic"] == queries_of(study)[0].external_id)
    assert first["standard_deviation"] == pytest.approx(spread)
    result = answer_of(study, NAME, measure="RR", missing="zero").result
    assert result.extent == f"{len(values)} runs and 6 queries"
    assert "Runs that miss queries, which count 0: zeta (2)." in result.notes


def test_excluded_queries_are_left_out():
    study = score_study()
    gone = queries_of(study)[5]
    Item.objects.filter(pk=gone.pk).update(excluded_at="2026-01-01T00:00Z", excluded_reason="bad")
    rows = table_of(study, NAME, measure="RR", missing="zero")
    assert len(rows) == 5 and gone.external_id not in {row["topic"] for row in rows}


def test_of_ranks_the_hardest_has_the_largest_mean():
    collection = small_study()
    queries, documents = queries_of(collection), documents_of(collection)
    runs = []
    for name, step in (("near", 0), ("far", 1)):
        rankings = {}
        for number, query in enumerate(queries):
            targets = [document.pk for document in documents if document != documents[number]]
            targets.insert(step * number, documents[number].pk)
            rankings[query.pk] = (targets, list(range(9, 0, -1)))
        runs.append(cast.run(collection, name, rankings, direction="forward").pk)
    result = answer_of(collection, NAME, measure="MeanR", run=runs).result
    assert [row[1] for row in result.rows] == [3.5, 3, 2.5, 2, 1.5, 1]
    assert [row[3] for row in result.rows] == ["near"] * 5 + [None]
    assert result.headline.startswith("Means of the 6 queries reach from 3.5 on the hardest to 1; ")


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"team": "Blue"}, "It takes 2 runs of this direction; 1 run is chosen."),
        ({"direction": "reverse"}, "It takes 2 runs of this direction; 1 run is chosen."),
    ],
)
def test_what_is_missing_is_told(choices, words):
    assert answer_of(score_study(), NAME, **choices).reason == words


def test_a_file_of_topics_by_runs():
    values = np.array([[0.0, 0.04, 0.02], [0.9, 0.1, 0.9], [0.5, 0.5, 0.5]])
    result = of_scores(NAME, values)
    assert result.headline == (
        "1 of 3 topics has a mean score below 0.05; the one on which runs differ most has 95 % of "
        "the differences"
    )
    hardest, middle, easiest = rows_of(result)
    assert (hardest["topic"], hardest["best_run"]) == ("t1", "run2")
    assert (middle["topic"], middle["best_run"], middle["share"]) == ("t3", None, 0)
    assert (easiest["topic"], easiest["best_run"]) == ("t2", "run1 and 1 other")
    cells = result.spec["data"]["values"]
    assert {(cell["topic"], cell["run"]): cell["score"] for cell in cells}["t2", "run2"] == 0.1
    # the table has them too, the best run first
    scores = {
        (row["topic"], f"run{s}"): row[f"score_run{s}"]
        for row in rows_of(result)
        for s in (1, 2, 3)
    }
    assert scores == {(cell["topic"], cell["run"]): cell["score"] for cell in cells}
    assert [column.title for column in result.columns[-3:]] == ["run3", "run1", "run2"]


def test_the_scores_of_many_runs_are_no_columns():
    values = np.random.default_rng(2).random((4, 21))
    result = of_scores(NAME, values)
    assert result.columns[-1].key == "share"
    assert result.notes[-1] == (
        "21 runs are too many for columns of their scores: the file has them."
    )
    assert len(of_scores(NAME, values[:, 1:]).columns) == 6 + 20


def test_runs_that_are_equal_throughout_share_nothing():
    result = of_scores(NAME, np.full((4, 2), 0.5))
    assert result.headline == "All runs have the same score on each of the 4 topics"
    assert {row["share"] for row in rows_of(result)} == {None}


def test_a_file_of_one_run_is_refused():
    with pytest.raises(NotDefined, match="It takes two topics and 2 runs"):
        of_scores(NAME, np.zeros((5, 1)))


@pytest.mark.parametrize("shape", [(27_763, 3), (250, 129)])
def test_the_chart_of_many_topics_or_runs_has_blocks_of_neighbours(shape):
    values = np.random.default_rng(1).random(shape)
    result = of_scores(NAME, values)
    assert len(json.dumps(result.spec)) < 600_000
    cells = result.spec["data"]["values"]
    assert len(cells) == 50 * min(50, shape[1])
    assert result.notes[-1].startswith("In the chart stand the topics in 50 blocks of neighbours")
    whole = sum(cell["score"] for cell in cells) / len(cells)
    assert whole == pytest.approx(values.mean(), abs=0.005)


def test_small_scores_have_their_best_run_first():
    values = 1e-14 * np.array([[0.1, 0.3, 0.2], [0.4, 0.6, 0.5]])
    columns = [column.key for column in of_scores(NAME, values).columns]
    assert columns[-3:] == ["score_run2", "score_run3", "score_run1"]
