"""Positives by the length of texts, examples of texts, and their likeness to training texts."""

import pytest
from scipy import stats
from sklearn.feature_extraction.text import TfidfVectorizer

from annotate.models import Item, Part
from metrics.services.analysis import texts
from tests.metrics.services.analysis.collection.small_study import (
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return small_study()


def test_positives_by_length_compare_the_fifths_of_the_words(study):
    grade(study, {(0, 1): 1, (0, 2): 1, (0, 3): 1, (1, 2): 1})
    answer = answer_of(study, "positives-by-length", labels="only")
    # of six the fifths are two queries each: (3 + 1) / 2 against 0
    assert answer.result.headline == (
        "Queries of 1 to 2 words have 2.00 positives on average, those of 5 to 6 words 0.00 "
        "(no interval of their ratio)"
    )
    grade(study, {(5, 1): 1})
    answer = answer_of(study, "positives-by-length", labels="only")
    assert answer.result.headline.startswith(
        "Queries of 1 to 2 words have 4.00 times the positives of those of 5 to 6 words (95 %"
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
    assert answer.result.notes[0] == "1 of the queries has no text: left out."
    Part.objects.filter(item__side="query").delete()
    for name in ("positives-by-length", "length-examples", "hits-by-length"):
        assert answer_of(study, name).reason.startswith("None of these queries has a text")


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


def train(collection, lines, split="train"):
    for number, text in enumerate(lines):
        item = Item.objects.create(
            collection=collection, side="query", external_id=f"{split}{number}", split=split
        )
        Part.objects.create(item=item, position=0, kind="text", text=text)


def test_without_training_texts_it_is_said_how_they_come(study):
    train(study, ["a b c d e"], split="val")
    for name in ("training-similarity-and-length", "hits-by-training-similarity"):
        assert answer_of(study, name).reason == (
            "There are no training texts: load items of the side “query” with the split “train”."
        )


def test_longer_texts_that_trained_are_more_like_them(study):
    train(study, ["a b c d e f", "one two"])
    words, characters = table_of(study, "training-similarity-and-length")
    assert (words["length"], characters["length"]) == ("words", "characters")
    assert words["spearman"] == pytest.approx(answered(study))
    assert words["kendall"] is not None


def answered(collection):
    """Spearman's correlation of words with the mean similarity that scikit-learn finds."""
    own = [query.parts.get().text for query in queries_of(collection)]
    vectors = TfidfVectorizer(analyzer="char", ngram_range=(5, 5))
    similarity = vectors.fit_transform(own) @ vectors.transform(["a b c d e f", "one two"]).T
    mean = similarity.toarray().mean(axis=1).round(12)
    return stats.spearmanr([len(text.split()) for text in own], mean).statistic


def test_the_similarity_is_computed_once_for_the_same_texts(study, monkeypatch):
    train(study, ["a b c d e f", "one two"])
    steps = []
    nearest = texts.nearest_similarity

    def noted(*args, **options):
        steps.append(len(args[0]))
        return nearest(*args, **options)

    monkeypatch.setattr(texts, "nearest_similarity", noted)
    for _ in range(2):
        answer_of(study, "training-similarity-and-length")
    assert steps == [6]
    train(study, ["another"], split="train2")
    answer_of(study, "training-similarity-and-length")
    assert steps == [6]
    Part.objects.filter(item=queries_of(study)[0]).update(text="one more word")
    answer_of(study, "training-similarity-and-length")
    assert steps == [6, 6]
