"""Coefficients of agreement that papers print, of planned labels, of all, by number of labels."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.agreement.agreement import (
    N_REPLICATES,
    Alpha,
    MeasurementLevel,
    PercentAgreement,
    alpha_of_counts,
    alphas_of_counts,
    percent_agreement,
)
from metrics.core.agreement.breakdowns import PartAgreement, by_number_of_labels
from metrics.core.agreement.counts import (
    CodedLabels,
    counts_of_several,
    group,
    keep_labels,
)
from metrics.core.agreement.kappas import cohen_kappas, fleiss_kappa, gold_accuracy, share_of
from metrics.core.agreement.unit_samples import GroupedUnits
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals


class FleissKappa(NamedTuple):
    """Fleiss' kappa of the pairs with the commonest number of labels, the smaller of equals.

    value : None where every label has the same grade
    interval : that of the nominal alpha of these pairs, of which kappa is a function
    n_pairs : that have so many labels; n_labels : on each
    """

    value: float | None
    interval: Interval
    n_pairs: int
    n_labels: int


class MeanCohenKappa(NamedTuple):
    """Cohen's kappa of each two annotators, averaged by the pairs that they have in common.

    value : None where no two annotators used two grades on common pairs
    interval : Student's by groups, of the mean linearised; none where there is one group
    n_people : pairs of annotators with a kappa; n_pairs : common pairs of those, summed
    n_left_out : common pairs of annotators who used one grade alone on them, and have no kappa
    """

    value: float | None
    interval: Interval
    n_people: int
    n_pairs: int
    n_left_out: int


class PartCoefficients(NamedTuple):
    """Agreement of a part of the labels, on the pairs with two labels or more.

    alpha, nominal : Krippendorff's on the level of the scheme, and of bare equality
    percent : agreement without correction for chance; unanimous_interval : of its first share
    fleiss : None where no pair has two labels
    cohen, weighted_cohen : the second with quadratic weights, None where grades have no order
    """

    alpha: Alpha
    nominal: Alpha
    percent: PercentAgreement
    unanimous_interval: Interval
    fleiss: FleissKappa | None
    cohen: MeanCohenKappa
    weighted_cohen: MeanCohenKappa | None


class GoldShares(NamedTuple):
    """Right answers on golds.

    n_right, n : answers; interval : Wilson's of their share, as if each stood by itself
    n_annotators : who answered one; mean, least, most : of the shares of annotators
    """

    n_right: int
    n: int
    interval: Interval
    n_annotators: int
    mean: float
    least: float
    most: float


class AgreementCoefficients(NamedTuple):
    """Coefficients of the planned labels, of all labels, and of all by their number on a pair.

    by_number : in ascending order, alpha with its interval; unanimous_intervals : of each
    """

    planned: PartCoefficients
    whole: PartCoefficients
    by_number: list[PartAgreement]
    unanimous_intervals: list[Interval]


def agreement_coefficients(
    labels: CodedLabels,
    is_planned: NDArray[np.bool_],
    group_of_pair: NDArray[np.int64],
    *,
    level: MeasurementLevel | str,
) -> AgreementCoefficients:
    """Describe agreement by each coefficient, with 95 % intervals by groups of pairs.

    labels : N, whose units are pairs and whose values are all grades in their order
    is_planned : (N,) asked for whatever the other labels of the pair were
    group_of_pair : (U,) of labels.units: whole groups are drawn

    Krippendorff 2011; Cohen 1960, doi:10.1177/001316446002000104; Fleiss 1971,
    doi:10.1037/h0031619.
    """
    planned_labels = keep_labels(labels, np.flatnonzero(is_planned))
    has_several, table = counts_of_several(labels)
    groups, size = group_of_pair[has_several], table.sum(axis=1)
    return AgreementCoefficients(
        planned=_part(planned_labels, group_of_pair, level),
        whole=_part(labels, group_of_pair, level),
        by_number=by_number_of_labels(
            labels, level=level, group_of_unit=group_of_pair, n_replicates=N_REPLICATES
        ),
        unanimous_intervals=[
            _unanimous_interval(table[size == m], groups[size == m]) for m in np.unique(size)
        ],
    )


def gold_shares(annotator: NDArray[np.int64], is_right: NDArray[np.bool_]) -> GoldShares | None:
    """Shares of right answers on golds, of all answers and over annotators; None without any.

    annotator, is_right : (N,) of each answer
    """
    if not len(annotator):
        return None
    shares = [row.accuracy.value for row in gold_accuracy(annotator, is_right)]
    by_person = np.array(shares, dtype=np.float64)
    n_right = int(np.count_nonzero(is_right))
    share = share_of(n_right, len(is_right))
    return GoldShares(
        n_right,
        len(is_right),
        Interval(share.low, share.high),
        len(by_person),
        float(by_person.mean()),
        float(by_person.min()),
        float(by_person.max()),
    )


def mean_cohen_kappa(
    labels: CodedLabels, group_of_pair: NDArray[np.int64], *, weights: str
) -> MeanCohenKappa:
    """Average Cohen's kappa over each two annotators, by the pairs that both labelled.

    group_of_pair : (U,) of labels.units; weights : "nominal" or "quadratic", as in `cohen_kappas`
    """
    n_values, n_people = len(labels.values), len(labels.annotators)
    order = np.lexsort((labels.annotator, labels.unit))
    unit, person, value = (
        column[order] for column in (labels.unit, labels.annotator, labels.value)
    )
    first, second = [], []
    for step in range(1, int(np.bincount(unit, minlength=1).max(initial=0))):
        row = np.flatnonzero(unit[:-step] == unit[step:])
        first.append(row)
        second.append(row + step)
    if not first or not sum(map(len, first)):
        return MeanCohenKappa(None, NO_INTERVAL, 0, 0, 0)
    a, b = np.concatenate(first), np.concatenate(second)
    people, number = np.unique(person[a] * n_people + person[b], return_inverse=True)
    cell = (number.ravel() * n_values + value[a]) * n_values + value[b]
    shape = (len(people), n_values, n_values)
    tables = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
    kappa = cohen_kappas(tables, weights=weights)
    is_defined = np.isfinite(kappa)
    if not is_defined.any():
        return MeanCohenKappa(None, NO_INTERVAL, 0, 0, len(a))
    defined_tables = tables[is_defined]
    n_common = defined_tables.sum(axis=(1, 2))
    mean = float(np.average(kappa[is_defined], weights=n_common))
    counts = is_defined[number.ravel()]
    defined_cell = ((np.cumsum(is_defined) - 1)[number.ravel()] * n_values + value[a]) * n_values
    defined_cell += value[b]
    _, groups = np.unique(group_of_pair[unit[a[counts]]], return_inverse=True)
    distance = np.abs(np.arange(n_values)[:, None] - np.arange(n_values)).astype(np.float64)
    cost = np.minimum(distance, 1) if weights == "nominal" else distance**2
    return MeanCohenKappa(
        mean,
        _kappa_interval(defined_tables, mean, defined_cell[counts], groups.ravel(), cost),
        len(defined_tables),
        int(n_common.sum()),
        len(a) - int(n_common.sum()),
    )


def _kappa_interval(
    tables: NDArray[np.int64],
    mean: float,
    cell: NDArray[np.int64],
    groups: NDArray[np.int64],
    cost: NDArray[np.float64],
) -> Interval:
    """Student's interval of the mean kappa, by the derivative of it to each two labels of a pair.

    tables : (K, V, V) of those with a kappa; cell : (n,) of each two labels in them; groups : (n,)
    cost : (V, V) of a disagreement
    """
    n_groups = int(groups.max(initial=-1)) + 1
    if n_groups < 2:
        return NO_INTERVAL
    n = tables.sum(axis=(1, 2)).astype(np.float64)[:, None, None]
    first, second = tables.sum(axis=2), tables.sum(axis=1)
    observed = np.einsum("kvw,vw->k", tables, cost)[:, None, None]
    of_first, of_second = second @ cost.T, first @ cost  # by chance, for a label of either
    by_chance = np.einsum("kv,kv->k", first, of_first)[:, None, None]
    # of n kappa = n - observed n**2 / by_chance
    slope = 1 - cost * n**2 / by_chance - 2 * observed * n / by_chance
    slope += observed * (n / by_chance) ** 2 * (of_first[:, :, None] + of_second[:, None, :])
    influence = np.bincount(groups, weights=(slope.ravel() - mean)[cell], minlength=n_groups)
    error = np.sqrt(n_groups / (n_groups - 1) * np.sum(influence**2)) / len(cell)
    reach = float(special.stdtrit(n_groups - 1, 0.975) * error)
    return Interval(max(-1.0, mean - reach), min(1.0, mean + reach))


def _part(
    labels: CodedLabels, group_of_pair: NDArray[np.int64], level: MeasurementLevel | str
) -> PartCoefficients:
    has_several, table = counts_of_several(labels)
    groups, kinds = group_of_pair[has_several], group(table, labels.values)
    level = MeasurementLevel(level)
    alphas = alphas_of_counts(
        kinds,
        levels={level, MeasurementLevel.NOMINAL},
        n_replicates=N_REPLICATES,
        grouped_units=GroupedUnits.of(table, groups, kinds),
    )
    nominal = alphas[MeasurementLevel.NOMINAL]
    has_order = level is not MeasurementLevel.NOMINAL
    return PartCoefficients(
        alpha=alphas[level],
        nominal=nominal,
        percent=percent_agreement(kinds),
        unanimous_interval=_unanimous_interval(table, groups),
        fleiss=_fleiss(table, groups, nominal, labels.values),
        cohen=mean_cohen_kappa(labels, group_of_pair, weights="nominal"),
        weighted_cohen=mean_cohen_kappa(labels, group_of_pair, weights="quadratic")
        if has_order
        else None,
    )


def _unanimous_interval(table: NDArray[np.int64], groups: NDArray[np.int64]) -> Interval:
    """The interval of the share of pairs whose labels are all equal, by groups."""
    is_unanimous = (table.max(axis=1, initial=0) == table.sum(axis=1)).astype(np.float64)
    return mean_intervals(is_unanimous[None, :], are_shares=True, groups=Groups.of(groups))[0]


def _fleiss(
    table: NDArray[np.int64], groups: NDArray[np.int64], nominal: Alpha, values: NDArray[Any]
) -> FleissKappa | None:
    """Fleiss' kappa of some rows of a table of counts.

    nominal : alpha of all rows
    """
    if not len(table):
        return None
    size = table.sum(axis=1)
    n_labels = int(np.argmax(np.bincount(size)))
    is_equal = size == n_labels
    rows = table[is_equal]
    kappa = fleiss_kappa(rows)
    if np.isnan(kappa):
        return FleissKappa(None, NO_INTERVAL, len(rows), n_labels)
    if not is_equal.all():
        kinds = group(rows, values)
        nominal = alpha_of_counts(
            kinds,
            level=MeasurementLevel.NOMINAL,
            n_replicates=N_REPLICATES,
            grouped_units=GroupedUnits.of(rows, groups[is_equal], kinds),
        )
    # with N labels in all, as many on each pair: 1 - alpha = (1 - kappa) (N - 1) / N
    n = n_labels * len(rows)
    low, high = (
        None if end is None else 1 - (1 - end) * n / (n - 1) for end in (nominal.low, nominal.high)
    )
    return FleissKappa(kappa, Interval(low, high), len(rows), n_labels)
