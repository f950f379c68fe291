"""Examples of texts by length: against an independent sort."""

import numpy as np
import pytest

from metrics.core.analyses.collection.lengths import LengthExamples, length_examples

N_DRAWS = 500  # one of a hundred is in none of them with a chance of 1e-11, and seeds are fixed


def examples(n_words, seed: int) -> LengthExamples:
    return length_examples(np.array(n_words), rng=np.random.default_rng(seed))


def eligible(n_words: list[int]) -> list[list[int]]:
    """The positions that each part may come from, shortest first; lengths must all differ."""
    assert len(set(n_words)) == len(n_words)
    ascending = sorted(range(len(n_words)), key=n_words.__getitem__)
    size = min(100, len(n_words) // 3)
    start = (len(n_words) - size) // 2
    return [ascending[:size], ascending[start : start + size], ascending[-size:]]


@pytest.mark.parametrize("n", [3, 9, 15, 21, 99, 297, 300, 302, 500])
def test_each_text_of_a_part_and_no_other_is_drawn_at_some_time(n):
    n_words = np.random.default_rng(n).permutation(np.arange(1, n + 1)).tolist()
    parts = [set(), set(), set()]
    for seed in range(N_DRAWS):
        for part, positions in zip(parts, examples(n_words, seed), strict=True):
            part.update(positions)
    assert parts == [set(positions) for positions in eligible(n_words)]


@pytest.mark.parametrize("n_words", [[*range(1, 401)], [3] * 40, [9, 2, 2, 5, 7, 7] * 40])
def test_parts_are_in_the_order_of_lengths_and_hold_none_twice(n_words):
    for seed in range(40):
        for positions in examples(n_words, seed):
            assert len(positions) == len(set(positions)) == 5
            assert all(type(position) is int for position in positions)
            drawn_lengths = [n_words[position] for position in positions]
            assert drawn_lengths == sorted(drawn_lengths)


def test_with_ties_the_lengths_are_those_of_the_parts():
    n_words = [*[1] * 100, *[2] * 100, *[3] * 100, *[4] * 100, *[5] * 100]
    n_words = np.random.default_rng(0).permutation(n_words).tolist()
    for seed in range(40):
        lengths = [[n_words[q] for q in positions] for positions in examples(n_words, seed)]
        assert lengths == [[1] * 5, [3] * 5, [5] * 5]


@pytest.mark.parametrize(("n", "size"), [(3, 1), (8, 2), (14, 4), (15, 5), (16, 5), (1_000, 5)])
def test_there_are_five_examples_or_a_third_of_all(n, size):
    assert [len(positions) for positions in examples(range(1, n + 1), 0)] == [size] * 3


@pytest.mark.parametrize("n", [1, 2])
def test_of_one_or_two_texts_the_parts_are_texts_of_them(n):
    for positions in examples(range(1, n + 1), 0):
        assert set(positions) <= set(range(n))
        assert len(positions) <= 1


def test_the_same_random_numbers_draw_the_same_texts_and_others_others():
    n_words = [*range(1, 401)]
    assert examples(n_words, 1) == examples(n_words, 1)
    assert examples(n_words, 1) != examples(n_words, 2)
