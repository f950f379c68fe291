"""Agreement in parts: by number of labels, by person and without that person, by any grouping of the units."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.core.agreement import Alpha, Level, PercentAgreement, alpha_of_counts, percent_agreement
from metrics.core.counts import Annotations, UnitCounts, count_units, group, keep_labels


class Part(NamedTuple):
    """Agreement within one part of the labels; `key` says which."""

    key: Any
    alpha: Alpha
    percent: PercentAgreement


class Person(NamedTuple):
    """One annotator's share in the agreement.

    agreement : share of the labels others gave to the same units that equal theirs; None where nobody else labelled
        them
    alpha_without : alpha of everybody else's labels
    drag : alpha_without - alpha of all; above 0 agreement is better without them; None where one of the two is
        undefined
    """

    annotator: Any
    n_labels: int
    n_shared_units: int
    agreement: float | None
    alpha_without: Alpha
    drag: float | None


def by_number_of_labels(labels: Annotations, *, level: Level | str) -> list[Part]:
    """Agreement of the units with exactly 2, 3, ... labels (FIRE, Figure 7). Units with one label are left out."""
    counted = count_units(labels)
    size = counted.counts.sum(axis=1)
    return [_part(int(m), _kinds(counted, size == m), level) for m in np.unique(size[size >= 2])]


def by_group(labels: Annotations, group_of_unit: ArrayLike, *, level: Level | str) -> list[Part]:
    """Agreement within each group of units (query, modality, ...), in ascending order of the groups.

    group_of_unit : (U,) the group of labels.units[u]
    """
    keys, code = np.unique(np.asarray(group_of_unit), return_inverse=True)
    of_label = code[labels.unit]
    order = np.argsort(of_label, kind="stable")
    bounds = np.searchsorted(of_label[order], np.arange(len(keys) + 1))
    return [
        _part(key, count_units(keep_labels(labels, order[bounds[i] : bounds[i + 1]])), level)
        for i, key in enumerate(keys.tolist())
    ]


def by_annotator(labels: Annotations, *, level: Level | str) -> list[Person]:
    """Everybody's share in the agreement, in ascending order of the annotators.

    Leaving one out changes only the units they labelled, so all of it costs about as much as a few whole alphas.
    """
    n_values = max(len(labels.values), 1)
    n_units = len(labels.units)
    table = np.bincount(labels.unit * n_values + labels.value, minlength=n_units * n_values).reshape(n_units, n_values)
    everyone = alpha_of_counts(group(table, labels.values), level=level)
    kinds, kind_of_unit = np.unique(table, axis=0, return_inverse=True)
    frequency = np.bincount(kind_of_unit, minlength=len(kinds))
    order = np.argsort(labels.annotator, kind="stable")
    bounds = np.searchsorted(labels.annotator[order], np.arange(len(labels.annotators) + 1))
    people = []
    for i, annotator in enumerate(labels.annotators.tolist()):
        rows = order[bounds[i] : bounds[i + 1]]
        unit, value = labels.unit[rows], labels.value[rows]
        others = table[unit]
        others[np.arange(len(rows)), value] -= 1
        left = frequency - np.bincount(kind_of_unit[unit], minlength=len(kinds))
        changed = group(others, labels.values)
        without = alpha_of_counts(
            UnitCounts(
                np.concatenate([kinds, changed.counts]), np.concatenate([left, changed.frequency]), labels.values
            ),
            level=level,
        )
        people.append(_person(annotator, others, value, without, everyone))
    return people


def _person(
    annotator: Any, others: NDArray[np.int64], value: NDArray[np.int64], without: Alpha, everyone: Alpha
) -> Person:
    n_others = others.sum(axis=1)
    shared = n_others > 0
    equal = others[np.arange(len(value)), value]
    known = without.value is not None and everyone.value is not None
    return Person(
        annotator=annotator,
        n_labels=len(value),
        n_shared_units=int(np.count_nonzero(shared)),
        agreement=float(equal.sum() / n_others.sum()) if shared.any() else None,
        alpha_without=without,
        drag=without.value - everyone.value if known else None,  # type: ignore[operator]
    )


def _part(key: Any, counted: UnitCounts, level: Level | str) -> Part:
    return Part(key, alpha_of_counts(counted, level=level), percent_agreement(counted))


def _kinds(counted: UnitCounts, which: NDArray[np.bool_]) -> UnitCounts:
    return UnitCounts(counted.counts[which], counted.frequency[which], counted.values)
