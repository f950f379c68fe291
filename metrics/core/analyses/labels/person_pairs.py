"""Agreement of each two annotators on the pairs that both labelled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from metrics.core.agreement.kappas import cohen_kappas
from metrics.core.statistics.grouped_shares import GroupedCounts, share_intervals

MOST_ROWS = 1_000_000  # pairs of labels that are sorted at a time: some 60 MB


class AnnotatorLabels(NamedTuple):
    """N labels, one at most of an annotator on a pair.

    pair : (N,) 0..P-1; annotator : (N,) 0..A-1; grade : (N,) one of the domain
    is_planned : (N,) asked for whatever the other labels of the pair were
    group : (N,) 0..G-1, that of the pair's query: intervals draw whole groups
    """

    pair: NDArray[np.int64]
    annotator: NDArray[np.int64]
    grade: NDArray[np.int64]
    is_planned: NDArray[np.bool_]
    group: NDArray[np.int64]

    def of(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> "AnnotatorLabels":
        """Some of the labels, by a mask or by their places."""
        numbers = self.pair[rows], self.annotator[rows], self.grade[rows]
        return AnnotatorLabels(*numbers, self.is_planned[rows], self.group[rows])


class PersonPairs(NamedTuple):
    """Agreement of K pairs of annotators, all that labelled a pair in common, in ascending order.

    first, second : (K,) the two annotators, first < second
    n, n_equal : (K,) pairs that have a planned label of both, and those with equal grades
    share, low, high : (K,) n_equal / n with its 95 % interval for other groups of queries like
        these; NaN where n is 0, an end also where there is no interval
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
    Intervals: see `share_intervals`.
    """
    whole = _confusions(labels, n_annotators, domain)
    planned_labels = labels.of(labels.is_planned)
    planned = _confusions(planned_labels, n_annotators, domain)
    position = np.searchsorted(whole.code, planned.code)
    tables = np.zeros_like(whole.tables)
    tables[position] = planned.tables
    n, n_equal = tables.sum(axis=(1, 2)), np.trace(tables, axis1=1, axis2=2)
    share, low, high = np.full((3, len(n)), np.nan)
    share[n > 0] = n_equal[n > 0] / n[n > 0]
    low[position], high[position] = intervals_by_group(
        planned_labels, planned.code, n_annotators=n_annotators
    )
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


def intervals_by_group(
    labels: AnnotatorLabels, code: NDArray[np.int64], *, n_annotators: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(K,) lower and upper ends of the shares of equal grades of each two annotators.

    code : (K,) ascending, first * A + second, of all two who labelled a pair, first < second

    Some annotators at a time are the first of the two, so that memory is bounded.
    """
    order = np.lexsort((labels.annotator, labels.pair))
    labels = labels.of(order)
    # behind a label stand those of its pair by greater annotators
    n_behind = np.searchsorted(labels.pair, labels.pair, side="right") - np.arange(len(order)) - 1
    n_rows = np.bincount(labels.annotator, n_behind, n_annotators).astype(np.int64)
    part = ((np.cumsum(n_rows) - n_rows) // MOST_ROWS)[labels.annotator]
    by_part = np.argsort(part, kind="stable")
    by_part = by_part[n_behind[by_part] > 0]
    low, high = np.full((2, len(code)), np.nan)
    for first in np.split(by_part, np.flatnonzero(np.diff(part[by_part])) + 1):
        counts = counts_by_group(labels, first, n_behind[first], code, n_annotators)
        if len(counts.share):
            # codes of the same first annotators stand together
            start, end = int(counts.share.min()), int(counts.share.max()) + 1
            own_counts = counts._replace(share=counts.share - start)
            low[start:end], high[start:end] = share_intervals(own_counts, n_shares=end - start)
    return low, high


def counts_by_group(
    labels: AnnotatorLabels,
    first: NDArray[np.int64],
    n_behind: NDArray[np.int64],
    code: NDArray[np.int64],
    n_annotators: int,
) -> GroupedCounts:
    """Count pairs and equal grades of each two annotators by group; a share is a place in `code`.

    first : (F,) labels, each compared with the n_behind (F,) that come next, of the same pair and
        greater annotators
    """
    n_groups = int(labels.group.max(initial=0)) + 1
    cell = 2 * (labels.annotator * n_groups + labels.group)
    n_cells = 2 * n_annotators * n_groups
    # places of the second labels, the values of the first ones
    start = np.cumsum(n_behind) - n_behind
    second = np.repeat(first + 1 - start, n_behind) + np.arange(int(n_behind.sum()))
    row = cell[second] + np.repeat(labels.annotator[first] * n_cells, n_behind)
    row += labels.grade[second] == np.repeat(labels.grade[first], n_behind)
    row.sort()  # of whole numbers: faster than to number the cells
    is_equal, row = row & 1, row >> 1
    start = np.flatnonzero(np.append(True, row[1:] != row[:-1])[: len(row)])
    return GroupedCounts(
        share=np.searchsorted(code, row[start] // n_groups),
        n=np.diff(start, append=len(row)),
        n_right=np.add.reduceat(is_equal, start),
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
