"""What answers to pairs of known grade say: of a batch, and of the golds themselves."""

from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
N_GOOD = 3  # good people who must have answered a gold before it can be flagged
N_TELLING = 4  # golds on fewer than which nobody fails: of two, one slip would be half


class GoldStandings(NamedTuple):
    """How golds were answered, (N,) each, in the order of the golds asked about.

    n, n_wrong : answers, and wrong ones; n_good, n_good_wrong : those of good people
    is_flagged : whether most good people got it wrong, of N_GOOD at least
    """

    n: Whole
    n_wrong: Whole
    n_good: Whole
    n_good_wrong: Whole
    is_flagged: NDArray[np.bool_]


def is_failed(*, n_right: int, n: int, smallest: Decimal) -> bool:
    """Whether too few golds are right; never on fewer than N_TELLING, which say too little.

    smallest : share in [0, 1] that must be right; reached is enough
    """
    return n >= N_TELLING and n_right < smallest * n


def standings(
    golds: Whole, *, gold: Whole, person: Whole, is_right: NDArray[np.bool_], smallest: float
) -> GoldStandings:
    """How each of the golds was answered, and which ones most good people fail.

    golds : (N,) distinct keys of the golds asked about
    gold, person, is_right : (M,) each answer: of which gold, by whom, whether right; one answer a person and gold
    smallest : share of right answers that makes a good person, in [0, 1]
    Good about a gold is who has at least that share right of all *other* golds that she answered, and answered another:
    her answer to this one does not speak for or against her.
    """
    people, who = np.unique(person, return_inverse=True)
    n_others = np.bincount(who, minlength=len(people))[who] - 1
    n_others_right = np.bincount(who, weights=is_right, minlength=len(people))[who] - is_right
    is_good = (n_others > 0) & (n_others_right >= smallest * n_others - 1e-9)
    order = np.argsort(golds)
    place = np.searchsorted(golds[order], gold)
    known = place < len(golds)
    known[known] = golds[order][place[known]] == gold[known]
    at = order[place[known]]

    def count(mask: NDArray[np.bool_]) -> Whole:
        return np.bincount(at, weights=mask[known], minlength=len(golds)).astype(np.int64)

    n_good, n_good_wrong = count(is_good), count(is_good & ~is_right)
    return GoldStandings(
        n=count(np.ones(len(gold), dtype=bool)),
        n_wrong=count(~is_right),
        n_good=n_good,
        n_good_wrong=n_good_wrong,
        is_flagged=(n_good >= N_GOOD) & (2 * n_good_wrong > n_good),
    )
