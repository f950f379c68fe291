"""Agreement broken down by number of labels, by annotator, and by any grouping of the units."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement.agreement import (
    Alpha,
    MeasurementLevel,
    PercentAgreement,
    alpha_of_counts,
    percent_agreement,
)
from metrics.core.agreement.counts import (
    CodedLabels,
    UnitCounts,
    counts_of_several,
    group,
)
from metrics.core.agreement.unit_samples import GroupedUnits


class PartAgreement(NamedTuple):
    """Agreement within the part of the labels that `key` names."""

    key: Any
    alpha: Alpha
    percent: PercentAgreement


class AnnotatorAgreement(NamedTuple):
    """One annotator's share in the agreement.

    agreement : share of the other annotators' labels on the same units that equal theirs; None
        where nobody else labelled these units
    alpha_without : alpha of all other annotators' labels
    drag : alpha_without - alpha of all; above 0 agreement is better without them; None where one of
        the two is undefined
    """

    annotator: Any
    n_labels: int
    n_shared_units: int
    agreement: float | None
    alpha_without: Alpha
    drag: float | None


def by_number_of_labels(
    labels: CodedLabels,
    *,
    level: MeasurementLevel | str,
    group_of_unit: NDArray[np.int64] | None = None,
    n_replicates: int = 0,
) -> list[PartAgreement]:
    """Agreement of the units with exactly 2, 3, ... labels (FIRE, Figure 7).

    Units with one label are left out.
    group_of_unit : (U,) the group of labels.units[u], for alpha's interval; None draws single units
    n_replicates : bootstrap samples for alpha's interval, 0 for none
    """
    has_several, table = counts_of_several(labels)
    size = table.sum(axis=1)
    group_of_row = None if group_of_unit is None else group_of_unit[has_several]
    parts = []
    for m in np.unique(size):
        rows = table[size == m]
        kinds = group(rows, labels.values)
        grouped_units = (
            None if group_of_row is None else GroupedUnits.of(rows, group_of_row[size == m], kinds)
        )
        alpha = alpha_of_counts(
            kinds, level=level, n_replicates=n_replicates, grouped_units=grouped_units
        )
        parts.append(PartAgreement(int(m), alpha, percent_agreement(kinds)))
    return parts


def by_annotator(labels: CodedLabels, *, level: MeasurementLevel | str) -> list[AnnotatorAgreement]:
    """Each annotator's share in the agreement, in ascending order of the annotators.

    Leaving an annotator out changes only the units they labelled, so this costs about as much as a
    few whole alphas.
    """
    n_values = max(len(labels.values), 1)
    n_units = len(labels.units)
    table = np.bincount(
        labels.unit * n_values + labels.value, minlength=n_units * n_values
    ).reshape(n_units, n_values)
    overall = alpha_of_counts(group(table, labels.values), level=level)
    kinds, kind_of_unit = np.unique(table, axis=0, return_inverse=True)
    frequency = np.bincount(kind_of_unit, minlength=len(kinds))
    order = np.argsort(labels.annotator, kind="stable")
    bounds = np.searchsorted(labels.annotator[order], np.arange(len(labels.annotators) + 1))
    people = []
    for i, annotator in enumerate(labels.annotators.tolist()):
        rows = order[bounds[i] : bounds[i + 1]]
        unit, value = labels.unit[rows], labels.value[rows]
        other_counts = table[unit]
        other_counts[np.arange(len(rows)), value] -= 1
        other_frequency = frequency - np.bincount(kind_of_unit[unit], minlength=len(kinds))
        own_kinds = group(other_counts, labels.values)
        without = alpha_of_counts(
            UnitCounts(
                np.concatenate([kinds, own_kinds.counts]),
                np.concatenate([other_frequency, own_kinds.frequency]),
                labels.values,
            ),
            level=level,
        )
        people.append(_annotator_agreement(annotator, other_counts, value, without, overall))
    return people


def _annotator_agreement(
    annotator: Any,
    other_counts: NDArray[np.int64],
    value: NDArray[np.int64],
    without: Alpha,
    overall: Alpha,
) -> AnnotatorAgreement:
    n_others = other_counts.sum(axis=1)
    is_shared = n_others > 0
    equal = other_counts[np.arange(len(value)), value]
    drag = None
    if without.value is not None and overall.value is not None:
        drag = without.value - overall.value
    return AnnotatorAgreement(
        annotator=annotator,
        n_labels=len(value),
        n_shared_units=int(np.count_nonzero(is_shared)),
        agreement=float(equal.sum() / n_others.sum()) if is_shared.any() else None,
        alpha_without=without,
        drag=drag,
    )
