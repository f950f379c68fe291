"""What one annotator said of one pair, over time: a chain of labels of which the last counts."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
NO_TIME = np.iinfo(np.int64).min  # a label that nobody knows the time of
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Said(NamedTuple):
    """One label of a chain: the key of its level, and when it was given in microseconds since 1970 or NO_TIME."""

    level: int
    at: int


class Labels(NamedTuple):
    """Labels in the order in which they were given, (N,) each: of which chain, which level, when."""

    chain: Numbers
    level: Numbers
    at: Numbers

    def by_chain(self) -> tuple[list[Said], Numbers]:
        """The labels chain by chain, and where each chain begins and the last one ends."""
        order = np.argsort(self.chain, kind="stable")
        n_chains = int(self.chain.max(initial=-1)) + 1
        said = list(map(Said, self.level[order].tolist(), self.at[order].tolist()))
        return said, np.searchsorted(self.chain[order], np.arange(n_chains + 1))


def microseconds(at: datetime | None) -> int:
    """A moment as a number; NO_TIME for none."""
    return NO_TIME if at is None else (at - _EPOCH) // _MICROSECOND


def moment(at: int) -> datetime | None:
    """The moment a number stands for, in UTC; None for NO_TIME."""
    return None if at == NO_TIME else _EPOCH + at * _MICROSECOND


def number_groups(*columns: Numbers) -> Numbers:
    """Which group each row belongs to: rows with equal cells are one, and groups are numbered as they come, from 0.

    columns : (N,) each, at least one
    """
    groups = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, codes = np.unique(column, return_inverse=True)
        # numbered densely after each column: the product stays below N squared
        _, groups = np.unique(groups * (len(values) + 1) + codes, return_inverse=True)
    _, first, groups = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[groups]


def places(groups: Numbers) -> Numbers:
    """How many rows before it belong to each row's group, (N,)."""
    order = np.argsort(groups, kind="stable")
    begins = np.searchsorted(groups[order], groups[order])
    found = np.empty(len(groups), dtype=np.int64)
    found[order] = np.arange(len(groups)) - begins
    return found


def before(groups: Numbers) -> Numbers:
    """The row of the same group that comes last before each row, -1 where there is none, (N,)."""
    order = np.argsort(groups, kind="stable")
    found = np.full(len(groups), -1, dtype=np.int64)
    is_later = groups[order][1:] == groups[order][:-1]
    found[order[1:][is_later]] = order[:-1][is_later]
    return found


def ends(groups: Numbers) -> Numbers:
    """The last row of each group, in the groups' order."""
    found = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(found, groups, np.arange(len(groups)))
    return found


def overlap(stored: Sequence[Said], said: Sequence[Said]) -> int:
    """How many of a file's first labels are the last stored ones; a label without a time equals one with any."""
    for n in range(min(len(stored), len(said)), 0, -1):
        ends = zip(stored[-n:], said[:n], strict=True)
        if all(old.level == new.level and new.at in (NO_TIME, old.at) for old, new in ends):
            return n
    return 0


def n_known(stored: Labels, file: Labels, n_chains: int) -> Numbers:
    """How many of each chain's first labels in a file are stored already, (n_chains,)."""
    known = np.zeros(n_chains, dtype=np.int64)
    if not len(stored.chain):
        return known
    (old, old_ends), (new, new_ends) = stored.by_chain(), file.by_chain()
    for chain in np.intersect1d(stored.chain, file.chain).tolist():
        known[chain] = overlap(old[old_ends[chain] : old_ends[chain + 1]], new[new_ends[chain] : new_ends[chain + 1]])
    return known
