"""Positives a query by each label source, counted by hand in a small study."""

import pytest

from annotate.models import Duplicate, Item
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return small_study()


def by_labels(rows):
    return {row["labels"]: row for row in rows}


def test_positives_are_counted_by_each_source_from_the_threshold_up(study):
    grade(study, {(0, 0): 0, (0, 1): 2, (0, 2): 1, (1, 2): 2, (1, 3): 1})
    rows = by_labels(table_of(study, "positives-per-query"))
    assert list(rows) == [
        "people over reference “original”",
        "reference “original” only",
        "people only",
    ]
    counts = {
        name: (row["n_positive"], row["n_without"], row["largest"]) for name, row in rows.items()
    }
    assert counts == {
        "people over reference “original”": (5 + 2 + 2, 0, 3),  # (0, 0) lost, four gained
        "reference “original” only": (6, 0, 1),
        "people only": (4, 4, 2),
    }
    high = by_labels(table_of(study, "positives-per-query", threshold=2))
    assert high["people only"]["n_positive"] == 2
    assert high["people over reference “original”"]["n_positive"] == 5 + 2


def test_queries_without_a_grade_by_people_are_told(study):
    def notes(**choices) -> list[str]:
        result = answer_of(study, "positives-per-query", **choices).result
        return [note for note in result.notes if "grade by people" in note]

    assert notes() == ["None of the 6 queries has a grade by people."]
    grade(study, {(0, 1): 0, (1, 2): 2, (1, 3): 1})
    for labels in ("over:original", "only"):
        assert notes(labels=labels) == ["4 of the 6 queries have no grade by people."]
    assert notes(labels="none:original") == []
    grade(study, {(2, 1): 0, (3, 2): 2, (4, 3): 1})
    assert notes() == ["1 of the 6 queries has no grade by people."]
    grade(study, {(5, 1): 0})
    assert notes() == []


def test_the_reverse_direction_counts_queries_of_documents(study):
    grade(study, {(0, 1): 1, (1, 1): 1, (2, 1): 1})
    rows = by_labels(table_of(study, "positives-per-query", direction="reverse"))
    assert rows["people only"]["largest"] == 3
    assert rows["people only"]["n_without"] == len(documents_of(study)) - 1


def test_excluded_items_count_neither_as_query_nor_as_positive(study):
    grade(study, {(0, 1): 1, (1, 1): 1})
    Item.objects.filter(pk=documents_of(study)[1].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    rows = by_labels(table_of(study, "positives-per-query"))
    assert rows["people only"]["n_positive"] == 0
    assert rows["reference “original” only"]["n_positive"] == 5
    Item.objects.filter(pk=queries_of(study)[0].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    answer = answer_of(study, "positives-per-query")
    assert answer.result.extent == "5 queries"


def test_people_alone_have_one_series_and_a_headline_without_others(study):
    grade(study, {(0, 1): 1})
    answer = answer_of(study, "positives-per-query", labels="only")
    assert answer.result.headline == "The median of the queries has 0 positives by people only"
    assert len(answer.result.rows) == 1


def test_the_series_of_people_is_of_their_own_labels(study):
    grade(study, {(0, 1): 1, (0, 2): 1, (1, 1): 1})
    first, third = queries_of(study)[0], queries_of(study)[3]
    Duplicate.objects.create(collection=study, item=third, original=first, side="query")
    own = "people only, without propagated grades"
    rows = by_labels(table_of(study, "positives-per-query"))
    assert list(rows) == ["people over reference “original”", "reference “original” only", own]
    assert rows["people over reference “original”"]["n_positive"] == 6 + 2 + 2
    assert rows[own]["n_positive"] == 3
    answer = answer_of(study, "positives-per-query")
    assert answer.result.notes[1:] == [
        "3 of the 6 queries have no grade by people.",
        "2 pairs of duplicates take the grades of their originals.",
        "“Without propagated grades” are only labels that people gave to the pair itself.",
    ]
    alone = by_labels(table_of(study, "positives-per-query", labels="only"))
    assert {name: row["n_positive"] for name, row in alone.items()} == {"people only": 5, own: 3}
    reference = by_labels(table_of(study, "positives-per-query", labels="none:original"))
    assert list(reference) == ["reference “original” only"]


def test_of_many_reference_sets_five_have_a_series_and_the_others_are_named(study):
    names = [f"set {number}" for number in range(6)]
    for name in names:
        studies.reference(study, {("q0", "d1"): 1}, name)
    result = answer_of(study, "positives-per-query", labels="over", sets=names).result
    assert len(result.rows) == 7
    assert result.notes[-1] == "Not shown by themselves: “set 5”."
