"""Batches that fail their golds, and golds that most good people fail, beside plain Python."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.golds import N_GOOD, is_failed, standings

ANSWERS = st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 8)), st.booleans(), max_size=50)


@pytest.mark.parametrize(("n_right", "n", "smallest", "failed"), [
    (0, 0, "1", False), (0, 4, "0", False), (2, 4, "0.5", False), (2, 4, "0.75", True), (3, 4, "0.75", False),
    (4, 6, "0.6667", True), (4, 6, "0.6666", False), (4, 4, "1", False), (0, 3, "1", False), (0, 2, "0.75", False),
])  # fmt: skip
def test_a_batch_fails_when_fewer_than_the_smallest_share_are_right(n_right, n, smallest, failed):
    assert is_failed(n_right=n_right, n=n, smallest=Decimal(smallest)) is failed


def plainly(gold, answers, smallest):
    """n, n_wrong, n_good, n_good_wrong, is_flagged, counted one by one."""
    mine = {who: right for (of, who), right in answers.items() if of == gold}
    good = {}
    for who, right in mine.items():
        others = [said for (of, other), said in answers.items() if other == who and of != gold]
        if others and sum(others) / len(others) >= smallest:
            good[who] = right
    n_wrong, n_good_wrong = (sum(not right for right in each.values()) for each in (mine, good))
    is_flagged = len(good) >= N_GOOD and n_good_wrong / len(good) > 0.5
    return len(mine), n_wrong, len(good), n_good_wrong, is_flagged


@given(ANSWERS, st.sampled_from([0, 0.25, 0.5, 0.75, 1]), st.permutations(range(5)))
def test_golds_stand_as_counted_one_by_one(answers, smallest, golds):
    found = standings(
        np.array(golds), gold=np.array([of for of, _ in answers], dtype=int),
        person=np.array([who for _, who in answers], dtype=int),
        is_right=np.array(list(answers.values()), dtype=bool), smallest=smallest,
    )  # fmt: skip
    assert [tuple(row) for row in zip(*found, strict=True)] == [plainly(gold, answers, smallest) for gold in golds]


def test_who_is_wrong_about_one_gold_alone_is_still_a_good_person_about_it():
    answers = {(gold, who): gold != 1 for gold in (1, 2, 3) for who in range(3)}
    assert plainly(1, answers, 0.75) == (3, 3, 3, 3, True)
