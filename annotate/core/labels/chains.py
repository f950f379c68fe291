"""One annotator's labels of one pair over time: a chain, of which the last label counts."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
NO_TIME = np.iinfo(np.int64).min  # the time of a label without a known time
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class TimedLabel(NamedTuple):
    """One label of a chain: its level's key, and its time in microseconds since 1970 or NO_TIME."""

    level: int
    at: int


class TimedLabels(NamedTuple):
    """Labels in the order of judging, (N,) each: chain, level and time."""

    chain: Numbers
    level: Numbers
    at: Numbers

    def by_chain(self) -> tuple[list[TimedLabel], Numbers]:
        """The labels chain by chain, and each chain's first index, with the end as the last."""
        order = np.argsort(self.chain, kind="stable")
        n_chains = int(self.chain.max(initial=-1)) + 1
        labels = list(map(TimedLabel, self.level[order].tolist(), self.at[order].tolist()))
        return labels, np.searchsorted(self.chain[order], np.arange(n_chains + 1))


def microseconds(at: datetime | None) -> int:
    """Microseconds from 1970 to a moment; NO_TIME for None."""
    return NO_TIME if at is None else (at - _EPOCH) // _MICROSECOND


def moment(at: int) -> datetime | None:
    """The moment of a number of microseconds since 1970, in UTC; None for NO_TIME."""
    return None if at == NO_TIME else _EPOCH + at * _MICROSECOND


def number_groups(*columns: Numbers) -> Numbers:
    """Group number of each row: rows with equal cells share one; numbered by first row, from 0.

    columns : (N,) each, at least one
    """
    groups = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, codes = np.unique(column, return_inverse=True)
        # numbered densely after each column: the product stays below N squared
        _, groups = np.unique(groups * (len(values) + 1) + codes, return_inverse=True)
    _, first, groups = np.unique(groups, return_index=True, return_inverse=True)
    group_numbers = np.empty(len(first), dtype=np.int64)
    group_numbers[np.argsort(first)] = np.arange(len(first))
    return group_numbers[groups]


def positions_in_group(groups: Numbers) -> Numbers:
    """Position of each row within its group, from 0, (N,)."""
    order = np.argsort(groups, kind="stable")
    group_starts = np.searchsorted(groups[order], groups[order])
    positions = np.empty(len(groups), dtype=np.int64)
    positions[order] = np.arange(len(groups)) - group_starts
    return positions


def previous_in_group(groups: Numbers) -> Numbers:
    """Index of the previous row of the same group, -1 for the first of a group, (N,)."""
    order = np.argsort(groups, kind="stable")
    previous = np.full(len(groups), -1, dtype=np.int64)
    has_previous = groups[order][1:] == groups[order][:-1]
    previous[order[1:][has_previous]] = order[:-1][has_previous]
    return previous


def last_rows(groups: Numbers) -> Numbers:
    """Index of each group's last row, in the groups' order."""
    last = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(last, groups, np.arange(len(groups)))
    return last


def overlap(stored_labels: Sequence[TimedLabel], new_labels: Sequence[TimedLabel]) -> int:
    """Number of first new labels that equal the last stored ones; NO_TIME equals any time."""
    for n in range(min(len(stored_labels), len(new_labels)), 0, -1):
        label_pairs = zip(stored_labels[-n:], new_labels[:n], strict=True)
        if all(old.level == new.level and new.at in (NO_TIME, old.at) for old, new in label_pairs):
            return n
    return 0


def n_stored_labels(stored_labels: TimedLabels, file: TimedLabels, n_chains: int) -> Numbers:
    """Number of first labels of each chain in a file that are stored already, (n_chains,)."""
    n_stored = np.zeros(n_chains, dtype=np.int64)
    if not len(stored_labels.chain):
        return n_stored
    (old, old_ends), (new, new_ends) = stored_labels.by_chain(), file.by_chain()
    for chain in np.intersect1d(stored_labels.chain, file.chain).tolist():
        n_stored[chain] = overlap(
            old[old_ends[chain] : old_ends[chain + 1]], new[new_ends[chain] : new_ends[chain + 1]]
        )
    return n_stored
