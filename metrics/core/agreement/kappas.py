"""Kappas of the older literature, and the accuracy of annotators on gold."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from metrics.core.statistics.intervals import wilson

WEIGHTS = ("nominal", "linear", "quadratic")


class Share(NamedTuple):
    """A share of n with its confidence interval; value None (and interval 0 to 1) where n is 0."""

    value: float | None
    low: float
    high: float
    n: int


class GoldAccuracy(NamedTuple):
    """Share of gold pairs to which one annotator gave the known grade."""

    annotator: Any
    accuracy: Share


def cohen_kappas(tables: ArrayLike, *, weights: str = "nominal") -> NDArray[np.float64]:
    """(K,) Cohen's kappa of each of K pairs of people; NaN without units or with one value only.

    tables : (K, V, V) number of units with the v-th value by the first and the w-th by the second
        person, values in their order
    weights : "nominal", or disagreement growing "linear" or "quadratic" with the distance between
        the positions of two values
    At most 1, 0 by chance. Cohen 1960, doi:10.1177/001316446002000104; weighted: Cohen 1968,
    doi:10.1037/h0026256. Equals sklearn.metrics.
    """
    if weights not in WEIGHTS:
        raise ValueError(f'There are no weights "{weights}"; there are: {", ".join(WEIGHTS)}.')
    counts = np.asarray(tables, dtype=np.float64)
    position = np.arange(counts.shape[-1])
    distance = np.abs(position[:, None] - position[None, :]).astype(np.float64)
    cost = {
        "nominal": (distance > 0).astype(np.float64),
        "linear": distance,
        "quadratic": distance**2,
    }[weights]
    n = counts.sum(axis=(1, 2))
    first, second = counts.sum(axis=2), counts.sum(axis=1)
    observed = np.einsum("kvw,vw->k", counts, cost)
    by_chance = np.einsum("kv,vw,kw->k", first, cost, second)  # times the number of units
    return 1 - np.divide(observed * n, by_chance, out=np.full(len(n), np.nan), where=by_chance > 0)


def fleiss_kappa(counts: ArrayLike) -> float:
    """Fleiss' kappa of U units with m labels each.

    At most 1, 0 by chance; NaN where only one value was used.
    counts : (U, V) how often each unit was given each value; every row sums to the same m >= 2,
        else ValueError: alpha is the measure for anything else Fleiss 1971, doi:10.1037/h0031619.
        Equals statsmodels.
    """
    counts = np.asarray(counts, dtype=np.float64)
    size = counts.sum(axis=1)
    if not len(size) or size[0] < 2 or np.any(size != size[0]):
        raise ValueError(
            "Fleiss' kappa needs the same number of labels, at least two, on every unit; use alpha."
        )
    observed = np.mean((np.square(counts).sum(axis=1) - size) / (size * (size - 1)))
    by_chance = np.sum(np.square(counts.sum(axis=0) / counts.sum()))
    return float((observed - by_chance) / (1 - by_chance)) if by_chance < 1 else float("nan")


def share_of(successes: int, n: int, *, confidence: float = 0.95) -> Share:
    """Share of successes with Wilson's interval: it stays in 0..1 and holds for few trials."""
    low, high = wilson(successes, n, z=float(special.ndtri((1 + confidence) / 2)))
    if low is None or high is None:
        return Share(None, 0.0, 1.0, 0)
    # the ends are exact at 0 and n successes, where rounding would leave 1e-17
    return Share(successes / n, low if successes else 0.0, high if successes < n else 1.0, n)


def gold_accuracy(
    annotator: ArrayLike, correct: ArrayLike, *, confidence: float = 0.95
) -> list[GoldAccuracy]:
    """Each annotator's share of right labels on gold, ascending by annotator.

    annotator : (N,) of each label; correct : (N,) whether the label was the known grade
    """
    people, code = np.unique(np.asarray(annotator), return_inverse=True)
    n: NDArray[np.int64] = np.bincount(code, minlength=len(people))
    n_right = np.bincount(
        code, weights=np.asarray(correct, dtype=np.float64), minlength=len(people)
    )
    return [
        GoldAccuracy(person, share_of(round(hits), trials, confidence=confidence))
        for person, hits, trials in zip(people.tolist(), n_right.tolist(), n.tolist(), strict=True)
    ]
