"""Counts of values a unit, from labels in long form: agreement depends on nothing else."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_TABLE_BITS = 18  # kinds of units are counted in a table of at most this many bits, else sorted


class CodedLabels(NamedTuple):
    """Labels in long form, coded, each annotator counted once a unit.

    unit, annotator, value : (N,) int64 codes into units, annotators, values
    units, annotators, values : the distinct originals, ascending; `values` is the ordered value
        domain
    n_repeated : labels dropped because the same annotator labelled the same unit again later
    """

    unit: NDArray[np.int64]
    annotator: NDArray[np.int64]
    value: NDArray[np.int64]
    units: NDArray[Any]
    annotators: NDArray[Any]
    values: NDArray[Any]
    n_repeated: int


class UnitCounts(NamedTuple):
    """The kinds of units and their frequencies; units of one kind have equal counts of values.

    Agreement cannot tell apart units with the same counts of values.
    counts : (P, V) int64, distinct rows; counts[p, v] labels of value v on each unit of kind p
    frequency : (P,) int64 number of units of the kind
    values : (V,) the ordered value domain
    """

    counts: NDArray[np.int64]
    frequency: NDArray[np.int64]
    values: NDArray[Any]


def annotations(
    unit: ArrayLike, annotator: ArrayLike, value: ArrayLike, *, domain: ArrayLike | None = None
) -> CodedLabels:
    """Code labels given in order of arrival.

    unit, annotator, value : (N,) ids and values of any sortable type. A missing label is a missing
        row. Of several labels by one annotator on one unit the last counts.
    domain : the ordered value domain, where unused values or an order other than ascending matter;
        default: the values used, ascending

    Raises ValueError where a value stands outside `domain`, is NaN, or where the lengths differ.
    """
    unit, annotator, value = np.asarray(unit), np.asarray(annotator), np.asarray(value)
    if not len(unit) == len(annotator) == len(value):
        raise ValueError("unit, annotator and value must have the same length.")
    if value.dtype.kind == "f" and np.isnan(value).any():
        raise ValueError("A value is NaN; leave missing labels out.")
    units, unit_code = _code(unit)
    annotators, annotator_code = _code(annotator)
    values, value_code = (
        _code(value) if domain is None else _code_by_domain(value, np.asarray(domain))
    )
    is_last = _is_last_of_key(unit_code * max(len(annotators), 1) + annotator_code)
    return CodedLabels(
        unit_code[is_last],
        annotator_code[is_last],
        value_code[is_last],
        units,
        annotators,
        values,
        len(unit) - int(np.count_nonzero(is_last)),
    )


def keep_labels(labels: CodedLabels, rows: NDArray[np.int64]) -> CodedLabels:
    """Some of the labels, over the same units, annotators and values."""
    return labels._replace(
        unit=labels.unit[rows], annotator=labels.annotator[rows], value=labels.value[rows]
    )


def count_units(labels: CodedLabels) -> UnitCounts:
    """Group units by their counts of values.

    Units with one label are kept as kinds of their own.
    """
    n_values = max(len(labels.values), 1)
    has_several, table = counts_of_several(labels)
    kinds = group(table, labels.values)
    single_labels = np.bincount(labels.value[~has_several[labels.unit]], minlength=n_values)
    values = np.flatnonzero(single_labels)
    return UnitCounts(
        np.concatenate([kinds.counts, np.eye(n_values, dtype=np.int64)[values]]),
        np.concatenate([kinds.frequency, single_labels[values]]),
        labels.values,
    )


def counts_of_several(labels: CodedLabels) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """(U,) whether each unit has two labels or more, and (R, V) counts of values of those units."""
    n_values = max(len(labels.values), 1)
    has_several = np.bincount(labels.unit, minlength=len(labels.units)) > 1
    inside = has_several[labels.unit]
    row = (np.cumsum(has_several) - 1)[labels.unit[inside]]
    n_rows = int(np.count_nonzero(has_several))
    table = np.bincount(row * n_values + labels.value[inside], minlength=n_rows * n_values)
    return has_several, table.reshape(n_rows, n_values)


def group(counts: NDArray[Any], values: ArrayLike) -> UnitCounts:
    """The distinct rows of a (U, V) table of counts, with how often each occurs."""
    base = int(counts.max(initial=0)) + 1
    n_values = counts.shape[1]
    bits = n_values * np.log2(base)
    if bits >= 62:
        kinds, frequency = np.unique(counts, axis=0, return_counts=True)
        return UnitCounts(kinds.astype(np.int64), frequency, np.asarray(values))
    digit = base ** np.arange(n_values, dtype=np.int64)
    key = np.zeros(len(counts), dtype=np.int64)  # one number a row, its counts being the digits
    for column, unit in zip(counts.T, digit, strict=True):
        key += column * unit
    if bits <= _TABLE_BITS:
        frequency = np.bincount(key, minlength=1)
        distinct_keys = np.flatnonzero(frequency)
        frequency = frequency[distinct_keys]
    else:
        distinct_keys, frequency = np.unique(key, return_counts=True)
    return UnitCounts(distinct_keys[:, None] // digit % base, frequency, np.asarray(values))


def _code(items: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct items, ascending, and each item's index.

    Ids in a narrow range are coded without sorting.
    """
    if items.dtype.kind in "iub" and len(items):
        low, high = int(items.min()), int(items.max())
        if high - low < 4 * len(items) + 1024:
            offset = items.astype(np.int64) - low
            is_used = np.zeros(high - low + 1, dtype=bool)
            is_used[offset] = True
            present = np.flatnonzero(is_used)
            if len(present) == len(is_used):
                return (present + low).astype(items.dtype), offset
            return (present + low).astype(items.dtype), (np.cumsum(is_used) - 1)[offset]
    distinct, code = np.unique(items, return_inverse=True)
    return distinct, code.astype(np.int64)


def _code_by_domain(
    items: NDArray[Any], domain: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    order = np.argsort(domain, kind="stable")
    index = np.minimum(np.searchsorted(domain[order], items), len(domain) - 1)
    code = order[index]
    if np.any(domain[code] != items):
        foreign = items[domain[code] != items][0]
        raise ValueError(f"The value {foreign!r} is outside the value domain {domain.tolist()}.")
    return domain, code


def _is_last_of_key(key: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True where a row is the last with its key."""
    order = np.argsort(key, kind="stable")
    ascending_keys = key[order]
    is_last = np.ones(len(key), dtype=bool)
    is_last[order[:-1][ascending_keys[1:] == ascending_keys[:-1]]] = False
    return is_last
