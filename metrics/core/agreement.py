"""Krippendorff's alpha with its interval, and percent agreement under its three names.

Krippendorff, Computing Krippendorff's alpha-reliability, 2011. Equals the PyPI package krippendorff 0.9 on every
level where that one has an answer; where it raises (no unit with two labels, one value throughout) the answer here is
None with a reason.
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


class Level(StrEnum):
    """How values are compared."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


class Alpha(NamedTuple):
    """Krippendorff's alpha of a set of labels.

    value : at most 1; 0 is agreement by chance. None where undefined, with the reason in words
    low, high : percentile bootstrap interval over units, or over groups of them; None where not asked for or undefined,
        and where all units are of one group; seed : of its samples
    n_groups : groups that were drawn; None where single units were
    n_units, n_labels : units and labels that came in, each annotator once a unit
    n_pairable_units, n_pairable_labels : those of units with two labels or more: what alpha rests on
    n_undefined_replicates : bootstrap samples in which alpha is undefined; they are left out of the interval
    n_informative : what an interval would draw, groups or single units, that holds a label beside the commonest value,
        among the units with two labels or more; all others say the same
    """

    value: float | None
    reason: str
    level: Level
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


class InGroups(NamedTuple):
    """Where the units are whose counts are known: n units of a kind in a group, such as the pairs of one query.

    group : (R,) any whole numbers; kind : (R,) rows of `UnitCounts.counts`; n : (R,) whole numbers
    """

    group: NDArray[np.int64]
    kind: NDArray[np.int64]
    n: NDArray[np.int64]

    @classmethod
    def of(cls, counts: NDArray[np.int64], group: NDArray[np.int64], counted: UnitCounts) -> Self:
        """From (U, V) counts of values a unit and (U,) the group of each, those with two labels or more.

        counted : the same units by their kinds
        """
        several = counts.sum(axis=1) >= 2
        if not several.any():
            return cls(*np.zeros((3, 0), dtype=np.int64))
        rows, row = np.unique(counts[several], axis=0, return_inverse=True)
        place = {tuple(kind): number for number, kind in enumerate(counted.counts.tolist())}
        kind = np.array([place[tuple(each)] for each in rows.tolist()], dtype=np.int64)
        return cls(group[several], kind[row.ravel()], np.ones(int(np.count_nonzero(several)), dtype=np.int64))


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
    level: Level | str,
    domain: ArrayLike | None = None,
    n_replicates: int = 0,
    confidence: float = 0.95,
    seed: int | None = None,
) -> Alpha:
    """Krippendorff's alpha of labels in long form.

    unit, annotator, value : (N,) in the order they came; of one annotator's labels on one unit the last counts
    domain : ordered value domain for the ordinal level, where it is not the ascending order of the values
    n_replicates : bootstrap samples of units for the interval, usually N_REPLICATES
    seed : of the samples; default: a hash of the sorted counts, so that the same labels have the same interval,
        wherever and in whatever order they come
    """
    counted = count_units(annotations(unit, annotator, value, domain=domain))
    return alpha_of_counts(counted, level=level, n_replicates=n_replicates, confidence=confidence, seed=seed)


def alpha_of_counts(
    counted: UnitCounts,
    *,
    level: Level | str,
    n_replicates: int = 0,
    confidence: float = 0.95,
    seed: int | None = None,
    in_groups: InGroups | None = None,
) -> Alpha:
    """Krippendorff's alpha from the counts of values a unit; see `alphas_of_counts`."""
    told = {"n_replicates": n_replicates, "confidence": confidence, "seed": seed, "in_groups": in_groups}
    return alphas_of_counts(counted, levels=[level], **told)[Level(level)]


def alphas_of_counts(
    counted: UnitCounts,
    *,
    levels: Iterable[Level | str] = tuple(Level),
    n_replicates: int = 0,
    confidence: float = 0.95,
    seed: int | None = None,
    in_groups: InGroups | None = None,
) -> dict[Level, Alpha]:
    """Krippendorff's alpha on some levels from the counts of values a unit, with one drawing for the intervals of all.

    n_replicates, confidence : as in `alpha`
    in_groups : the groups whose units resemble one another, such as the pairs of one query or of the captions of one
        video: whole groups are drawn, those with a unit of two labels or more. None, and groups of one such unit each,
        draw single units.
    seed : default: where units are drawn a hash of the counts, where groups are drawn their number
    """
    labels_a_unit = counted.counts.sum(axis=1)
    pairable = (labels_a_unit >= 2) & (counted.frequency > 0)
    kinds = UnitCounts(counted.counts[pairable], counted.frequency[pairable], counted.values)
    common = Alpha(
        value=None,
        reason=_why_undefined(kinds),
        level=Level.NOMINAL,
        n_units=int(counted.frequency[labels_a_unit > 0].sum()),
        n_labels=int(counted.frequency @ labels_a_unit),
        n_pairable_units=int(kinds.frequency.sum()),
        n_pairable_labels=int(kinds.frequency @ labels_a_unit[pairable]),
    )
    found = {level: common._replace(level=level) for level in map(Level, levels)}
    for level in found:
        _refuse_values(counted, level)
    if common.reason:
        return found
    groups = _pairable_groups(in_groups, pairable) if in_groups else None
    everyone, n_informative = kinds.frequency[None, :].astype(float), _n_informative(kinds, groups)
    found = {
        level: alpha._replace(value=float(_alphas(kinds, everyone, level)[0]), n_informative=n_informative)
        for level, alpha in found.items()
    }
    if not n_replicates or (groups is not None and not groups.group.any()):
        return found
    samples = _Samples(kinds, groups, n_replicates, seed)
    replicates = samples.alphas(list(found))
    return {level: samples.interval(alpha, replicates[level], confidence) for level, alpha in found.items()}


def alpha_of_coincidences(coincidences: NDArray[np.float64], values: NDArray[Any], level: Level) -> float | None:
    """Krippendorff's alpha of a (V, V) coincidence matrix; None where undefined."""
    marginals = coincidences.sum(axis=1)
    n_labels = marginals.sum()
    if level is Level.NOMINAL:
        distance = 1 - np.eye(len(values))
    elif level is Level.RATIO:
        distance = _ratio_distances(values.astype(np.float64))
    else:
        place = _places_on_a_line(values, marginals[None, :], level)[0]
        distance = np.square(place[:, None] - place[None, :])
    expected = marginals @ distance @ marginals
    return float(1 - (n_labels - 1) * np.sum(coincidences * distance) / expected) if expected > 0 else None


def percent_agreement(counted: UnitCounts) -> PercentAgreement:
    """Agreement not corrected for chance, under its three names; of `count_units(annotations(...))`."""
    size = counted.counts.sum(axis=1)
    pairable = size >= 2
    counts, frequency, size = counted.counts[pairable], counted.frequency[pairable], size[pairable]
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


def _refuse_values(counted: UnitCounts, level: Level) -> None:
    """Raises ValueError for values that a level cannot compare: words, infinities, and negative numbers as ratios."""
    if level in (Level.NOMINAL, Level.ORDINAL):
        return
    used = counted.values[counted.counts.any(axis=0)] if len(counted.counts) else counted.values[:0]
    if used.dtype.kind not in "biuf" or not np.isfinite(used.astype(np.float64)).all():
        raise ValueError(f"The {level} level compares finite numbers alone.")
    if level is Level.RATIO and used.astype(np.float64).min(initial=0) < 0:
        raise ValueError("The ratio level needs values from 0 up; use the interval level for negative ones.")


def _why_undefined(kinds: UnitCounts) -> str:
    if not len(kinds.frequency):
        return "no unit has two labels yet"
    if np.count_nonzero(kinds.counts.sum(axis=0)) < 2:
        return "every label has the same value, so chance agreement is complete"
    return ""


def _in_order(kinds: UnitCounts) -> tuple[UnitCounts, NDArray[np.int64]]:
    """The kinds once each, ascending, without values that nobody gave, and the place of each kind among them."""
    used = kinds.counts.any(axis=0)
    rows, place = np.unique(kinds.counts[:, used], axis=0, return_inverse=True)
    frequency = np.bincount(place.ravel(), weights=kinds.frequency, minlength=len(rows)).astype(np.int64)
    return UnitCounts(rows, frequency, kinds.values[used]), place.ravel()


def _seed_of(kinds: UnitCounts) -> int:
    """A hash of kinds in order."""
    told = hashlib.sha256(repr(kinds.counts.shape).encode())
    for column in (kinds.counts, kinds.frequency):
        told.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
    return int.from_bytes(told.digest()[:7], "big")  # short enough to be typed, and a whole number for JSON


def _alphas(kinds: UnitCounts, weights: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """(B,) alpha of B weightings (B, P) of the kinds of units; NaN where only one value is left."""
    counts = kinds.counts.astype(np.float64)
    used = counts.any(axis=0)
    counts, values = counts[:, used], kinds.values[used]
    marginals = weights @ counts
    n_labels = marginals.sum(axis=1)
    if level is Level.NOMINAL:
        observed = weights @ _unequal_pairs(counts)
        expected = n_labels**2 - np.square(marginals).sum(axis=1)
    elif level is Level.RATIO:
        distance = _ratio_distances(values.astype(np.float64))
        observed = weights @ (np.einsum("pc,pc->p", counts @ distance, counts) / (counts.sum(axis=1) - 1))
        expected = np.einsum("bc,bc->b", marginals @ distance, marginals)
    else:
        place = _places_on_a_line(values, marginals, level)
        observed = np.einsum("bp,pb->b", weights, _squared_distances(counts, place))
        expected = 2 * (n_labels * np.sum(marginals * place**2, axis=1) - np.sum(marginals * place, axis=1) ** 2)
    return 1 - (n_labels - 1) * np.divide(observed, expected, out=np.full(len(weights), np.nan), where=expected > 0)


def _unequal_pairs(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    size = counts.sum(axis=1)
    return (size**2 - np.square(counts).sum(axis=1)) / (size - 1)


def _places_on_a_line(values: NDArray[Any], marginals: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """(B, V) coordinates whose squared differences are Krippendorff's distances.

    On the ordinal level a value stands at the middle of its ranks, so its place follows the marginals of the sample
    at hand; values nobody used have no width and change nothing.
    """
    if level is Level.ORDINAL:
        return np.cumsum(marginals, axis=1) - marginals / 2
    number = values.astype(np.float64)
    return np.broadcast_to(number - np.round(number.mean()), marginals.shape)


def _squared_distances(counts: NDArray[np.float64], place: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P, B) summed squared distance of a unit's ordered pairs of labels, over m - 1: 2 (m Q - S^2) / (m - 1)."""
    size = counts.sum(axis=1)[:, None]
    return 2 * (size * (counts @ np.square(place).T) - np.square(counts @ place.T)) / (size - 1)


def _ratio_distances(number: NDArray[np.float64]) -> NDArray[np.float64]:
    difference, total = number[:, None] - number[None, :], number[:, None] + number[None, :]
    return np.square(np.divide(difference, total, out=np.zeros_like(difference), where=total != 0))


def _pairable_groups(in_groups: InGroups, pairable: NDArray[np.bool_]) -> InGroups | None:
    """The groups, from 0, with their pairable units by pairable kind; None where each group holds one unit."""
    keep = pairable[in_groups.kind] & (in_groups.n > 0)
    kind = (np.cumsum(pairable) - 1)[in_groups.kind[keep]]
    group, n = np.unique(in_groups.group[keep], return_inverse=True)[1].reshape(-1), in_groups.n[keep]
    return None if (np.bincount(group, weights=n) == 1).all() else InGroups(group, kind, n)


def _n_informative(kinds: UnitCounts, groups: InGroups | None) -> int:
    """Groups, or single units, with a label beside the commonest value; of values as common the lowest is the one."""
    commonest = int(np.argmax(kinds.frequency @ kinds.counts))
    tells = np.count_nonzero(np.delete(kinds.counts, commonest, axis=1), axis=1) > 0
    return int(kinds.frequency[tells].sum() if groups is None else len(np.unique(groups.group[tells[groups.kind]])))


class _Samples:
    """Samples of as many units, or groups of them, as there are."""

    def __init__(self, kinds: UnitCounts, groups: InGroups | None, n_replicates: int, seed: int | None) -> None:
        """groups : numbered from 0; None draws single units."""
        self._kinds, place = _in_order(kinds)
        self._n_replicates = n_replicates
        self._groups = None if groups is None else _in_order_of_content(groups, place)
        usual_seed = _seed_of(self._kinds) if self._groups is None else self._groups.shape[0]
        self.seed = usual_seed if seed is None else seed

    def alphas(self, levels: list[Level]) -> dict[Level, NDArray[np.float64]]:
        """(n_replicates,) alpha of each sample, NaN where it is undefined."""
        found: dict[Level, list[NDArray[np.float64]]] = {level: [] for level in levels}
        for weights in self._weights():
            for level in levels:
                found[level].append(_alphas(self._kinds, weights, level))
        return {level: np.concatenate(blocks) for level, blocks in found.items()}

    def _weights(self) -> Iterator[NDArray[np.float64]]:
        """(B, P) how many units of each kind are in each sample, some samples at a time."""
        if self._groups is not None:
            drawn = resamples(self._groups.shape[0], self._n_replicates, seed=self.seed)
            for start in range(0, self._n_replicates, REPLICATES_A_BLOCK):
                block = drawn[start : start + REPLICATES_A_BLOCK].T.astype(np.float64)
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


def _in_order_of_content(groups: InGroups, place: NDArray[np.int64]) -> sparse.csr_array:
    """(G, P) how many units of each kind each group holds, the groups in an order that hangs on what they hold alone.

    place : (P,) of each kind among the kinds in order
    """
    n_kinds = int(place.max()) + 1
    table = sparse.csr_array((groups.n.astype(np.float64), (groups.group, place[groups.kind])))
    table.resize(table.shape[0], n_kinds)
    # Groups with equal marks hold the same, but for a chance of 1 in 2**50; their order among themselves is no matter.
    marks = np.random.default_rng(n_kinds).integers(0, 1 << 20, size=(n_kinds, 3)).astype(np.float64)
    return table[np.lexsort((table @ marks).T)]
