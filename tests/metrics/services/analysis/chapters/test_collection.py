"""The chapter on the collection: labels, texts and runs of a small study, counted by hand."""

import pytest

from annotate.models import Item, Part, Resolution
from metrics.services.numbers import refresh
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
TEXTS = ["one", "one two", "one two three", "a b c d", "a b c d e", "a b c d e f"]


@pytest.fixture
def study():
    """Six queries of one to six words; each has its own document as reference positive."""
    collection = studies.study("study")
    for number, query in enumerate(queries_of(collection)):
        query.parts.all().delete()
        Part.objects.create(item=query, position=0, kind="text", text=TEXTS[number])
    return collection


def queries_of(collection):
    return list(collection.items.filter(side="query").order_by("pk"))


def documents_of(collection):
    return list(collection.items.filter(side="document").order_by("pk"))


def grade(collection, labels):
    """Give pairs a grade by people: (number of the query, number of the document) -> grade."""
    queries, documents = queries_of(collection), documents_of(collection)
    for (query, document), value in labels.items():
        pair, _ = collection.pairs.get_or_create(query=queries[query], document=documents[document])
        Resolution.objects.update_or_create(
            pair=pair,
            defaults={
                "collection": collection,
                "grade": value,
                "status": Resolution.Status.SINGLE,
                "n_labels": 1,
                "policy": collection.policies.get(),
            },
        )


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


def test_positives_by_length_compare_the_fifths_of_the_words(study):
    grade(study, {(0, 1): 1, (0, 2): 1, (0, 3): 1, (1, 2): 1})
    answer = answer_of(study, "positives-by-length", labels="only")
    # of six the fifths are two queries each: (3 + 1) / 2 against 0
    assert answer.result.headline == (
        "Queries of 1 to 2 words have 2.00 positives on average, queries of 5 to 6 words have 0.00"
    )
    grade(study, {(5, 1): 1})
    answer = answer_of(study, "positives-by-length", labels="only")
    assert answer.result.headline.startswith(
        "Queries of 1 to 2 words have 4.00 times the positives of queries of 5 to 6 words (95 %"
    )
    rows = table_of(study, "positives-by-length", labels="only")
    assert [(row["words"], row["n"], row["positives_3"]) for row in rows][:2] == [
        ("1", 1, 1),
        ("2", 1, 0),
    ]


def test_queries_without_a_text_are_left_out_and_told(study):
    queries_of(study)[0].parts.all().delete()
    answer = answer_of(study, "positives-by-length")
    assert answer.result.extent == "5 queries"
    assert answer.result.notes[0] == "1 of the queries have no text and are left out."
    Part.objects.filter(item__side="query").delete()
    for name in ("positives-by-length", "length-examples", "outcomes-by-length"):
        assert answer_of(study, name).reason.startswith("None of these source items has a text")


def test_without_a_positive_there_is_nothing_to_compare(study):
    reason = answer_of(study, "positives-by-length", labels="only").reason
    assert reason == "No query with a text has a positive yet."


def test_examples_come_with_their_texts_and_positives(study):
    rows = table_of(study, "length-examples")
    assert [(row["part"], row["text"], row["words"], row["positives"]) for row in rows] == [
        ("shortest", "one", 1, 1),
        ("shortest", "one two", 2, 1),
        ("median", "one two three", 3, 1),
        ("median", "a b c d", 4, 1),
        ("longest", "a b c d e", 5, 1),
        ("longest", "a b c d e f", 6, 1),
    ]


@pytest.fixture
def ranked_study(study):
    """Beside others a run that ranks each query's own document first, and one that does not."""
    queries, documents = queries_of(study), documents_of(study)
    for name, shift in (("right", 0), ("wrong", 1)):
        rankings = {
            query.pk: ([documents[(number + shift) % 9].pk, documents[8].pk], [2.0, 1.0])
            for number, query in enumerate(queries)
        }
        cast.run(study, name, rankings, direction="forward")
    refresh.refresh(collection=study)
    return study


def keys(*names):
    return [Run.objects.get(name=name).pk for name in names]


def test_outcomes_are_told_for_both_label_sources(ranked_study):
    grade(ranked_study, {(0, 1): 1, (1, 1): 0})
    choices = {"run": keys("right", "wrong"), "measure": "C@1"}
    rows = table_of(ranked_study, "outcomes-by-length", **choices)
    whole = {row["labels"]: row for row in rows if row["characters"] == "all"}
    chosen = whole["people over reference “original”"]
    # of the first query both are right, of the second neither, of the other four the first alone
    assert [chosen[key] for key in ("both", "first", "second", "neither")] == pytest.approx(
        [100 / 6, 400 / 6, 0, 100 / 6]
    )
    reference = whole["reference “original” only"]
    assert [reference[key] for key in ("both", "first", "second", "neither")] == [0, 100, 0, 0]
    result = answer_of(ranked_study, "outcomes-by-length", **choices).result
    assert result.headline.startswith("right alone is right on 66.7 % of the queries, wrong on 0.0")


def test_of_more_runs_the_first_two_by_name_are_compared(ranked_study):
    result = answer_of(ranked_study, "outcomes-by-length").result
    assert "alpha alone, %" in [column.title for column in result.columns]
    assert "beta alone, %" in [column.title for column in result.columns]


def test_a_measure_that_is_not_0_or_1_is_refused(ranked_study):
    reason = answer_of(ranked_study, "outcomes-by-length", measure="AP").reason
    # every own document stands somewhere in the permutations of the other two runs
    assert reason == "AP is not 0 or 1 for each query: choose one that is, such as C@5."
