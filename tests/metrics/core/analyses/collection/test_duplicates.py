"""The same items and near texts: against recounts in plain Python, and scikit-learn's vectors."""

import itertools
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from metrics.core.analyses.collection import duplicates, text_vectors
from metrics.core.analyses.collection.duplicates import (
    TooManyPairs,
    near_texts,
    plain_text,
    same_items,
)
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SYMBOLS = st.text("a É!.-\u00b4™½≠=\u0338①ﬁßİ\u0301\u0345\u200b\u200d\ufe0f\u20e3❤️👩", max_size=12)
KEYS = st.lists(st.none() | st.sampled_from(["", "a", "b", "man", "a man"]), max_size=30)
WORDS = st.sampled_from(["a", "man", "men", "Dog", "runs", "walks", "fast", "\t", "guitar", "漢字"])
SENTENCES = st.lists(WORDS, max_size=9).map(" ".join)
ROUNDING = 1e-11  # of two sums that differ in order


def sentences(seed, n):
    """Sentences of a small vocabulary; of each third one a copy with another end."""
    rng = np.random.default_rng(seed)
    words = [
        f"{start}{end}" for start in ("pla", "run", "sin", "walk") for end in ("s", "ing", "ed")
    ]
    texts = [" ".join(rng.choice(words, rng.integers(1, 12))) for _ in range(n)]
    for copy in range(2, n, 3):
        texts[copy] = texts[copy - 1] + str(rng.choice([" ", "."])) + str(rng.choice(words))
    return texts


def pairs_of(near):
    columns = (near.first.tolist(), near.second.tolist(), near.similarity.tolist())
    return {(i, j): similarity for i, j, similarity in zip(*columns, strict=True)}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("A man, walking!", "a man walking"),
        ("  a\tman \n walking ", "a man walking"),
        ("Straße", "strasse"),
        ("ﬁve 5㎏ ™", "five 5kg tm"),  # NFKC
        ("re-do", "re-do"),
        ("don\u00b4t", plain_text("don't")),  # NFKC makes a blank and an accent of this apostrophe
        ("don\u2019t", plain_text("don't")),
        ("co\u00adoperate", "cooperate"),  # a hyphen that is not seen
        ("e\u200b\u0301", "é"),
        ("\u03aa\u0301", "\u0390"),  # folded, this Greek letter is three characters
        ("naïve नमस्ते", "naïve नमस्ते"),  # marks of letters stay
        ("“So”, (he) said…", "so he said"),
    ],
)
def test_texts_are_compared_without_case_marks_and_width_of_white_space(text, plain):
    assert plain_text(text) == plain


@pytest.mark.parametrize(
    ("text", "other"),
    [("C++", "C#"), ("C++", "C"), ("-5 °C", "5 °C"), ("x < y", "x > y"), ("$5", "€5"), ("½", "12")],
)
def test_signs_that_mean_something_stay(text, other):
    assert plain_text(text) != plain_text(other)


def test_texts_of_marks_alone_are_compared_as_they_stand():
    assert plain_text("?") == "?" != plain_text("!")
    assert plain_text(" ?\t\n ! ") == "? !"
    assert plain_text("") == plain_text(" \n") == ""


@cases(1_000)
@given(ANY_TEXT | SYMBOLS)
def test_a_plain_text_is_its_own(text):
    plain = plain_text(text)
    assert plain_text(plain) == plain
    assert plain == " ".join(plain.split())
    assert plain_text(f" {text}\t") == plain
    assert bool(plain) == bool(text.strip())


@cases(300)
@given(ANY_TEXT | SYMBOLS)
def test_a_letter_with_its_mark_is_the_letter_and_a_mark(text):
    apart = unicodedata.normalize("NFD", text)
    assert plain_text(f"a {apart}") == plain_text(f"a {text}")


@cases(300)
@given(st.text(st.characters(exclude_categories=["Cs", "Mn", "Mc"]), max_size=8))
def test_case_makes_no_difference(text):
    assert plain_text(f"A {text.casefold()}") == plain_text(f"a {text}")


@cases(300)
@given(KEYS)
def test_same_items_are_those_with_one_key(keys):
    positions = [position for position, key in enumerate(keys) if key is not None]
    by_key = itertools.groupby(sorted(positions, key=keys.__getitem__), key=keys.__getitem__)
    groups = [list(positions) for _, positions in by_key]
    expected = [group for group in groups if len(group) > 1]
    assert same_items(keys) == sorted(expected, key=lambda group: (-len(group), group[0]))
    n_of = Counter(key for key in keys if key is not None)
    sizes = sorted((n for n in n_of.values() if n > 1), reverse=True)
    assert [len(group) for group in same_items(keys)] == sizes


def test_nothing_is_the_same_as_nothing():
    assert same_items([]) == same_items([None, None, "a", None]) == []
    assert same_items(["b", "a", "a", None, "b", "c", "c", "c"]) == [[5, 6, 7], [0, 4], [1, 2]]


@cases(300)
@given(st.lists(SENTENCES, max_size=12), st.data())
def test_near_texts_are_those_of_all_pairs_that_reach_the_least(texts, data):
    """Also where the least is the very cosine of a pair, which is in then."""
    expected = {pair: cosine for pair, cosine in recounts.cosines(texts).items() if cosine > 0}
    dense = pairs_of(near_texts(texts, least=1e-9))
    assert dense == pytest.approx(expected, abs=ROUNDING)
    bounds = st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0])
    if dense:
        bounds |= st.sampled_from(sorted(dense.values()))
    least = data.draw(bounds)
    near = near_texts(texts, least=least)
    assert pairs_of(near) == {pair: value for pair, value in dense.items() if value >= least}
    order = list(zip((-near.similarity).tolist(), near.first, near.second, strict=True))
    assert order == sorted(order)


@pytest.mark.parametrize("least", [0.5, 0.8, 0.9, 0.97])
def test_many_sentences_are_as_near_as_scikit_learn_says(least):
    """More texts than are compared at once."""
    texts = sentences(4, 330)
    vectors = TfidfVectorizer(analyzer="char", ngram_range=(5, 5)).fit_transform(texts)
    cosine = np.triu((vectors @ vectors.T).toarray(), 1)
    near = near_texts(texts, least=least)
    assert len(near.first) > 5
    assert near.similarity == pytest.approx(cosine[near.first, near.second], abs=1e-12)
    is_clear = abs(cosine - least) > ROUNDING
    is_near = np.zeros(cosine.shape, dtype=bool)
    is_near[near.first, near.second] = True
    assert np.array_equal(is_near[is_clear], (cosine >= least)[is_clear])


def test_each_pair_is_in_where_its_own_cosine_is_the_least():
    """Texts whose heads barely meet: one letter of tail too many would lose them."""
    texts = sentences(9, 60)
    dense = pairs_of(near_texts(texts, least=1e-9))
    near_pairs = {pair: value for pair, value in dense.items() if value > 0.6}
    assert len(near_pairs) > 20
    for pair, value in near_pairs.items():
        assert pairs_of(near_texts(texts, least=value))[pair] == value
        assert pair not in pairs_of(near_texts(texts, least=value + 1e-12))
        # the bound is rounded as the cosine is
        assert pair in pairs_of(near_texts(texts, least=value + 4e-13))


def test_equal_texts_have_a_cosine_of_1_and_short_ones_none():
    """Pairs of one cosine are in the order of their positions."""
    texts = ["a man walks", "a dog runs", "A  DOG runs", "man", "a man walks", "a man", "man", ""]
    near = near_texts(texts, least=1.0)
    assert [near.first.tolist(), near.second.tolist()] == [[0, 1], [4, 2]]
    assert near.similarity.tolist() == [1, 1]


@pytest.mark.parametrize("texts", [[], ["a man walks"], ["", ""], ["man", "man"]])
def test_few_or_short_texts_have_no_near_pairs(texts):
    near = near_texts(texts)
    assert [len(near.first), len(near.second), len(near.similarity)] == [0, 0, 0]
    assert near.first.dtype == near.second.dtype == np.int64


@pytest.mark.parametrize("n_at_once", [1, 100])
def test_too_many_near_pairs_are_refused(monkeypatch, n_at_once):
    monkeypatch.setattr(duplicates, "MOST_PAIRS", 10)
    monkeypatch.setattr(text_vectors, "ROWS_AT_ONCE", n_at_once)
    assert len(near_texts(["a man walks"] * 5).first) == 10
    with pytest.raises(TooManyPairs, match="More than 10 pairs of texts are near"):
        near_texts(["a man walks"] * 6)


def test_few_texts_are_compared(monkeypatch):
    """Not those that have the common words in common: of 1,000 texts, some beside near ones."""
    rng = np.random.default_rng(3)
    words = ["".join(rng.choice(list("aeioklmnprst"), rng.integers(2, 9))) for _ in range(900)]
    chance = 1 / np.arange(1, 901)
    texts = [" ".join(rng.choice(words, 8, p=chance / chance.sum())) for _ in range(1_000)]
    monkeypatch.setattr(text_vectors, "ROWS_AT_ONCE", 1)
    near_pairs, n_partners = duplicates._near_pairs, []

    def counted(vectors, rows, partners, least):
        n_partners.append(len(partners))
        return near_pairs(vectors, rows, partners, least)

    monkeypatch.setattr(duplicates, "_near_pairs", counted)
    near_texts(texts)
    assert len(n_partners) == 1_000
    assert sum(n_partners) < 0.01 * 1_000 * 999 / 2


def test_progress_counts_texts_to_the_end():
    steps = []
    near_texts(
        sentences(1, 250), report_progress=lambda n_done, total: steps.append((n_done, total))
    )
    assert steps == [(100, 250), (200, 250), (250, 250)]
