"""Krippendorff's alpha with its interval, and percent agreement under its three names.

Krippendorff, Computing Krippendorff's alpha-reliability, 2011. Equals the PyPI package krippendorff
0.9 on every level where that package has an answer; where it raises (no unit with two labels, one
value throughout) the answer here is None with a reason.
"""

import hashlib
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from metrics.core.counts import UnitCounts, annotations, count_units
from metrics.core.resampling import REPLICATES_A_BLOCK, resamples

N_REPLICATES = 1_000
_CELLS_A_BLOCK = 4_000_000


class MeasurementLevel(StrEnum):
    """How values are compared."""

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


class GroupedUnits(NamedTuple):
    """Units by group and kind: n units of a kind in a group, such as the pairs of one query.

    group : (R,) any whole numbers; kind : (R,) rows of `UnitCounts.counts`; n : (R,) whole numbers
    """

    group: NDArray[np.int64]
    kind: NDArray[np.int64]
    n: NDArray[np.int64]

    @classmethod
    def of(cls, counts: NDArray[np.int64], group: NDArray[np.int64], unit_counts: UnitCounts) -> Self:
        """Group the units with two labels or more, from (U, V) counts of values and (U,) groups.

        unit_counts : the same units by their kinds
        """
        is_pairable = counts.sum(axis=1) >= 2
        if not is_pairable.any():
            return cls(*np.zeros((3, 0), dtype=np.int64))
        rows, row = np.unique(counts[is_pairable], axis=0, return_inverse=True)
        number_of_kind = {tuple(kind): number for number, kind in enumerate(unit_counts.counts.tolist())}
        kind = np.array([number_of_kind[tuple(row_counts)] for row_counts in rows.tolist()], dtype=np.int64)
        return cls(group[is_pairable], kind[row.ravel()], np.ones(int(np.count_nonzero(is_pairable)), dtype=np.int64))


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
    return alpha_of_counts(unit_counts, level=level, n_replicates=n_replicates, confidence=confidence, seed=seed)


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
    options = {"n_replicates": n_replicates, "confidence": confidence, "seed": seed, "grouped_units": grouped_units}
    return alphas_of_counts(unit_counts, levels=[level], **options)[MeasurementLevel(level)]


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
    labels_a_unit = unit_counts.counts.sum(axis=1)
    pairable = (labels_a_unit >= 2) & (unit_counts.frequency > 0)
    kinds = UnitCounts(unit_counts.counts[pairable], unit_counts.frequency[pairable], unit_counts.values)
    common = Alpha(
        value=None,
        reason=_reason_undefined(kinds),
        level=MeasurementLevel.NOMINAL,
        n_units=int(unit_counts.frequency[labels_a_unit > 0].sum()),
        n_labels=int(unit_counts.frequency @ labels_a_unit),
        n_pairable_units=int(kinds.frequency.sum()),
        n_pairable_labels=int(kinds.frequency @ labels_a_unit[pairable]),
    )
    alphas = {level: common._replace(level=level) for level in map(MeasurementLevel, levels)}
    for level in alphas:
        _refuse_values(unit_counts, level)
    if common.reason:
        return alphas
    groups = _pairable_groups(grouped_units, pairable) if grouped_units else None
    frequencies, n_informative = kinds.frequency[None, :].astype(float), _n_informative(kinds, groups)
    alphas = {
        level: alpha._replace(value=float(_alphas(kinds, frequencies, level)[0]), n_informative=n_informative)
        for level, alpha in alphas.items()
    }
    if not n_replicates or (groups is not None and not groups.group.any()):
        return alphas
    samples = _Samples(kinds, groups, n_replicates, seed)
    replicates = samples.alphas(list(alphas))
    return {level: samples.interval(alpha, replicates[level], confidence) for level, alpha in alphas.items()}


def alpha_of_coincidences(coincidences: NDArray[np.float64], values: NDArray[Any], level: MeasurementLevel) -> float | None:
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
    return float(1 - (n_labels - 1) * np.sum(coincidences * distance) / expected) if expected > 0 else None


def percent_agreement(unit_counts: UnitCounts) -> PercentAgreement:
    """Agreement without correction for chance, under its three names."""
    size = unit_counts.counts.sum(axis=1)
    pairable = size >= 2
    counts, frequency, size = unit_counts.counts[pairable], unit_counts.frequency[pairable], size[pairable]
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


def _refuse_values(unit_counts: UnitCounts, level: MeasurementLevel) -> None:
    """Raise ValueError for words, infinities and negative ratios where a level cannot use them."""
    if level in (MeasurementLevel.NOMINAL, MeasurementLevel.ORDINAL):
        return
    used = unit_counts.values[unit_counts.counts.any(axis=0)] if len(unit_counts.counts) else unit_counts.values[:0]
    if used.dtype.kind not in "biuf" or not np.isfinite(used.astype(np.float64)).all():
        raise ValueError(f"The {level} level compares finite numbers alone.")
    if level is MeasurementLevel.RATIO and used.astype(np.float64).min(initial=0) < 0:
        raise ValueError("The ratio level needs values from 0 up; use the interval level for negative ones.")


def _reason_undefined(kinds: UnitCounts) -> str:
    """Return why alpha is undefined, "" where it is defined."""
    if not len(kinds.frequency):
        return "no unit has two labels yet"
    if np.count_nonzero(kinds.counts.sum(axis=0)) < 2:
        return "every label has the same value, so chance agreement is complete"
    return ""


def _sorted_kinds(kinds: UnitCounts) -> tuple[UnitCounts, NDArray[np.int64]]:
    """Sort the distinct kinds, without unused values; also (P,) the position of each kind."""
    used = kinds.counts.any(axis=0)
    rows, position = np.unique(kinds.counts[:, used], axis=0, return_inverse=True)
    frequency = np.bincount(position.ravel(), weights=kinds.frequency, minlength=len(rows)).astype(np.int64)
    return UnitCounts(rows, frequency, kinds.values[used]), position.ravel()


def _seed_of(kinds: UnitCounts) -> int:
    """A hash of sorted kinds."""
    checksum = hashlib.sha256(repr(kinds.counts.shape).encode())
    for column in (kinds.counts, kinds.frequency):
        checksum.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
    return int.from_bytes(checksum.digest()[:7], "big")  # short enough to be typed, and a whole number for JSON


def _alphas(kinds: UnitCounts, weights: NDArray[np.float64], level: MeasurementLevel) -> NDArray[np.float64]:
    """(B,) alpha of B weightings (B, P) of the kinds of units; NaN where only one value is left."""
    counts = kinds.counts.astype(np.float64)
    used = counts.any(axis=0)
    counts, values = counts[:, used], kinds.values[used]
    marginals = weights @ counts
    n_labels = marginals.sum(axis=1)
    if level is MeasurementLevel.NOMINAL:
        observed = weights @ _unequal_pairs(counts)
        expected = n_labels**2 - np.square(marginals).sum(axis=1)
    elif level is MeasurementLevel.RATIO:
        distance = _ratio_distances(values.astype(np.float64))
        observed = weights @ (np.einsum("pc,pc->p", counts @ distance, counts) / (counts.sum(axis=1) - 1))
        expected = np.einsum("bc,bc->b", marginals @ distance, marginals)
    else:
        position = _positions_on_a_line(values, marginals, level)
        observed = np.einsum("bp,pb->b", weights, _squared_distances(counts, position))
        expected = 2 * (n_labels * np.sum(marginals * position**2, axis=1) - np.sum(marginals * position, axis=1) ** 2)
    return 1 - (n_labels - 1) * np.divide(observed, expected, out=np.full(len(weights), np.nan), where=expected > 0)


def _unequal_pairs(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    size = counts.sum(axis=1)
    return (size**2 - np.square(counts).sum(axis=1)) / (size - 1)


def _positions_on_a_line(values: NDArray[Any], marginals: NDArray[np.float64], level: MeasurementLevel) -> NDArray[np.float64]:
    """(B, V) coordinates whose squared differences are Krippendorff's distances.

    On the ordinal level a value stands at the middle of its ranks, so its position follows the
    marginals of the sample at hand; unused values have no width and change nothing.
    """
    if level is MeasurementLevel.ORDINAL:
        return np.cumsum(marginals, axis=1) - marginals / 2
    number = values.astype(np.float64)
    return np.broadcast_to(number - np.round(number.mean()), marginals.shape)


def _squared_distances(counts: NDArray[np.float64], position: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P, B) sums of squared distances of a unit's pairs, over m - 1: 2 (m Q - S^2) / (m - 1)."""
    size = counts.sum(axis=1)[:, None]
    return 2 * (size * (counts @ np.square(position).T) - np.square(counts @ position.T)) / (size - 1)


def _ratio_distances(number: NDArray[np.float64]) -> NDArray[np.float64]:
    difference, total = number[:, None] - number[None, :], number[:, None] + number[None, :]
    return np.square(np.divide(difference, total, out=np.zeros_like(difference), where=total != 0))


def _pairable_groups(grouped_units: GroupedUnits, pairable: NDArray[np.bool_]) -> GroupedUnits | None:
    """The groups, from 0, with their pairable units by pairable kind.

    None where each group holds one unit.
    """
    keep = pairable[grouped_units.kind] & (grouped_units.n > 0)
    kind = (np.cumsum(pairable) - 1)[grouped_units.kind[keep]]
    group, n = np.unique(grouped_units.group[keep], return_inverse=True)[1].reshape(-1), grouped_units.n[keep]
    return None if (np.bincount(group, weights=n) == 1).all() else GroupedUnits(group, kind, n)


def _n_informative(kinds: UnitCounts, groups: GroupedUnits | None) -> int:
    """Number of groups, or units, with a label beside the commonest value (on a tie the lowest)."""
    commonest = int(np.argmax(kinds.frequency @ kinds.counts))
    is_informative = np.count_nonzero(np.delete(kinds.counts, commonest, axis=1), axis=1) > 0
    return int(kinds.frequency[is_informative].sum() if groups is None else len(np.unique(groups.group[is_informative[groups.kind]])))


class _Samples:
    """Samples of as many units, or groups of them, as there are."""

    def __init__(self, kinds: UnitCounts, groups: GroupedUnits | None, n_replicates: int, seed: int | None) -> None:
        """groups : numbered from 0; None draws single units."""
        self._kinds, position = _sorted_kinds(kinds)
        self._n_replicates = n_replicates
        self._groups = None if groups is None else _sorted_by_content(groups, position)
        usual_seed = _seed_of(self._kinds) if self._groups is None else self._groups.shape[0]
        self.seed = usual_seed if seed is None else seed

    def alphas(self, levels: list[MeasurementLevel]) -> dict[MeasurementLevel, NDArray[np.float64]]:
        """(n_replicates,) alpha of each sample, NaN where it is undefined."""
        replicates: dict[MeasurementLevel, list[NDArray[np.float64]]] = {level: [] for level in levels}
        for weights in self._weights():
            for level in levels:
                replicates[level].append(_alphas(self._kinds, weights, level))
        return {level: np.concatenate(blocks) for level, blocks in replicates.items()}

    def _weights(self) -> Iterator[NDArray[np.float64]]:
        """(B, P) how many units of each kind are in each sample, some samples at a time."""
        if self._groups is not None:
            group_counts = resamples(self._groups.shape[0], self._n_replicates, seed=self.seed)
            for start in range(0, self._n_replicates, REPLICATES_A_BLOCK):
                block = group_counts[start : start + REPLICATES_A_BLOCK].T.astype(np.float64)
                yield (self._groups.T @ block).T
            return
        rng, n_units = np.random.default_rng(self.seed), int(self._kinds.frequency.sum())
        share = self._kinds.frequency / n_units  # drawing units is a multinomial draw of their kinds
        block = max(1, _CELLS_A_BLOCK // len(share))
        for start in range(0, self._n_replicates, block):
            yield rng.multinomial(n_units, share, size=min(block, self._n_replicates - start)).astype(np.float64)

    def interval(self, alpha: Alpha, replicates: NDArray[np.float64], confidence: float) -> Alpha:
        """Alpha with the interval that its samples give."""
        defined = replicates[~np.isnan(replicates)]
        low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]) if len(defined) else (None, None)
        return alpha._replace(
            low=None if low is None else float(low),
            high=None if high is None else float(high),
            n_replicates=len(replicates),
            n_undefined_replicates=len(replicates) - len(defined),
            seed=self.seed,
            n_groups=None if self._groups is None else self._groups.shape[0],
        )


def _sorted_by_content(groups: GroupedUnits, position: NDArray[np.int64]) -> sparse.csr_array:
    """(G, P) number of units of each kind in each group; the order of groups depends on it alone.

    position : (P,) of each kind among the sorted kinds
    """
    n_kinds = int(position.max()) + 1
    table = sparse.csr_array((groups.n.astype(np.float64), (groups.group, position[groups.kind])))
    table.resize(table.shape[0], n_kinds)
    # Groups with equal marks hold the same, but for a chance of 1 in 2**50; their order among
    # themselves is no matter.
    marks = np.random.default_rng(n_kinds).integers(0, 1 << 20, size=(n_kinds, 3)).astype(np.float64)
    return table[np.lexsort((table @ marks).T)]
