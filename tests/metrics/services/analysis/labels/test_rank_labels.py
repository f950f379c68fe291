"""Grades at the ranks of runs, counted by hand in a small study."""

import numpy as np
import pytest

from annotate.models import Item, QuerySet, QuerySetItem, Resolution
from annotate.services.review.duplicate_marks import DuplicateGroup, mark_duplicates
from pooling.models import Run
from tests import cast
from tests.metrics.matrix_runs import npz, received
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "labels-by-run-and-rank"
COUNTS = ("n", "n_graded", "n_open", "n_unjudged", "Level 2_n", "Level 1_n", "Level 0_n")


@pytest.fixture
def study():
    return small_study()


def run(study, name="run", *, shift=0, depth=3, direction="forward", unknown=()):
    """A run that ranks documents n + shift, n + shift + 1, ... of query n; some are unknown."""
    sides = [queries_of(study), documents_of(study)]
    sources, targets = sides if direction == "forward" else sides[::-1]
    rankings = {}
    for number, source in enumerate(sources):
        ranked = [targets[(number + shift + step) % len(targets)].pk for step in range(depth)]
        for rank in unknown:
            ranked[rank - 1] = -rank
        rankings[source.pk] = (ranked, [float(-step) for step in range(depth)])
    return cast.run(study, name, rankings, direction=direction)


def rows_of(study, runs, **further):
    keys = [row.pk for row in runs]
    return {
        (row["run"], row["rank"]): tuple(row[key] for key in COUNTS)
        for row in table_of(study, NAME, run=keys, **further)
    }


def test_grades_are_counted_at_each_rank_of_each_run(study):
    grade(study, {(n, n): 2 for n in range(6)} | {(n, n + 1): n % 2 for n in range(6)})
    rows = rows_of(study, [run(study), run(study, "shifted", shift=1)])
    assert rows == {
        ("run", "1"): (6, 6, 0, 0, 6, 0, 0),
        ("run", "2"): (6, 6, 0, 0, 0, 3, 3),
        ("run", "1 to 2"): (12, 12, 0, 0, 6, 3, 3),
        ("shifted", "1"): (6, 6, 0, 0, 0, 3, 3),
        ("shifted", "2"): (6, 0, 0, 6, 0, 0, 0),
        ("shifted", "1 to 2"): (12, 6, 0, 6, 0, 3, 3),
        ("All runs", "1 to 2"): (24, 18, 0, 6, 6, 6, 6),
    }
    (first, *_) = table_of(study, NAME, run=[row.pk for row in Run.objects.filter(name="shifted")])
    assert [first[key] for key in ("Level 2", "Level 1", "Level 0")] == [0, 50, 50]
    assert (first["positive_n"], first["positive"]) == (3, 50)
    assert first["positive_low"] == pytest.approx(18.76, abs=0.01)  # Wilson of 3 of 6


def test_the_threshold_says_what_is_positive_and_changes_no_level(study):
    grade(study, {(n, n): 1 + n % 2 for n in range(6)})
    keys = [run(study).pk]
    rows = [table_of(study, NAME, run=keys, threshold=threshold)[0] for threshold in (1, 2)]
    assert [row["positive_n"] for row in rows] == [6, 3]
    assert [row["Level 1_n"] for row in rows] == [3, 3]


def test_reference_labels_are_no_grades_of_people(study):
    """Each query has its own document as a reference positive, which the run ranks first."""
    run(study)
    reason = answer_of(study, NAME).reason
    assert reason == "People have given no pair of these queries a grade yet."


def test_disputed_pairs_are_told_from_those_that_nobody_judged(study):
    grade(study, {(n, n): 1 for n in range(4)})
    Resolution.objects.filter(pair__query=queries_of(study)[0]).update(
        grade=None, status="disputed"
    )
    assert rows_of(study, [run(study)]) == {("run", "1"): (6, 3, 1, 2, 0, 3, 0)}


def test_unknown_documents_keep_their_ranks_and_excluded_ones_do_not(study):
    grade(study, {(n, n + 1): 1 for n in range(6)})
    assert rows_of(study, [run(study, unknown=[1])])["run", "2"] == (6, 6, 0, 0, 0, 6, 0)
    Item.objects.filter(pk=documents_of(study)[0].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    plain = run(study, "plain")
    # the first query has its second document at rank 1 now
    assert rows_of(study, [plain])["plain", "1"] == (6, 1, 0, 5, 0, 1, 0)
    Item.objects.filter(pk=queries_of(study)[5].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    assert rows_of(study, [plain])["plain", "2"] == (5, 4, 0, 1, 0, 4, 0)


def test_the_reverse_direction_ranks_queries_of_documents(study):
    grade(study, {(n, n): 2 for n in range(6)})
    rows = rows_of(study, [run(study, direction="reverse")], direction="reverse")
    assert rows == {("run", "1"): (9, 6, 0, 3, 6, 0, 0)}


def test_a_query_set_has_its_own_queries(study):
    grade(study, {(n, n): 2 for n in range(6)})
    few = QuerySet.objects.create(collection=study, name="few", direction="forward")
    for query in queries_of(study)[:2]:
        QuerySetItem.objects.create(query_set=few, item=query)
    assert rows_of(study, [run(study)], queries="few")["run", "1"] == (2, 2, 0, 0, 2, 0, 0)


def test_propagated_grades_stand_apart_from_peoples(study):
    grade(study, {(n, n): 2 for n in range(6)})
    # one of their own too
    grade(study, {(5, 4): 1})
    documents = documents_of(study)
    group = DuplicateGroup(documents[0], [documents[8]])
    mark_duplicates(collection=study, groups=[group], by=None)
    only = run(study, shift=8)
    (row, *_) = table_of(study, NAME, run=[only.pk])
    assert tuple(row[key] for key in COUNTS) == (6, 1, 0, 4, 0, 1, 0)
    assert row["n_propagated"] == 1
    assert answer_of(study, NAME, run=[only.pk]).result.notes[1:3] == [
        "1 pair of a duplicate takes the grade of its original.",
        "They are no labels: they have a column, and are in no share.",
    ]


def test_a_run_uploaded_as_a_matrix_is_ranked_by_all_of_its_cells(study, media_root):
    grade(study, {(n, n): 2 for n in range(6)} | {(n, n + 1): 1 for n in range(6)})
    rows, columns = (
        [item.external_id for item in side] for side in (queries_of(study), documents_of(study))
    )
    scores = np.zeros((6, 9), dtype=np.float32)
    for number in range(6):
        scores[number, number + 1], scores[number, number] = 2, 1
    matrix = received(study, npz(scores, rows, columns))
    assert rows_of(study, [matrix]) == {
        ("matrix", "1"): (6, 6, 0, 0, 0, 6, 0),
        ("matrix", "2"): (6, 6, 0, 0, 6, 0, 0),
        ("matrix", "1 to 2"): (12, 12, 0, 0, 6, 6, 0),
    }


def test_the_headline_claims_shares_from_thirty_pairs_on(study):
    grade(study, {(n, n): 2 for n in range(6)})
    one = run(study)
    headline = answer_of(study, NAME, run=[one.pk]).result.headline
    assert headline == "6 of the 6 pairs at rank 1 of the runs have a grade"
    result = answer_of(study, NAME, run=[one.pk]).result
    assert result.extent == "6 queries; 1 run; 6 graded pairs, each once for each run"


def test_without_a_run_or_a_grade_at_its_first_ranks_there_is_nothing_to_show(study):
    grade(study, {(n, 8): 2 for n in range(6)})
    only = run(study, depth=2)
    assert answer_of(study, NAME, run=[only.pk]).reason == (
        "None of the first 20 results that these runs have for a query has a grade by people yet."
    )
    Run.objects.all().delete()
    assert answer_of(study, NAME).reason == "It takes 1 run of this direction; 0 runs are chosen."
