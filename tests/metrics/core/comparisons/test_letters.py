"""Letters of systems: two share one exactly where they do not differ, none is redundant."""

import string
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.comparisons import letters as module
from metrics.core.comparisons.letters import abbreviate, letter, letters
from tests.sizes import cases


def table(k: int, pairs) -> np.ndarray:
    apart = np.zeros((k, k), dtype=bool)
    for i, j in pairs:
        apart[i, j] = apart[j, i] = True
    return apart


def check(apart: np.ndarray) -> list[set[str]]:
    own = [set(system_letters) for system_letters in letters(apart)]
    for i, j in combinations(range(len(apart)), 2):
        assert bool(own[i] & own[j]) != apart[i, j]
    assert all(own)
    return own


def check_none_is_redundant(apart: np.ndarray, own: list[set[str]]) -> None:
    """Without any letter some pair that does not differ would share none."""
    for name in set().union(*own):
        rest = [system_letters - {name} for system_letters in own]
        pairs = combinations(range(len(apart)), 2)
        assert not all(rest) or any(not rest[i] & rest[j] and not apart[i, j] for i, j in pairs)


@st.composite
def verdicts(draw):
    k = draw(st.integers(1, 8))
    return table(k, draw(st.sets(st.sampled_from([*combinations(range(k), 2)] or [None]))) - {None})


@cases(150)
@given(verdicts())
def test_two_share_a_letter_exactly_where_they_do_not_differ(apart):
    check_none_is_redundant(apart, check(apart))


@cases(100)
@given(verdicts())
def test_what_covers_pairs_one_after_another_says_the_same(apart):
    limit, module.MOST_COLUMNS = module.MOST_COLUMNS, 0
    try:
        check_none_is_redundant(apart, check(apart))
    finally:
        module.MOST_COLUMNS = limit


def test_piepho_s_letters_of_a_small_example():
    """Four places of which the first differs from the last two and the second from the last."""
    assert letters(table(4, [(0, 2), (0, 3), (1, 3)])) == [["a"], ["a", "b"], ["b", "c"], ["c"]]
    assert letters(table(3, [])) == [["a"], ["a"], ["a"]]
    assert letters(table(3, combinations(range(3), 2))) == [["a"], ["b"], ["c"]]
    assert letters(table(3, [(0, 1)])) == [["a"], ["b"], ["a", "b"]]


def test_a_letter_whose_pairs_all_share_others_is_dropped():
    """Three places of which no two differ, each two with a place that differs from all else."""
    alike = {(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (1, 4), (2, 4), (0, 5), (2, 5)}
    own = check(table(6, [pair for pair in combinations(range(6), 2) if pair not in alike]))
    assert len(set().union(*own)) == 3


def test_letters_go_on_beyond_z():
    names = [letter(number) for number in range(26 + 26 * 26 + 1)]
    assert names[:26] == list(string.ascii_lowercase)
    assert (names[26], names[27], names[51], names[52], names[701], names[702]) == (
        "aa",
        "ab",
        "az",
        "ba",
        "zz",
        "aaa",
    )
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b", "c", "d"], "abcd"),
        (["z", "aa"], "z,aa"),
        (["b", "c", "d", "e", "f"], "b\N{EN DASH}f"),
        (["y", "z", "aa", "ab", "ac"], "y\N{EN DASH}ac"),
        (["a", "c", "d", "e", "f"], "a…f"),
    ],
)
def test_letters_take_little_space(own, text):
    assert abbreviate(own) == text


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8, 0.97])
def test_129_places_that_differ_at_random_are_lettered_in_moments(share):
    apart = np.triu(np.random.default_rng(0).random((129, 129)) < share, 1)
    begun = time.thread_time()
    check(apart | apart.T)
    assert time.thread_time() - begun < 10  # some .3 seconds
