"""Moves of scores when only some of the runs, or teams, are pooled, inside and outside the pool."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.measures import Measure
from metrics.core.pools.bias import bias_of_size
from metrics.core.pools.partial_labels import LabelsByOrigin, Subset, values_with_labels
from metrics.core.statistics.groups import Groups


class SizeBias(NamedTuple):
    """Mean distance of a score under the labels of some of S runs from that under all.

    by_team : whether whole teams are pooled; size : runs, or teams; n_subsets : of this size
    n_runs : pooled, in the mean over the subsets
    bias : over all runs; self_bias : over those of the subset; non_self_bias : over the runs
        outside, None where there is none
    """

    by_team: bool
    size: int
    n_subsets: int
    n_runs: float
    bias: float
    self_bias: float
    non_self_bias: float | None


class SmallerPool(NamedTuple):
    """Some of the runs, or of the teams; members : (S,) mask over the runs."""

    by_team: bool
    size: int
    members: NDArray[np.bool_]


def pool_choices(
    subsets: Sequence[Subset], team_subsets: Sequence[Subset], teams: Sequence[int]
) -> list[SmallerPool]:
    """The subsets of S runs, and those of T teams as their runs; teams : (S,) 0, 1, ..."""
    choices = [SmallerPool(False, subset.size, subset.members) for subset in subsets]
    team = np.asarray(teams, dtype=np.int64)
    return choices + [SmallerPool(True, some.size, some.members[team]) for some in team_subsets]


def bias_by_size(
    ranked_runs: Iterable[RankedGrades],
    labels: LabelsByOrigin,
    is_brought: NDArray[np.bool_],
    *,
    choices: Sequence[SmallerPool],
    measure: Measure,
    threshold: float,
    groups: Groups,
) -> list[SizeBias]:
    """Score S runs under the labels that each choice of them brought, and compare with all labels.

    ranked_runs : aligned with `labels.as_labels()`, one at a time; is_brought : (S, L)
    Labels that no run brought count in every choice; where people's label is taken away the
    reference's comes back. Choices in which a score is not finite are left out. ECCV Caption (Chun
    et al. 2022), Eq. E.5 and Figure E.2.
    """
    brought_by_none = np.asarray(~is_brought.any(axis=0))
    everything = np.ones(len(brought_by_none), dtype=bool)
    # the same runs may be chosen one by one and as teams
    distinct = {choice.members.tobytes(): choice.members for choice in choices}
    masks = [
        np.asarray(brought_by_none | is_brought[members].any(axis=0))
        for members in distinct.values()
    ]
    rows = []
    for rankings in ranked_runs:
        scores = [
            measure.average(
                values_with_labels(rankings, labels, mask, [measure], threshold)[0],
                weight=groups.weight,
            )
            for mask in (everything, *masks)
        ]
        rows.append(scores)
    scores_by_mask = np.array(rows).reshape(len(is_brought), -1).T
    with np.errstate(invalid="ignore"):  # of two infinite ones
        changes = np.abs(scores_by_mask[1:] - scores_by_mask[0])
    row_of = {key: row for row, key in enumerate(distinct)}
    return size_biases(choices, changes[[row_of[choice.members.tobytes()] for choice in choices]])


def size_biases(choices: Sequence[SmallerPool], changes: NDArray[np.float64]) -> list[SizeBias]:
    """The means of the finite choices of each kind and size; changes : (C, S) of C choices."""
    biases = []
    for by_team, size in dict.fromkeys((choice.by_team, choice.size) for choice in choices):
        of_size = [
            number
            for number, choice in enumerate(choices)
            if (choice.by_team, choice.size) == (by_team, size)
            and np.isfinite(changes[number]).all()
        ]
        if not of_size:
            continue
        members = np.array([choices[number].members for number in of_size])
        bias = bias_of_size(size, changes[of_size], members)
        outside = None if np.isnan(bias.non_self_bias) else bias.non_self_bias
        n_runs = float(members.sum(axis=1).mean())
        means = (bias.bias, bias.self_bias, outside)
        biases.append(SizeBias(by_team, size, len(of_size), n_runs, *means))
    return biases
