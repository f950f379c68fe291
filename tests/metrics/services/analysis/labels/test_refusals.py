"""Refused positives of a small study, whose queries have their own documents as positives."""

import pytest

from annotate.models import Item, Part, Resolution
from annotate.services.review.duplicate_marks import DuplicateGroup, mark_duplicates
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "refused-positives"


@pytest.fixture
def study():
    collection = small_study()
    Run.objects.all().delete()
    return collection


def pairs_of(study, **further):
    return [(row["query"], row["document"]) for row in table_of(study, NAME, **further)]


def test_positives_that_people_graded_below_the_threshold_are_listed_the_worst_first(study):
    grade(study, {(0, 0): 1, (1, 1): 0, (2, 2): 2, (3, 0): 0})
    (row,) = table_of(study, NAME)
    assert row == {
        "reference": "original",
        "query": "q1",
        "query_content": "one two",
        "document": "d1",
        "document_content": "text of d1",
        "reference_grade": 2,
        "grade": 0,
        "level": "Level 0",
        "n_labels": 1,
        "decided": "Single",
    }
    assert pairs_of(study, threshold=2) == [("q1", "d1"), ("q0", "d0")]
    result = answer_of(study, NAME).result
    assert result.headline == (
        "People refused 1 of the 3 positives of reference “original” that they graded"
    )
    assert result.extent == "3 graded positives of 6 queries"
    assert result.notes[:1] == [
        "Reference “original” has 6 positives of these queries; people graded 3 of them and "
        "refused 1. Of the others nothing is known."
    ]


def test_of_equal_grades_the_pair_with_the_most_labels_stands_first(study):
    grade(study, {(0, 0): 0, (1, 1): 0})
    Resolution.objects.filter(pair__query=queries_of(study)[1]).update(n_labels=3)
    assert pairs_of(study) == [("q1", "d1"), ("q0", "d0")]


def test_both_directions_give_the_same_pairs_with_the_source_first(study):
    grade(study, {(0, 0): 0, (1, 1): 0})
    assert pairs_of(study, direction="reverse") == pairs_of(study)
    columns = [
        [column.key for column in answer_of(study, NAME, direction=direction).result.columns]
        for direction in ("forward", "reverse")
    ]
    assert [keys[1] for keys in columns] == ["query", "document"]
    assert [keys[3] for keys in columns] == ["document", "query"]


def test_each_chosen_set_has_its_rows_and_its_sentence(study):
    studies.reference(study, {("q0", "d0"): 1, ("q0", "d1"): 1, ("q1", "d2"): 0}, "second")
    grade(study, {(0, 0): 0, (0, 1): 0, (1, 2): 0})
    assert len(table_of(study, NAME)) == 1
    rows = table_of(study, NAME, labels="over", sets=["original", "second"])
    assert [(row["reference"], row["document"]) for row in rows] == [
        ("original", "d0"),
        ("second", "d0"),
        ("second", "d1"),
    ]
    headline = answer_of(study, NAME, labels="over", sets=["original", "second"]).result.headline
    assert headline == (
        "People refused 1 of the 1 positive of reference “original” that they graded; 2 of the 2 "
        "positives of reference “second” that they graded"
    )


def test_a_set_alone_is_compared_with_people_too(study):
    grade(study, {(0, 0): 0})
    assert pairs_of(study, labels="none:original") == [("q0", "d0")]


def test_ranks_are_those_of_the_chosen_runs(study):
    grade(study, {(0, 0): 0, (1, 1): 0})
    queries, documents = queries_of(study), documents_of(study)
    rankings = {
        queries[0].pk: ([documents[4].pk, documents[0].pk], [2.0, 1.0]),
        queries[1].pk: ([documents[5].pk], [2.0]),
    }
    cast.run(study, "first", rankings)
    cast.run(study, "second", {queries[1].pk: ([documents[1].pk], [1.0])})
    rows = table_of(study, NAME)
    assert [(row["rank_in_first"], row["rank_in_second"]) for row in rows] == [(2, None), (None, 1)]
    titles = [column.title for column in answer_of(study, NAME).result.columns]
    assert titles[-2:] == ["Rank in first", "Rank in second"]


def test_excluded_items_and_disputed_pairs_are_no_refusals(study):
    grade(study, {(n, n): 0 for n in range(4)})
    Resolution.objects.filter(pair__query=queries_of(study)[0]).update(
        grade=None, status="disputed"
    )
    for item in (queries_of(study)[1], documents_of(study)[2]):
        Item.objects.filter(pk=item.pk).update(
            excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
        )
    assert pairs_of(study) == [("q3", "d3")]
    assert answer_of(study, NAME).result.extent == "1 graded positive of 5 queries"


def test_a_propagated_grade_refuses_and_counts_as_no_grade_by_people(study):
    grade(study, {(0, 8): 0})
    documents = documents_of(study)
    group = DuplicateGroup(documents[8], [documents[0]])
    mark_duplicates(collection=study, groups=[group], by=None)
    (row,) = table_of(study, NAME)
    assert (row["document"], row["n_labels"], row["decided"]) == ("d0", 0, "Propagated")
    result = answer_of(study, NAME).result
    assert result.headline == "Propagated grades refuse 1 positive; people graded none of them"
    assert result.extent == "0 graded positives of 6 queries"
    assert [result.notes[0], *result.notes[2:]] == [
        "Reference “original” has 6 positives of these queries; people graded 0 of them and "
        "refused 0. Propagated grades refuse 1 of the 1 that have one. Of the others nothing is "
        "known.",
        "5 of the 6 queries have no grade by people.",
        "1 pair of a duplicate takes the grade of its original.",
        "They are no labels: people's numbers are without them.",
    ]
    grade(study, {(1, 1): 0, (2, 2): 1})
    assert [row["decided"] for row in table_of(study, NAME)] == ["Single", "Propagated"]
    assert answer_of(study, NAME).result.headline == (
        "People refused 1 of the 2 positives of reference “original” that they graded"
    )


def test_a_propagated_grade_that_confirms_is_no_grade_by_people(study):
    grade(study, {(0, 8): 1})
    documents = documents_of(study)
    group = DuplicateGroup(documents[8], [documents[0]])
    mark_duplicates(collection=study, groups=[group], by=None)
    assert answer_of(study, NAME).reason == (
        "People have graded no positive of reference “original” of these queries yet."
    )


def test_media_have_the_name_of_their_file_and_pages_their_words(study):
    grade(study, {(0, 0): 0})
    Part.objects.filter(item=documents_of(study)[0]).delete()
    Part.objects.create(item=documents_of(study)[0], position=0, kind="image", path="a/b.jpg")
    Part.objects.filter(item=queries_of(study)[0]).update(kind="html", text="<p>one <b>dog</b></p>")
    (row,) = table_of(study, NAME)
    assert (row["query_content"], row["document_content"]) == ("one dog", "a/b.jpg")


def test_without_a_set_a_grade_or_a_refusal_there_is_nothing_to_list(study):
    assert answer_of(study, NAME, labels="only").reason == (
        "It takes a reference set: choose labels that have one."
    )
    assert answer_of(study, NAME).reason == (
        "People have graded no positive of reference “original” of these queries yet."
    )
    grade(study, {(0, 0): 1})
    assert answer_of(study, NAME).reason == (
        "People refused none of the positives of “original” that they graded (1)."
    )
