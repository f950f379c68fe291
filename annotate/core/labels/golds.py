"""Statistics of golds, pairs of known grade: does a batch fail them, is a gold itself in doubt?"""

from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
MIN_GOOD_ANNOTATORS = 3  # good people who must have answered a gold before it can be flagged
MIN_GOLDS = 4  # on fewer golds nobody fails: one slip in two would be half


class GoldStatistics(NamedTuple):
    """Answers per gold, (N,) each, in the order of the requested golds.

    n, n_wrong : answers, and wrong ones; n_good, n_good_wrong : those of good annotators
    is_flagged : most good annotators were wrong, of at least MIN_GOOD_ANNOTATORS
    """

    n: Whole
    n_wrong: Whole
    n_good: Whole
    n_good_wrong: Whole
    is_flagged: NDArray[np.bool_]


def is_failed(*, n_right: int, n: int, min_share: Decimal) -> bool:
    """True if too few golds are right; never on fewer than MIN_GOLDS, which prove too little.

    min_share : smallest share of right golds that does not fail, in [0, 1]
    """
    return n >= MIN_GOLDS and n_right < min_share * n


def gold_statistics(
    golds: Whole, *, gold: Whole, person: Whole, is_right: NDArray[np.bool_], min_share: float
) -> GoldStatistics:
    """Count the answers to each gold, and flag the golds that most good annotators fail.

    golds : (N,) distinct keys of the requested golds
    gold, person, is_right : (M,) gold, annotator and correctness of each answer; one answer per
        annotator and gold
    min_share : share of right answers that makes a good annotator, in [0, 1]
    For a gold, an annotator is good if at least this share of her answers to all *other* golds is
    right, and there is such an answer: her answer to this gold does not count for or against her.
    """
    people, person_index = np.unique(person, return_inverse=True)
    n_others = np.bincount(person_index, minlength=len(people))[person_index] - 1
    n_others_right = (
        np.bincount(person_index, weights=is_right, minlength=len(people))[person_index] - is_right
    )
    is_good = (n_others > 0) & (n_others_right >= min_share * n_others - 1e-9)
    order = np.argsort(golds)
    position = np.searchsorted(golds[order], gold)
    is_requested = position < len(golds)
    is_requested[is_requested] = golds[order][position[is_requested]] == gold[is_requested]
    gold_index = order[position[is_requested]]

    def count(mask: NDArray[np.bool_]) -> Whole:
        return np.bincount(gold_index, weights=mask[is_requested], minlength=len(golds)).astype(
            np.int64
        )

    n_good, n_good_wrong = count(is_good), count(is_good & ~is_right)
    return GoldStatistics(
        n=count(np.ones(len(gold), dtype=bool)),
        n_wrong=count(~is_right),
        n_good=n_good,
        n_good_wrong=n_good_wrong,
        is_flagged=(n_good >= MIN_GOOD_ANNOTATORS) & (2 * n_good_wrong > n_good),
    )
