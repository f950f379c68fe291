"""Rank correlations of measures over runs (ECCV Caption, Table 5)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pooling.core.likeness.correlation import kendall_tau, kendall_tau_b, spearman, symmetric_tau_ap

CORRELATIONS: dict[str, Callable[[ArrayLike, ArrayLike], float]] = {
    "tau": kendall_tau,
    "tau-b": kendall_tau_b,
    "tau-ap": symmetric_tau_ap,
    "spearman": spearman,
}


def measure_correlations(
    scores: NDArray[np.float64], *, method: str = "tau-b"
) -> NDArray[np.float64]:
    """(M, M) correlation of every two of M measures over S systems; symmetric, 1 on the diagonal.

    scores : (S, M) mean of each measure for each system, larger better (negate ranks first)
    NaN where the correlation is undefined: for a measure that is equal for all systems or lacks
    one, and for a single system.
    """
    if method not in CORRELATIONS:
        raise ValueError(
            f'There is no correlation "{method}"; there are: {", ".join(CORRELATIONS)}.'
        )
    scores = np.asarray(scores, dtype=np.float64)
    n_systems, n_measures = scores.shape
    is_defined = np.isfinite(scores).all(axis=0) & (n_systems > 1)
    correlations = np.full((n_measures, n_measures), np.nan)
    np.fill_diagonal(correlations, 1)
    for i in np.flatnonzero(is_defined):
        for j in np.flatnonzero(is_defined[:i]):
            correlations[i, j] = correlations[j, i] = CORRELATIONS[method](
                scores[:, i], scores[:, j]
            )
    return correlations
