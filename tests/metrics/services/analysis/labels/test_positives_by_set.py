"""Positives by each reference set and by people, counted by hand in a small study."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Duplicate, Item, QuerySet, QuerySetItem, ReferenceSet, Undrawn
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of
from tests.metrics.services.analysis.questions import table_of as both_tables_of

pytestmark = pytest.mark.django_db
NAME = "positives-by-set"


def table_of(study, name, **parameters):
    """The rows of the chosen direction, which come first."""
    rows = both_tables_of(study, name, **parameters)
    return [row for row in rows if row["direction"] == rows[0]["direction"]]


@pytest.fixture
def study():
    """Six queries with one reference positive each; people refuse one and add two to it."""
    collection = small_study()
    grade(collection, {(0, 0): 0, (0, 1): 2, (0, 2): 1, (1, 1): 1})
    return collection


def counts_of(collection, **parameters):
    return {row["labels"]: row["n_positive"] for row in table_of(collection, NAME, **parameters)}


def test_every_set_people_and_both_are_counted(study):
    assert counts_of(study) == {
        "reference “original” only": 6,
        "people only": 3,
        "people over reference “original”": 7,
        "the larger grade of people and reference “original”": 8,
    }
    rows = table_of(study, NAME)
    assert [row["factor"] for row in rows] == pytest.approx([1, 0.5, 7 / 6, 8 / 6])
    assert [row["n_with"] for row in rows] == [6, 2, 6, 6]
    assert {row["n"] for row in rows} == {6}
    assert answer_of(study, NAME).result.headline == (
        "The queries have 7 positives by people over reference “original”, and 6 by reference "
        "“original” only"
    )
    assert counts_of(study, threshold=2) == {
        "reference “original” only": 6,
        "people only": 1,
        "people over reference “original”": 5,
        "the larger grade of people and reference “original”": 7,
    }


def test_the_reverse_direction_has_the_same_pairs_of_other_queries(study):
    assert counts_of(study, direction="reverse") == counts_of(study)
    rows = table_of(study, NAME, direction="reverse")
    assert {row["n"] for row in rows} == {9}
    assert [row["n_with"] for row in rows] == [6, 2, 5, 6]


def test_both_directions_stand_beside_one_another(study):
    rows = both_tables_of(study, NAME)
    assert rows[:4] == table_of(study, NAME)
    assert rows[4:] == table_of(study, NAME, direction="reverse")
    assert {row["direction"] for row in rows[4:]} == {"Document to query"}
    result = answer_of(study, NAME).result
    assert result.extent == "6 queries and 9 documents"
    titles = [view["title"]["text"] for view in result.spec["vconcat"]]
    assert titles == ["Query to document", "Document to query"]


def test_a_direction_without_queries_or_positives_is_not_shown(study):
    few = QuerySet.objects.create(collection=study, name="few", direction="forward")
    QuerySetItem.objects.create(query_set=few, item=queries_of(study)[0])
    assert len(both_tables_of(study, NAME, queries="few")) == 4
    assert answer_of(study, NAME, queries="few").result.notes[-1] == (
        "Document to query is not shown: the query set “few” has none of its documents."
    )
    reverse = QuerySet.objects.create(collection=study, name="few", direction="reverse")
    QuerySetItem.objects.create(query_set=reverse, item=documents_of(study)[8])
    result = answer_of(study, NAME, queries="few").result
    assert "vconcat" not in result.spec
    assert result.notes[-1] == (
        "Document to query is not shown: there is no positive by these labels."
    )


def test_the_number_of_queries_does_not_grow_with_sets(study):
    def n_queries():
        with CaptureQueriesContext(connection) as queries:
            answer_of(study, NAME)
        return len(queries)

    before = n_queries()
    for number in range(3):
        studies.reference(study, {("q0", "d1"): 1}, f"set {number}")
    assert n_queries() == before


def test_the_oldest_chosen_set_comes_first_and_all_sets_are_shown(study):
    studies.reference(study, {("q0", "d4"): 1, ("q0", "d5"): 0}, "people")
    studies.reference(study, {("q0", "d4"): 1, ("q1", "d4"): 2}, "only")
    rows = table_of(study, NAME, labels="none:only,people")
    assert [(row["labels"], row["n_positive"]) for row in rows] == [
        ("reference “people” only", 1),
        ("reference “original” only", 6),
        ("reference “only” only", 2),
        ("people only", 3),
        ("references “only”, “people” only", 2),
        ("the larger grade of people and references “only”, “original”, “people”", 10),
    ]
    assert [row["factor"] for row in rows] == pytest.approx([1, 6, 2, 3, 2, 10])


def test_by_a_set_alone_the_union_is_what_the_headline_tells(study):
    headline = answer_of(study, NAME, labels="none:original").result.headline
    assert headline.startswith("The queries have 8 positives by the larger grade of people and ")


def test_sets_beyond_twelve_are_named_and_counted_in_the_union(study):
    for number in range(11):
        studies.reference(study, {("q0", "d8"): 1}, f"set {number}")
    studies.reference(study, {("q0", "d7"): 1}, "set 11")
    result = answer_of(study, NAME, labels="only").result
    assert len(result.rows) == 2 * (12 + 2)
    assert result.notes[-1] == (
        "Without a row of their own, but in the larger grade of all: “set 11”."
    )
    counts = counts_of(study, labels="only")
    assert counts["the larger grade of people and all 13 reference sets"] == 8 + 1 + 1


def test_propagated_grades_have_a_row_with_them_and_one_without(study):
    first, second = queries_of(study)[1:3]
    Duplicate.objects.create(collection=study, item=second, original=first, side="query")
    counts = counts_of(study)
    assert counts["people only"] == 4
    assert counts["people only, without propagated grades"] == 3
    sentence = "1 pair of a duplicate takes the grade of its original."
    own = "“Without propagated grades” are only labels that people gave to the pair itself."
    for labels in ("over:original", "none:original"):
        notes = answer_of(study, NAME, labels=labels).result.notes
        assert notes.count(sentence) == 1 and own in notes


def test_excluded_items_count_neither_as_query_nor_as_positive(study):
    Item.objects.filter(pk__in=[documents_of(study)[1].pk, queries_of(study)[5].pk]).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    counts = counts_of(study)
    assert counts["reference “original” only"] == 4
    assert counts["people only"] == 1
    assert answer_of(study, NAME).result.extent == "5 queries and 8 documents"


def test_a_sampled_set_is_named(study):
    query, document = queries_of(study)[0], documents_of(study)[7]
    Undrawn.objects.create(
        reference_set=ReferenceSet.objects.get(), query=query, document=document, stratum=1
    )
    assert answer_of(study, NAME).result.notes[-1] == (
        "Reference “original” is a sample: these numbers count what it did not draw as irrelevant."
    )


def test_without_positives_or_without_sets_it_is_not_defined(study):
    ReferenceSet.objects.all().delete()
    assert answer_of(study, NAME).reason == (
        "The collection has no reference set with whose positives people's could be compared: "
        "load one."
    )
    grade(study, {(0, 1): 0, (0, 2): 0, (1, 1): 0})
    studies.reference(study, {("q0", "d0"): 0})
    assert answer_of(study, NAME).reason == "No query has a positive by any of these labels yet."


def test_queries_without_a_grade_by_people_are_told_whatever_labels_are_chosen(study):
    for labels in ("only", "none:original"):
        notes = answer_of(study, NAME, labels=labels).result.notes
        assert any("4 of the 6 queries have no grade by people." in note for note in notes)
