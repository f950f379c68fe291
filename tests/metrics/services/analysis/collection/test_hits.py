"""Hits of two runs, one right and one wrong by the reference, counted by hand."""

import pytest
from scipy import stats

from annotate.models import Item, Part
from metrics.services.numbers import refresh
from pooling.models import Run
from tests import cast
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
HIT_KINDS = ("both", "first", "second", "neither")


@pytest.fixture
def study():
    """Beside others a run that ranks each query's own document first, and one that does not."""
    collection = small_study()
    queries, documents = queries_of(collection), documents_of(collection)
    for name, shift in (("right", 0), ("wrong", 1)):
        rankings = {
            query.pk: ([documents[(number + shift) % 9].pk, documents[8].pk], [2.0, 1.0])
            for number, query in enumerate(queries)
        }
        cast.run(collection, name, rankings, direction="forward")
    refresh.refresh(collection=collection)
    return collection


def choices(**further):
    keys = [Run.objects.get(name=name).pk for name in ("right", "wrong")]
    return {"run": keys, "measure": "C@1", **further}


def test_hits_are_told_for_both_label_sources(study):
    grade(study, {(0, 1): 1, (1, 1): 0})
    rows = table_of(study, "hits-by-length", **choices())
    whole = {row["labels"]: row for row in rows if row["characters"] == "all"}
    people = whole["people over reference “original”"]
    # of the first query both are right, of the second neither, of the other four the first alone
    assert [people[key] for key in HIT_KINDS] == pytest.approx([100 / 6, 400 / 6, 0, 100 / 6])
    reference = whole["reference “original” only"]
    assert [reference[key] for key in HIT_KINDS] == [0, 100, 0, 0]
    headline = answer_of(study, "hits-by-length", **choices()).result.headline
    assert headline == (
        "By people over reference “original”, right alone is right on 66.7 % of 6 queries and "
        "wrong alone on 0.0 % (C@1)"
    )


def test_bins_hold_the_queries_by_their_characters(study):
    rows = table_of(study, "hits-by-length", **choices(labels="none:original"))
    counts = {row["characters"]: row["n"] for row in rows}
    # one, one two, one two three, and 7, 9 and 11 characters
    assert sum(n for name, n in counts.items() if name != "all") == counts["all"] == 6
    assert counts["3 to 4"] == 1 and counts["13 to 14"] == 1


def test_hits_by_similarity_part_texts_that_trained_from_others(study):
    item = Item.objects.create(collection=study, side="query", external_id="train", split="train")
    Part.objects.create(item=item, position=0, kind="text", text="one two three")
    rows = table_of(study, "hits-by-training-similarity", **choices())
    counts = {row["similarity"]: row["n"] for row in rows if "over" in row["labels"]}
    assert counts["0.9 to 1.0"] == 1  # itself
    assert counts["0.0 to 0.1"] == 4  # "one" is too short, three have other letters
    assert counts["all"] == 6


def test_hits_are_correlated_with_the_similarity_over_all_queries(study):
    item = Item.objects.create(collection=study, side="query", external_id="train", split="train")
    Part.objects.create(item=item, position=0, kind="text", text="one two three")
    grade(study, {(0, 1): 1, (1, 1): 0})
    rows = table_of(study, "hits-by-training-similarity", **choices(labels="only"))
    (whole,) = [row for row in rows if row["similarity"] == "all"]
    # the second run alone is right, on the first query, whose text "one" has no 5-gram
    similarity = [0, *([0] * 3), 0.5, 1]
    expected = stats.kendalltau(similarity, [1, 0, 0, 0, 0, 0]).statistic
    assert whole["second_kendall"] == pytest.approx(expected, abs=1e-12)
    assert (whole["first_spearman"], whole["first_kendall"]) == (None, None)
    assert all(row["first_kendall"] is None for row in rows if row["similarity"] != "all")
    assert "first_kendall" not in table_of(study, "hits-by-length", **choices())[0]
    notes = answer_of(study, "hits-by-training-similarity", **choices(labels="only")).result.notes
    assert notes[-1].startswith(
        "Similarity against C@1 by people only, Spearman and Kendall (tau-b): right not "
        "defined, as hits or similarities are all equal; wrong -0."
    )
    assert notes[-1].endswith("; n 6.")


def test_of_more_runs_the_first_two_by_name_are_compared(study):
    result = answer_of(study, "hits-by-length").result
    titles = [column.title for column in result.columns]
    assert "alpha alone, %" in titles and "beta alone, %" in titles


def test_a_measure_that_is_not_0_or_1_is_refused(study):
    for measure in ("AP", "Judged@1", "R@1"):
        assert answer_of(study, "hits-by-length", measure=measure).reason == (
            f"{measure} does not say whether a run is right on a query: choose C@k, as C@5."
        )


def test_without_positives_nobody_can_be_right(study):
    reason = answer_of(study, "hits-by-length", **choices(labels="only")).reason
    assert reason == "None of the queries has a positive by people only yet."
    grade(study, {(0, 1): 1})
    result = answer_of(study, "hits-by-length", **choices(labels="only")).result
    assert result.notes[0] == (
        "5 of the queries have no positive by people only: on them neither run is right."
    )


def test_a_hidden_run_is_marked_where_its_owner_sees_it(study):
    Run.objects.filter(name="right").update(is_hidden=True)
    headline = answer_of(study, "hits-by-length", **choices()).result.headline
    assert "right (hidden) alone is right on" in headline
