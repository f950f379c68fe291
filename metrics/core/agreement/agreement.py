"""Krippendorff's alpha with its interval, and percent agreement under its three names.

Krippendorff, Computing Krippendorff's alpha-reliability, 2011. Equals the PyPI package krippendorff
0.9 on every level where that package has an answer; where it raises (no unit with two labels, one
value throughout) the answer here is None with a reason.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.core.agreement.counts import UnitCounts, annotations, count_units
from metrics.core.agreement.unit_samples import GroupedUnits, UnitSamples, pairable_groups

N_REPLICATES = 1_000


class MeasurementLevel(StrEnum):
    """The level of measurement, by which values are compared."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


class Alpha(NamedTuple):
    """Krippendorff's alpha of a set of labels.

    value : at most 1; 0 is agreement by chance. None where undefined, with the reason in words
    low, high : percentile bootstrap interval over units, or over groups of them; None where not
        requested or undefined, and where all units are of one group; seed : of its samples
    n_groups : groups that were resampled; None where single units were
    n_units, n_labels : units and labels that came in, each annotator once a unit
    n_pairable_units, n_pairable_labels : those of units with two labels or more: what alpha rests
        on
    n_undefined_replicates : bootstrap samples in which alpha is undefined; they are left out of the
        interval
    n_informative : groups or single units (whichever an interval would resample) that hold a label
        beside the commonest value, among the units with two labels or more; all others are alike
    """

    value: float | None
    reason: str
    level: MeasurementLevel
    n_units: int
    n_labels: int
    n_pairable_units: int
    n_pairable_labels: int
    low: float | None = None
    high: float | None = None
    n_replicates: int = 0
    n_undefined_replicates: int = 0
    seed: int | None = None
    n_groups: int | None = None
    n_informative: int = 0


class PercentAgreement(NamedTuple):
    """Three numbers that are all called "percent agreement", over units with two labels or more.

    unanimous_units : share of units whose labels are all equal (FIRE's agreement rate)
    mean_of_units : mean over units of the share of equal pairs of labels (Fleiss' P)
    observed : 1 - observed nominal disagreement: each unit weighs by its labels (Krippendorff)

    All are None where no unit has two labels.
    """

    unanimous_units: float | None
    mean_of_units: float | None
    observed: float | None
    n_units: int


def alpha(
    unit: ArrayLike,
    annotator: ArrayLike,
    value: ArrayLike,
    *,
    level: MeasurementLevel | str,
    domain: ArrayLike | None = None,
    n_replicates: int = 0,
    confidence: float = 0.95,
    seed: int | None = None,
) -> Alpha:
    """Krippendorff's alpha of labels in long form.

    unit, annotator, value : (N,) in order of arrival; of one annotator's labels on one unit the
        last counts
    domain : ordered value domain for the ordinal level, where it is not the ascending order of the
        values
    n_replicates : bootstrap samples of units for the interval, usually N_REPLICATES
    seed : of the samples; default: a hash of the sorted counts, so that the same labels have the
        same interval, wherever and in whatever order they come
    """
    unit_counts = count_units(annotations(unit, annotator, value, domain=domain))
    return alpha_of_counts(
        unit_counts, level=level, n_replicates=n_replicates, confidence=confidence, seed=seed
    )


def alpha_of_counts(
    unit_counts: UnitCounts,
    *,
    level: MeasurementLevel | str,
    n_replicates: int = 0,
    confidence: float = 0.95,
    seed: int | None = None,
    grouped_units: GroupedUnits | None = None,
) -> Alpha:
    """Krippendorff's alpha from the counts of values a unit; see `alphas_of_counts`."""
    alphas = alphas_of_counts(
        unit_counts,
        levels=[level],
        n_replicates=n_replicates,
        confidence=confidence,
        seed=seed,
        grouped_units=grouped_units,
    )
    return alphas[MeasurementLevel(level)]


def alphas_of_counts(
    unit_counts: UnitCounts,
    *,
    levels: Iterable[MeasurementLevel | str] = tuple(MeasurementLevel),
    n_replicates: int = 0,
    confidence: float = 0.95,
    seed: int | None = None,
    grouped_units: GroupedUnits | None = None,
) -> dict[MeasurementLevel, Alpha]:
    """Krippendorff's alpha on some levels from the counts of values a unit.

    All intervals share the same samples.
    n_replicates, confidence : as in `alpha`
    grouped_units : the groups whose units resemble one another, such as the pairs of one query or
        of the captions of one video: whole groups are drawn, those with a unit of two labels or
        more. None, and groups of one such unit each, draw single units.
    seed : default: where units are drawn a hash of the counts, where groups are drawn their number
    """
    pairable = (unit_counts.counts.sum(axis=1) >= 2) & (unit_counts.frequency > 0)
    kinds = UnitCounts(
        unit_counts.counts[pairable], unit_counts.frequency[pairable], unit_counts.values
    )
    common = _unit_facts(unit_counts, kinds)
    alphas = {level: common._replace(level=level) for level in map(MeasurementLevel, levels)}
    for level in alphas:
        _refuse_values(unit_counts, level)
    if common.reason:
        return alphas
    groups = pairable_groups(grouped_units, pairable) if grouped_units else None
    frequencies = kinds.frequency[None, :].astype(float)
    n_informative = _n_informative(kinds, groups)
    alphas = {
        level: alpha._replace(
            value=float(_alphas(kinds, frequencies, level)[0]), n_informative=n_informative
        )
        for level, alpha in alphas.items()
    }
    if not n_replicates or (groups is not None and not groups.group.any()):
        return alphas
    samples = UnitSamples(kinds, groups, n_replicates, seed)
    replicates: dict[MeasurementLevel, list[NDArray[np.float64]]] = {level: [] for level in alphas}
    for weights in samples.weights():
        for level in alphas:
            replicates[level].append(_alphas(samples.kinds, weights, level))
    return {
        level: _with_interval(alpha, samples, np.concatenate(replicates[level]), confidence)
        for level, alpha in alphas.items()
    }


def alpha_of_coincidences(
    coincidences: NDArray[np.float64], values: NDArray[Any], level: MeasurementLevel
) -> float | None:
    """Krippendorff's alpha of a (V, V) coincidence matrix; None where undefined."""
    marginals = coincidences.sum(axis=1)
    n_labels = marginals.sum()
    if level is MeasurementLevel.NOMINAL:
        distance = 1 - np.eye(len(values))
    elif level is MeasurementLevel.RATIO:
        distance = _ratio_distances(values.astype(np.float64))
    else:
        position = _positions_on_a_line(values, marginals[None, :], level)[0]
        distance = np.square(position[:, None] - position[None, :])
    expected = marginals @ distance @ marginals
    return (
        float(1 - (n_labels - 1) * np.sum(coincidences * distance) / expected)
        if expected > 0
        else None
    )


def percent_agreement(unit_counts: UnitCounts) -> PercentAgreement:
    """Agreement without correction for chance, under its three names."""
    size = unit_counts.counts.sum(axis=1)
    pairable = size >= 2
    counts, frequency = unit_counts.counts[pairable], unit_counts.frequency[pairable]
    size = size[pairable]
    n_units = int(frequency.sum())
    if not n_units:
        return PercentAgreement(None, None, None, 0)
    equal_pairs = (counts * (counts - 1)).sum(axis=1) / (size - 1)
    return PercentAgreement(
        unanimous_units=float(frequency @ (counts.max(axis=1) == size) / n_units),
        mean_of_units=float(frequency @ (equal_pairs / size) / n_units),
        observed=float(frequency @ equal_pairs / (frequency @ size)),
        n_units=n_units,
    )


def _unit_facts(unit_counts: UnitCounts, kinds: UnitCounts) -> Alpha:
    """An alpha without its value: the numbers of units and labels, and why it is undefined.

    kinds : those of units with two labels or more
    """
    reason = ""
    if not len(kinds.frequency):
        reason = "no unit has two labels yet"
    elif np.count_nonzero(kinds.counts.sum(axis=0)) < 2:
        reason = "every label has the same value, so chance agreement is complete"
    labels_a_unit = unit_counts.counts.sum(axis=1)
    return Alpha(
        value=None,
        reason=reason,
        level=MeasurementLevel.NOMINAL,
        n_units=int(unit_counts.frequency[labels_a_unit > 0].sum()),
        n_labels=int(unit_counts.frequency @ labels_a_unit),
        n_pairable_units=int(kinds.frequency.sum()),
        n_pairable_labels=int(kinds.frequency @ kinds.counts.sum(axis=1)),
    )


def _refuse_values(unit_counts: UnitCounts, level: MeasurementLevel) -> None:
    """Raise ValueError for words, infinities and negative ratios where a level cannot use them."""
    if level in (MeasurementLevel.NOMINAL, MeasurementLevel.ORDINAL):
        return
    values = (
        unit_counts.values[unit_counts.counts.any(axis=0)]
        if len(unit_counts.counts)
        else unit_counts.values[:0]
    )
    if values.dtype.kind not in "biuf" or not np.isfinite(values.astype(np.float64)).all():
        raise ValueError(f"The {level} level compares finite numbers alone.")
    if level is MeasurementLevel.RATIO and values.astype(np.float64).min(initial=0) < 0:
        raise ValueError(
            "The ratio level needs values from 0 up; use the interval level for negative ones."
        )


def _alphas(
    kinds: UnitCounts, weights: NDArray[np.float64], level: MeasurementLevel
) -> NDArray[np.float64]:
    """(B,) alpha of B weightings (B, P) of the kinds of units; NaN where only one value is left."""
    counts = kinds.counts.astype(np.float64)
    is_used = counts.any(axis=0)
    counts, values = counts[:, is_used], kinds.values[is_used]
    marginals = weights @ counts
    n_labels, size = marginals.sum(axis=1), counts.sum(axis=1)
    if level is MeasurementLevel.NOMINAL:
        observed = weights @ ((size**2 - np.square(counts).sum(axis=1)) / (size - 1))
        expected = n_labels**2 - np.square(marginals).sum(axis=1)
    elif level is MeasurementLevel.RATIO:
        distance = _ratio_distances(values.astype(np.float64))
        observed = weights @ (np.einsum("pc,pc->p", counts @ distance, counts) / (size - 1))
        expected = np.einsum("bc,bc->b", marginals @ distance, marginals)
    else:
        position = _positions_on_a_line(values, marginals, level)
        # (P, B) sums of squared distances of a unit's pairs, over m - 1: 2 (m Q - S^2) / (m - 1)
        m = size[:, None]
        squares = 2 * (m * (counts @ np.square(position).T) - np.square(counts @ position.T))
        observed = np.einsum("bp,pb->b", weights, squares / (m - 1))
        expected = 2 * (
            n_labels * np.sum(marginals * position**2, axis=1)
            - np.sum(marginals * position, axis=1) ** 2
        )
    return 1 - (n_labels - 1) * np.divide(
        observed, expected, out=np.full(len(weights), np.nan), where=expected > 0
    )


def _positions_on_a_line(
    values: NDArray[Any], marginals: NDArray[np.float64], level: MeasurementLevel
) -> NDArray[np.float64]:
    """(B, V) coordinates whose squared differences are Krippendorff's distances.

    On the ordinal level a value stands at the middle of its ranks, so its position follows the
    marginals of the sample at hand; unused values have no width and change nothing.
    """
    if level is MeasurementLevel.ORDINAL:
        return np.cumsum(marginals, axis=1) - marginals / 2
    number = values.astype(np.float64)
    return np.broadcast_to(number - np.round(number.mean()), marginals.shape)


def _ratio_distances(number: NDArray[np.float64]) -> NDArray[np.float64]:
    difference, total = number[:, None] - number[None, :], number[:, None] + number[None, :]
    return np.square(np.divide(difference, total, out=np.zeros_like(difference), where=total != 0))


def _n_informative(kinds: UnitCounts, groups: GroupedUnits | None) -> int:
    """Number of groups, or units, with a label other than the commonest (of equals the lowest)."""
    commonest = int(np.argmax(kinds.frequency @ kinds.counts))
    is_informative = np.count_nonzero(np.delete(kinds.counts, commonest, axis=1), axis=1) > 0
    return int(
        kinds.frequency[is_informative].sum()
        if groups is None
        else len(np.unique(groups.group[is_informative[groups.kind]]))
    )


def _with_interval(
    alpha: Alpha, samples: UnitSamples, replicates: NDArray[np.float64], confidence: float
) -> Alpha:
    """Alpha with the interval that its samples give.

    replicates : (B,) alpha of each sample, NaN where it is undefined
    """
    alphas = replicates[~np.isnan(replicates)]
    low, high = (
        np.quantile(alphas, [(1 - confidence) / 2, (1 + confidence) / 2])
        if len(alphas)
        else (None, None)
    )
    return alpha._replace(
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        n_replicates=len(replicates),
        n_undefined_replicates=len(replicates) - len(alphas),
        seed=samples.seed,
        n_groups=samples.n_groups,
    )
