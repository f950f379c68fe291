"""Labels of pairs, the grades that they resolved to, and agreement: by pool, and of all pairs."""

from collections.abc import Sequence
from enum import IntEnum
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement.agreement import (
    N_REPLICATES,
    Alpha,
    MeasurementLevel,
    alpha_of_counts,
    percent_agreement,
)
from metrics.core.agreement.counts import group
from metrics.core.agreement.unit_samples import GroupedUnits
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import Interval, mean_intervals


class PairOutcome(IntEnum):
    """The outcome of a pair's labels: a grade, or the reason why it has none."""

    UNLABELLED = 0
    GRADED = 1
    DISPUTED = 2
    ESCALATED = 3
    WAITING = 4


class PairOutcomes(NamedTuple):
    """The outcomes of P pairs.

    outcome : (P,) values of PairOutcome; grade : (P,) read where the outcome is a grade
    group : (P,) any whole number for the group of the pair's query: intervals draw whole groups
    """

    outcome: NDArray[np.int64]
    grade: NDArray[np.int64]
    group: NDArray[np.int64]


class RoundLabels(NamedTuple):
    """N labels of P pairs, each of another annotator or another pair.

    pair : (N,) 0..P-1; grade : (N,) one of the domain
    round : (N,) the key of the round that asked for it
    is_planned : (N,) asked for whatever the other labels of the pair were
    is_by_program : (N,) given by a model or a simulation
    """

    pair: NDArray[np.int64]
    grade: NDArray[np.int64]
    round: NDArray[np.int64]
    is_planned: NDArray[np.bool_]
    is_by_program: NDArray[np.bool_]


class PoolMembers(NamedTuple):
    """The pairs of a pool, or of another part of the collection.

    round : the key of its own round; None where no round is its own
    pair : (n,) its pairs, 0..P-1, each once
    """

    name: str
    kind: str
    round: int | None
    pair: NDArray[np.int64]


class PairAgreement(NamedTuple):
    """Agreement of the pairs with two labels or more.

    n_pairs : how many there are
    unanimous : the share of those whose labels are all equal; None without pairs
    interval : of that share at 95 %, for other groups of queries like these; none where there are
        fewer than two groups
    alpha : Krippendorff's
    """

    n_pairs: int
    unanimous: float | None
    interval: Interval
    alpha: Alpha


class PoolLabels(NamedTuple):
    """Counts of a pool's pairs and of their labels, and how far these agree.

    n_by_outcome : pairs by their outcome; they sum to n_pairs
    n_positive : of those with a grade, those whose grade reaches the threshold
    n_labels : of its pairs, whoever asked for them; n_own_labels : asked for by its own round, None
        where it has none; n_program_labels : of models and simulations
    planned, whole : agreement of planned labels, with an interval of alpha, and of all labels
    """

    name: str
    kind: str
    n_pairs: int
    n_by_outcome: dict[PairOutcome, int]
    n_positive: int
    n_labels: int
    n_own_labels: int | None
    n_program_labels: int
    planned: PairAgreement
    whole: PairAgreement


def labels_by_pool(
    pools: Sequence[PoolMembers],
    pairs: PairOutcomes,
    labels: RoundLabels,
    *,
    threshold: int,
    domain: NDArray[np.int64],
    level: MeasurementLevel | str,
) -> list[PoolLabels]:
    """Describe the pairs and labels of each pool; a pair of several counts in each.

    threshold : the smallest grade of a positive; domain : (V,) all grades, ascending
    level : of measurement, by which alpha compares grades

    FIRE (Rodriguez et al. 2022), Table 2: its "Percent" is the share of pairs that resolved to a
    grade, its "Agreement" the share of pairs whose labels are all equal, of pairs with two or more.
    """
    n_pairs, n_values = len(pairs.outcome), len(domain)
    cell = labels.pair * n_values + np.searchsorted(domain, labels.grade)
    counts, planned_counts = (
        np.bincount(cell[mask], minlength=n_pairs * n_values).reshape(n_pairs, n_values)
        for mask in (slice(None), labels.is_planned)
    )
    n_of_programs = np.bincount(labels.pair[labels.is_by_program], minlength=n_pairs)
    is_positive = (pairs.outcome == PairOutcome.GRADED) & (pairs.grade >= threshold)
    describe = partial(pair_agreement, domain=domain, level=level)
    rows = []
    for pool in pools:
        own_pairs = pool.pair
        n_by_outcome = np.bincount(pairs.outcome[own_pairs], minlength=len(PairOutcome)).tolist()
        is_own = np.isin(labels.pair[labels.round == pool.round], own_pairs)
        groups = pairs.group[own_pairs]
        rows.append(
            PoolLabels(
                name=pool.name,
                kind=pool.kind,
                n_pairs=len(own_pairs),
                n_by_outcome=dict(zip(PairOutcome, n_by_outcome, strict=True)),
                n_positive=int(np.count_nonzero(is_positive[own_pairs])),
                n_labels=int(counts[own_pairs].sum()),
                n_own_labels=None if pool.round is None else int(np.count_nonzero(is_own)),
                n_program_labels=int(n_of_programs[own_pairs].sum()),
                planned=describe(planned_counts[own_pairs], groups, n_replicates=N_REPLICATES),
                whole=describe(counts[own_pairs], groups, n_replicates=0),
            )
        )
    return rows


def pair_agreement(
    counts: NDArray[np.int64],
    group_of_pair: NDArray[np.int64],
    *,
    domain: NDArray[np.int64],
    level: MeasurementLevel | str,
    n_replicates: int,
) -> PairAgreement:
    """Agreement of pairs from (P, V) counts of the grades of their labels.

    group_of_pair : (P,) intervals draw whole groups; n_replicates : bootstrap samples for that of
    alpha, 0 for none
    """
    size = counts.sum(axis=1)
    is_shared = size >= 2
    counts, group_of_pair, size = counts[is_shared], group_of_pair[is_shared], size[is_shared]
    kinds = group(counts, domain)
    percent = percent_agreement(kinds)
    is_unanimous = (counts.max(axis=1, initial=0) == size).astype(np.float64)
    (interval,) = mean_intervals(
        is_unanimous[None, :], are_shares=True, groups=Groups.of(group_of_pair)
    )
    return PairAgreement(
        n_pairs=percent.n_units,
        unanimous=percent.unanimous_units,
        interval=interval,
        alpha=alpha_of_counts(
            kinds,
            level=level,
            n_replicates=n_replicates,
            grouped_units=GroupedUnits.of(counts, group_of_pair, kinds),
        ),
    )
