"""Batches that fail their golds, and golds that most good people fail, beside plain Python."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.labels.golds import MIN_GOOD_ANNOTATORS, gold_statistics, is_failed

ANSWERS = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, 8)), st.booleans(), max_size=50
)


@pytest.mark.parametrize(
    ("n_right", "n", "smallest", "failed"),
    [
        (0, 0, "1", False),
        (0, 4, "0", False),
        (2, 4, "0.5", False),
        (2, 4, "0.75", True),
        (3, 4, "0.75", False),
        (4, 6, "0.6667", True),
        (4, 6, "0.6666", False),
        (4, 4, "1", False),
        (0, 3, "1", False),
        (0, 2, "0.75", False),
    ],
)
def test_a_batch_fails_when_fewer_than_the_smallest_share_are_right(n_right, n, smallest, failed):
    assert is_failed(n_right=n_right, n=n, min_share=Decimal(smallest)) is failed


def naive_statistics(gold, answers, smallest):
    """n, n_wrong, n_good, n_good_wrong, is_flagged, counted one by one."""
    mine = {person: right for (of, person), right in answers.items() if of == gold}
    good = {}
    for person, right in mine.items():
        other_answers = [
            is_right for (of, other), is_right in answers.items() if other == person and of != gold
        ]
        if other_answers and sum(other_answers) / len(other_answers) >= smallest:
            good[person] = right
    n_wrong, n_good_wrong = (
        sum(not right for right in answers_by_person.values()) for answers_by_person in (mine, good)
    )
    is_flagged = len(good) >= MIN_GOOD_ANNOTATORS and n_good_wrong / len(good) > 0.5
    return len(mine), n_wrong, len(good), n_good_wrong, is_flagged


@given(ANSWERS, st.sampled_from([0, 0.25, 0.5, 0.75, 1]), st.permutations(range(5)))
def test_golds_stand_as_counted_one_by_one(answers, smallest, golds):
    statistics = gold_statistics(
        np.array(golds),
        gold=np.array([of for of, _ in answers], dtype=int),
        person=np.array([person for _, person in answers], dtype=int),
        is_right=np.array(list(answers.values()), dtype=bool),
        min_share=smallest,
    )
    assert [tuple(row) for row in zip(*statistics, strict=True)] == [
        naive_statistics(gold, answers, smallest) for gold in golds
    ]


def test_who_is_wrong_about_one_gold_alone_is_still_a_good_person_about_it():
    answers = {(gold, person): gold != 1 for gold in (1, 2, 3) for person in range(3)}
    assert naive_statistics(1, answers, 0.75) == (3, 3, 3, 3, True)
