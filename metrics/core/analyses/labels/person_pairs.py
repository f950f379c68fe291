"""Agreement of each two annotators on the pairs that both labelled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from metrics.core.agreement.kappas import cohen_kappas
from metrics.core.statistics.intervals import Z_95, score_interval


class AnnotatorLabels(NamedTuple):
    """N labels, one at most of an annotator on a pair.

    pair : (N,) 0..P-1; annotator : (N,) 0..A-1; grade : (N,) one of the domain
    is_planned : (N,) asked for whatever the other labels of the pair were
    """

    pair: NDArray[np.int64]
    annotator: NDArray[np.int64]
    grade: NDArray[np.int64]
    is_planned: NDArray[np.bool_]


class PersonPairs(NamedTuple):
    """Agreement of K pairs of annotators, all that labelled a pair in common, in ascending order.

    first, second : (K,) the two annotators, first < second
    n, n_equal : (K,) pairs that have a planned label of both, and those with equal grades
    share, low, high : (K,) n_equal / n with Wilson's 95 % interval; NaN where n is 0
    kappa : (K,) Cohen's, of the planned labels; NaN where both used one grade only, and without any
    weighted_kappa : (K,) the same with a disagreement that grows with the square of the distance
        of the grades' positions; None where grades have no order
    n_all, n_all_equal : (K,) as n and n_equal, of all labels
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    n: NDArray[np.int64]
    n_equal: NDArray[np.int64]
    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kappa: NDArray[np.float64]
    weighted_kappa: NDArray[np.float64] | None
    n_all: NDArray[np.int64]
    n_all_equal: NDArray[np.int64]


class _Confusions(NamedTuple):
    """Confusions of K pairs of annotators.

    code : (K,) ascending, first * A + second, the first one being smaller
    tables : (K, V, V) pairs with the v-th grade by the first and the w-th by the second annotator
    """

    code: NDArray[np.int64]
    tables: NDArray[np.int64]


def agreement_by_person(
    labels: AnnotatorLabels, *, n_annotators: int, domain: NDArray[np.int64], has_order: bool
) -> PersonPairs:
    """Agreement of each two annotators, which takes one sparse product and no loop over people.

    domain : (V,) all grades, ascending; has_order : whether their distances mean anything

    Cohen 1960, doi:10.1177/001316446002000104; quadratic weights: Cohen 1968, doi:10.1037/h0026256.
    """
    whole = _confusions(labels, n_annotators, domain)
    is_planned = labels.is_planned
    planned_labels = AnnotatorLabels(
        pair=labels.pair[is_planned],
        annotator=labels.annotator[is_planned],
        grade=labels.grade[is_planned],
        is_planned=is_planned[is_planned],
    )
    planned = _confusions(planned_labels, n_annotators, domain)
    tables = np.zeros_like(whole.tables)
    tables[np.searchsorted(whole.code, planned.code)] = planned.tables
    n, n_equal = tables.sum(axis=(1, 2)), np.trace(tables, axis1=1, axis2=2)
    share, low, high = np.full((3, len(n)), np.nan)
    is_known = n > 0
    share[is_known] = n_equal[is_known] / n[is_known]
    low[is_known], high[is_known] = score_interval(
        share[is_known], n[is_known].astype(np.float64), Z_95
    )
    low[is_known & (n_equal == 0)] = 0  # exact, where rounding would leave 1e-17
    high[is_known & (n_equal == n)] = 1
    return PersonPairs(
        first=whole.code // max(n_annotators, 1),
        second=whole.code % max(n_annotators, 1),
        n=n,
        n_equal=n_equal,
        share=share,
        low=low,
        high=high,
        kappa=cohen_kappas(tables),
        weighted_kappa=cohen_kappas(tables, weights="quadratic") if has_order else None,
        n_all=whole.tables.sum(axis=(1, 2)),
        n_all_equal=np.trace(whole.tables, axis1=1, axis2=2),
    )


def _confusions(
    labels: AnnotatorLabels, n_annotators: int, domain: NDArray[np.int64]
) -> _Confusions:
    n_values = len(domain)
    # a row an annotator and grade, a column a pair: the product counts pairs of labels
    row = labels.annotator * n_values + np.searchsorted(domain, labels.grade)
    has_several = np.bincount(labels.pair, minlength=1)[labels.pair] > 1
    pair = np.unique(labels.pair[has_several], return_inverse=True)[1].ravel()
    shape = (n_annotators * n_values, int(pair.max(initial=-1)) + 1)
    table = sparse.csr_array(
        (np.ones(len(pair), dtype=np.int64), (row[has_several], pair)), shape=shape
    )
    product = (table @ table.T).tocoo()
    first, first_value = np.divmod(product.row.astype(np.int64), n_values)
    second, second_value = np.divmod(product.col.astype(np.int64), n_values)
    is_above = first < second
    code, position = np.unique((first * n_annotators + second)[is_above], return_inverse=True)
    tables = np.zeros((len(code), n_values, n_values), dtype=np.int64)
    tables[position.ravel(), first_value[is_above], second_value[is_above]] = product.data[is_above]
    return _Confusions(code, tables)
