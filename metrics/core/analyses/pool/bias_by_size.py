"""Moves of scores when only some of the runs are pooled, inside and outside the pool."""

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
    """Mean distance of a score under the labels of `size` runs from that under all.

    n_subsets : of the runs, of this size
    bias : over all runs; self_bias : over those of the subset; non_self_bias : over the runs
        outside, None where there is none
    """

    size: int
    n_subsets: int
    bias: float
    self_bias: float
    non_self_bias: float | None


def bias_by_size(
    ranked_runs: Iterable[RankedGrades],
    labels: LabelsByOrigin,
    is_brought: NDArray[np.bool_],
    *,
    subsets: Sequence[Subset],
    measure: Measure,
    threshold: float,
    groups: Groups,
) -> list[SizeBias]:
    """Score S runs under the labels that each subset of them brought, and compare with all labels.

    ranked_runs : aligned with `labels.as_labels()`, one at a time; is_brought : (S, L)
    Labels that no run brought count in every subset; where people's label is taken away the
    reference's comes back. Subsets in which a score is not finite are left out. ECCV Caption (Chun
    et al. 2022), Eq. E.5 and Figure E.2.
    """
    brought_by_none = np.asarray(~is_brought.any(axis=0))
    everything = np.ones(len(brought_by_none), dtype=bool)
    masks = [
        np.asarray(brought_by_none | is_brought[subset.members].any(axis=0)) for subset in subsets
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
    changes = np.array(rows).reshape(len(is_brought), -1).T
    with np.errstate(invalid="ignore"):  # of two infinite ones
        changes = np.abs(changes[1:] - changes[0])
    biases = []
    for size in dict.fromkeys(subset.size for subset in subsets):
        of_size = [
            number
            for number, subset in enumerate(subsets)
            if subset.size == size and np.isfinite(changes[number]).all()
        ]
        if not of_size:
            continue
        members = np.array([subsets[number].members for number in of_size])
        bias = bias_of_size(size, changes[of_size], members)
        outside = None if np.isnan(bias.non_self_bias) else bias.non_self_bias
        biases.append(SizeBias(size, len(of_size), bias.bias, bias.self_bias, outside))
    return biases
