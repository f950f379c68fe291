"""Positives by rank of runs whose rankings are written out, and of a matrix."""

import numpy as np
import pytest

from annotate.models import Duplicate, Item
from pooling.models import Run
from tests import cast
from tests.metrics import matrix_runs, studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "positives-by-rank"
ORIGINS = ("n_reference", "n_both", "n_people")  # n_propagated is 0 without duplicates


@pytest.fixture
def study():
    """Six queries with one reference positive each, and a run that ranks documents 0, 1, 2, 3.

    Of query 0 people confirm the reference's, of query 1 they refuse it and have another one.
    """
    collection = small_study()
    grade(collection, {(0, 0): 1, (0, 2): 2, (1, 1): 0, (1, 7): 1, (2, 1): 0})
    documents = documents_of(collection)
    ranking = ([document.pk for document in documents[:4]], [4.0, 3.0, 2.0, 1.0])
    rankings = {query.pk: ranking for query in queries_of(collection)[:5]}
    cast.run(collection, "clip", rankings, direction="forward")
    return collection


def choices(**further):
    return {"run": Run.objects.get(name="clip").pk, **further}


def counts_of(collection, **further):
    """Of each row the positives by origin."""
    rows = table_of(collection, NAME, **choices(**further))
    return {row["ranks"]: [row[key] for key in ORIGINS] for row in rows}


def test_positives_are_counted_by_rank_and_by_who_labelled_them(study):
    assert counts_of(study) == {
        "1": [0, 1, 0],  # query 0, its own document
        "2": [0, 0, 0],  # that of query 1 was refused
        "3": [1, 0, 1],  # query 2 by the reference, query 0 by people
        "4": [1, 0, 0],  # query 3
        "first 10 together": [2, 1, 1],
        "beyond 10 together": [0, 0, 0],
        "not in the run": [2, 0, 1],  # queries 4 and 5, and 1 by people
    }
    answer = answer_of(study, NAME, **choices())
    assert answer.result.headline == (
        "Of 7 positives by people over reference “original”, run clip has 4 in its first 10 "
        "ranks and 0 further down, and lacks 3"
    )
    assert answer.result.notes[-2:] == [
        "Run clip does not answer 1 of the queries, whose positives are not in it.",
        "Run clip has 4 targets a query at most: what would be further down is not known.",
    ]


def test_other_label_sources_have_other_positives(study):
    union = counts_of(study, labels="union:original")
    assert union["2"] == [1, 0, 0]  # refused by people, and still the reference's
    # people confirm one of them
    assert counts_of(study, labels="none:original")["first 10 together"] == [3, 1, 0]
    people = counts_of(study, labels="only")
    assert people["first 10 together"] == [0, 1, 1] and people["not in the run"] == [0, 0, 1]
    assert counts_of(study, threshold=2)["1"] == [0, 0, 0]


def test_judged_shares_are_of_the_targets_that_the_run_has_there(study):
    rows = table_of(study, NAME, **choices())[:4]
    assert [(row["n_judged"], row["n_ranked"]) for row in rows] == [(1, 5), (2, 5), (1, 5), (0, 5)]
    assert [row["judged"] for row in rows] == pytest.approx([20, 40, 20, 0])
    by_reference = table_of(study, NAME, **choices(labels="none:original"))[:4]
    assert [row["n_judged"] for row in by_reference] == [1, 2, 1, 0]


def test_excluded_items_leave_no_rank_free(study):
    Item.objects.filter(pk=documents_of(study)[0].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    counts = counts_of(study)
    assert counts["2"] == [1, 0, 1] and counts["3"] == [1, 0, 0] and "4" not in counts


def test_propagated_grades_are_an_origin_of_their_own_and_no_judged_pairs(study):
    before = table_of(study, NAME, **choices())
    assert {row["n_propagated"] for row in before} == {0}
    first, third = queries_of(study)[0], queries_of(study)[3]
    Duplicate.objects.create(collection=study, item=third, original=first, side="query")
    rows = table_of(study, NAME, **choices())
    # query 3 takes the positives (0, 0) and (0, 2); its reference's (3, 3) stays
    assert [row["n_propagated"] for row in rows] == [1, 0, 1, 0, 2, 0, 0]
    for name in (*ORIGINS, "n_judged", "judged"):
        assert [row[name] for row in rows] == [row[name] for row in before]
    assert [row["n"] for row in rows[:4]] == [2, 0, 3, 1]
    result = answer_of(study, NAME, **choices()).result
    assert result.notes[1:4] == [
        "2 of the 6 queries have no grade by people.",
        "2 pairs of duplicates take the grades of their originals.",
        "They are no labels: judged are pairs with a grade of their own.",
    ]
    colour = result.spec["vconcat"][1]["encoding"]["color"]
    assert colour["scale"]["domain"][-1] == "Propagated alone"


def test_what_the_reference_has_too_is_the_references_and_not_propagated(study):
    first, second = queries_of(study)[0], queries_of(study)[2]
    Duplicate.objects.create(collection=study, item=second, original=first, side="query")
    # query 2 takes (0, 2), which is its own document and a positive of the reference
    rows = table_of(study, NAME, **choices())
    assert (rows[2]["n_reference"], rows[2]["n_propagated"]) == (1, 0)


def test_the_reverse_direction_has_runs_and_queries_of_its_own(study):
    rows = table_of(study, NAME, direction="reverse")
    assert {row["run"] for row in rows} == {"gamma"}
    assert sum(row["n"] for row in rows if not row["ranks"].endswith("together")) == 7


def test_runs_come_by_name_and_the_headline_tells_of_the_first(study):
    Run.objects.filter(name="clip").update(is_hidden=True)
    result = answer_of(study, NAME).result
    assert list(dict.fromkeys(row[0] for row in result.rows)) == ["alpha", "beta", "clip (hidden)"]
    assert "run alpha (the first of 3 runs) has" in result.headline
    assert len(result.spec["vconcat"]) == 6


def test_a_matrix_has_the_ranks_of_its_cells(study, media_root):
    queries, documents = queries_of(study), documents_of(study)
    rng = np.random.default_rng(4)
    scores = rng.permuted(np.tile(np.arange(9.0), (6, 1)), axis=1)
    ids = [[item.external_id for item in items] for items in (queries, documents)]
    matrix = matrix_runs.received(study, matrix_runs.npz(scores, *ids))
    rankings = {
        query.pk: (
            [documents[at].pk for at in np.argsort(-row)],
            np.sort(row)[::-1].tolist(),
        )
        for query, row in zip(queries, scores, strict=True)
    }
    run = cast.run(study, "written out", rankings, direction="forward")
    tables = [table_of(study, NAME, run=key) for key in (matrix.pk, run.pk)]
    for row in [*tables[0], *tables[1]]:
        row.pop("run")
    assert tables[0] == tables[1]
    assert sum(row["n"] for row in tables[0][:9]) == 7


def test_without_runs_or_positives_it_is_not_defined(study):
    assert answer_of(study, NAME, team="nobody").reason == (
        "It takes 1 run of this direction; 0 runs are chosen."
    )
    studies.reference(study, {("q0", "d0"): 0}, "empty")
    assert answer_of(study, NAME, **choices(labels="none:empty")).reason == (
        "None of the queries has a positive by reference “empty” only yet."
    )
