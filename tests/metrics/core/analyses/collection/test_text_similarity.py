"""Similarity of texts to training texts is that of scikit-learn's TF-IDF of 5-grams."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from metrics.core.analyses.collection.text_similarity import nearest_similarity
from tests.sizes import cases

LETTERS = st.text(alphabet="ab c\t\nÉß漢", max_size=14)


def theirs(texts, training_texts):
    """The definition with scikit-learn's vectors, every similarity sorted."""
    vectors = TfidfVectorizer(analyzer="char", ngram_range=(5, 5))
    try:
        own = vectors.fit_transform(texts)
    except ValueError:  # no text has a 5-gram
        return np.zeros(len(texts))
    similarity = (own @ vectors.transform(training_texts).T).toarray()
    nearest = np.sort(similarity, axis=1)[:, -min(10, len(training_texts)) :]
    return nearest.mean(axis=1)


def sentences(seed, n):
    rng = np.random.default_rng(seed)
    words = ["a", "man", "woman", "Dog", "runs", "is", "playing", "the", "guitar", "in", "park"]
    return [" ".join(rng.choice(words, rng.integers(1, 9))) for _ in range(n)]


@cases(200)
@given(st.lists(LETTERS, min_size=1, max_size=12), st.lists(LETTERS, min_size=1, max_size=12))
def test_short_texts_of_any_letters_are_as_like_as_scikit_learn_says(texts, training_texts):
    assert nearest_similarity(texts, training_texts) == pytest.approx(
        theirs(texts, training_texts), abs=1e-12
    )


@pytest.mark.parametrize("n_training", [3, 10, 11, 640, 2_500])
def test_sentences_are_as_like_as_scikit_learn_says(n_training):
    """More training texts than ten blocks of them, so that the ten nearest are looked for."""
    texts, training_texts = sentences(1, 250), sentences(2, n_training)
    assert nearest_similarity(texts, training_texts) == pytest.approx(
        theirs(texts, training_texts), abs=1e-12
    )


def test_a_text_that_trained_often_is_like_it_and_a_foreign_one_is_not():
    similarity = nearest_similarity(
        ["a man plays", "xyzxyz", "man"], ["a man plays"] * 10 + ["a dog runs"]
    )
    assert similarity == pytest.approx([1, 0, 0], abs=1e-12)


def test_progress_is_told_to_the_end():
    steps = []
    nearest_similarity(
        sentences(1, 250),
        sentences(2, 5),
        report_progress=lambda n_done, total: steps.append((n_done, total)),
    )
    assert steps == [(100, 250), (200, 250), (250, 250)]
