"""Reference sets against people's grades, counted by hand in a small study."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import (
    Duplicate,
    Item,
    QuerySet,
    QuerySetItem,
    ReferenceSet,
    Resolution,
    Undrawn,
)
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
NAME = "reference-against-people"
COUNTS = ("n_judged", "n_agreed", "n_refused", "n_missing", "n_unjudged")


def table_of(study, name, **parameters):
    """The rows of the chosen direction, which come first."""
    rows = both_tables_of(study, name, **parameters)
    return [row for row in rows if row["direction"] == rows[0]["direction"]]


@pytest.fixture
def study():
    """Six queries with one reference positive each: two are judged, one of them is refused."""
    collection = small_study()
    grade(collection, {(0, 0): 0, (0, 1): 2, (1, 1): 1, (1, 2): 1, (2, 5): 1, (3, 7): 0})
    return collection


def test_counts_and_shares_are_of_judged_pairs(study):
    (row,) = table_of(study, NAME)
    assert row["labels"] == "reference “original”"
    assert [row[key] for key in COUNTS] == [2, 1, 1, 3, 4]
    assert (row["precision"], row["precision_n"]) == (50, 2)  # queries 0 and 1
    assert row["recall"] == pytest.approx(100 * (0 + 1 / 2 + 0) / 3) and row["recall_n"] == 3
    assert row["recall_in_both"] == pytest.approx(25) and row["recall_in_both_n"] == 2
    assert answer_of(study, NAME).result.headline == (
        "People confirm 1 of 2 positives of reference “original” that they judged; it lacks 3 of "
        "theirs"
    )


def test_the_threshold_is_that_of_both(study):
    (row,) = table_of(study, NAME, threshold=2)
    assert [row[key] for key in COUNTS] == [2, 0, 2, 1, 4]
    assert (row["precision"], row["recall"], row["recall_n"]) == (0, 0, 1)


def test_the_reverse_direction_has_the_same_pairs_by_other_queries(study):
    (row,) = table_of(study, NAME, direction="reverse")
    assert [row[key] for key in COUNTS] == [2, 1, 1, 3, 4]
    assert row["recall_n"] == 3  # documents 1, 2 and 5
    assert row["recall"] == pytest.approx(100 * (1 / 2) / 3)


def test_both_directions_stand_beside_one_another(study):
    rows = both_tables_of(study, NAME)
    assert [row["direction"] for row in rows] == ["Query to document", "Document to query"]
    assert rows[::-1] == both_tables_of(study, NAME, direction="reverse")
    result = answer_of(study, NAME).result
    assert result.extent == "6 queries and 9 documents"
    titles = [view["title"]["text"] for view in result.spec["vconcat"]]
    assert titles == ["Query to document", "Document to query"]


def test_a_direction_without_queries_or_grades_is_not_shown(study):
    few = QuerySet.objects.create(collection=study, name="few", direction="forward")
    QuerySetItem.objects.create(query_set=few, item=queries_of(study)[0])
    (row,) = both_tables_of(study, NAME, queries="few")
    assert (row["direction"], row["n_judged"]) == ("Query to document", 1)
    result = answer_of(study, NAME, queries="few").result
    assert "vconcat" not in result.spec and result.extent == "1 query"
    assert result.notes[-2] == (
        "Document to query is not shown: the query set “few” has none of its documents."
    )
    reverse = QuerySet.objects.create(collection=study, name="few", direction="reverse")
    QuerySetItem.objects.create(query_set=reverse, item=documents_of(study)[8])
    assert answer_of(study, NAME, queries="few").result.notes[-2] == (
        "Document to query is not shown: people gave no pair of these documents a grade yet."
    )
    QuerySet.objects.filter(direction="reverse").delete()
    (row,) = both_tables_of(study, NAME)
    assert row["n_judged"] == 2


def test_chosen_sets_have_a_row_together(study):
    studies.reference(study, {("q0", "d1"): 1}, "second")
    studies.reference(study, {("q1", "d1"): 1}, "third")
    rows = table_of(study, NAME, labels="over:second,third")
    assert [(row["labels"], row["n_judged"]) for row in rows] == [
        ("reference “second”", 1),
        ("reference “third”", 1),
        ("reference “original”", 2),
        ("references “second”, “third”", 2),
        ("references “original”, “second”, “third”", 3),
    ]
    assert len(table_of(study, NAME, labels="over:second")) == 4
    headline = answer_of(study, NAME, labels="over:third").result.headline
    assert headline.startswith("People confirm 1 of 1 positive of reference “third” that")
    every = table_of(study, NAME, labels="none:original,second,third")
    assert [row["labels"] for row in every][3:] == ["references “original”, “second”, “third”"]


def test_the_number_of_queries_does_not_grow_with_sets(study):
    def n_queries():
        with CaptureQueriesContext(connection) as queries:
            answer_of(study, NAME)
        return len(queries)

    before = n_queries()
    for number in range(3):
        studies.reference(study, {("q0", "d1"): 1}, f"set {number}")
    assert n_queries() == before


def test_several_sets_have_a_row_each_and_one_together(study):
    studies.reference(study, {("q0", "d1"): 1, ("q1", "d1"): 1, ("q1", "d2"): 0}, "people")
    rows = table_of(study, NAME)
    assert [row["labels"] for row in rows] == [
        "reference “original”",
        "reference “people”",
        "references “original”, “people”",
    ]
    assert [[row[key] for key in COUNTS] for row in rows] == [
        [2, 1, 1, 3, 4],
        [2, 2, 0, 2, 0],
        [3, 2, 1, 2, 4],
    ]


def test_peoples_part_of_the_labels_does_not_change_it(study):
    assert table_of(study, NAME, labels="none:original") == table_of(study, NAME, labels="only")


def test_a_disputed_pair_counts_as_not_judged(study):
    pair = study.pairs.get(query=queries_of(study)[0], document=documents_of(study)[0])
    Resolution.objects.filter(pair=pair).update(grade=None, status=Resolution.Status.DISPUTED)
    (row,) = table_of(study, NAME)
    assert [row[key] for key in COUNTS] == [1, 1, 0, 3, 5]
    assert answer_of(study, NAME).result.notes[-1] == (
        "Disputed and escalated pairs have no grade: they count as not judged."
    )


def test_propagated_grades_are_no_judged_pairs_and_are_told(study):
    (before,) = table_of(study, NAME)
    assert before["n_propagated"] == 0
    first, second = queries_of(study)[1:3]
    Duplicate.objects.create(collection=study, item=second, original=first, side="query")
    (row,) = table_of(study, NAME)
    # query 2 takes what people said of (1, 1) and (1, 2), the latter its own document
    assert (row["n_propagated"], row["n_unjudged"]) == (1, 3)
    assert {**row, "n_propagated": 0, "n_unjudged": 4} == before
    notes = answer_of(study, NAME).result.notes
    assert notes[1:4] == [
        "2 of the 6 queries have no grade by people.",
        "2 pairs of duplicates take the grades of their originals.",
        "They are no labels: no number of judged pairs, and no share.",
    ]


def test_excluded_items_are_left_out(study):
    Item.objects.filter(pk__in=[documents_of(study)[1].pk, queries_of(study)[5].pk]).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    (row,) = table_of(study, NAME)
    assert [row[key] for key in COUNTS] == [1, 0, 1, 2, 3]


def test_a_sample_is_named_and_sets_beyond_twelve_too(study):
    query, document = queries_of(study)[0], documents_of(study)[7]
    Undrawn.objects.create(
        reference_set=ReferenceSet.objects.get(), query=query, document=document, stratum=1
    )
    for number in range(11):
        studies.reference(study, {("q0", "d8"): 1}, f"set {number}")
    studies.reference(study, {("q0", "d1"): 1}, "set 11")
    result = answer_of(study, NAME).result
    assert len(result.rows) == 2 * (12 + 1)
    assert result.notes[-2:] == [
        "Reference “original” is a sample: these numbers count what it did not draw as irrelevant.",
        "Without a row of their own, but in that of all: “set 11”.",
    ]
    last = table_of(study, NAME)[-1]
    assert (last["labels"], last["n_judged"]) == ("all 13 reference sets", 3)
    chosen = table_of(study, NAME, labels="over:set 11")
    assert "reference “set 11”" in [row["labels"] for row in chosen]
    assert len(chosen) == 12 + 1


def test_without_grades_or_without_sets_it_is_not_defined(study):
    Resolution.objects.all().delete()
    assert answer_of(study, NAME).reason == "People gave no pair of these queries a grade yet."
    ReferenceSet.objects.all().delete()
    assert answer_of(study, NAME).reason == (
        "The collection has no reference set to compare with people: load one."
    )
