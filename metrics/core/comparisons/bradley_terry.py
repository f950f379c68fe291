"""Bradley-Terry strengths from pairwise preferences, with intervals (as in ECCV Caption, D.1)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special


class Strengths(NamedTuple):
    """Bradley-Terry strengths of n compared items, such as systems.

    strength : (n,) positive, summing to 1; i is preferred to j with chance s_i / (s_i + s_j)
    low, high : (n,) Wald interval, taken on the log scale against the geometric mean of all
    n_pseudo_wins : added to each pair both ways, where the wins alone have no finite maximum; else
        0
    """

    strength: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n_pseudo_wins: float


def bradley_terry(
    wins: ArrayLike,
    *,
    confidence: float = 0.95,
    tolerance: float = 1e-14,
    max_iterations: int = 100_000,
) -> Strengths:
    """Maximum likelihood strengths by Zermelo's iteration p_i <- w_i / sum_j n_ij / (p_i + p_j).

    wins : (n, n) how often i was preferred to j; comparisons of an item with itself are dropped
    Where some items never win or never lose against the rest (the graph of wins is not strongly
    connected) no finite maximum exists: every pair then gets half a win each way, which
    `n_pseudo_wins` says. Bradley & Terry 1952, doi:10.2307/2334029; Hunter 2004,
    doi:10.1214/aos/1079120141. Equals choix.mm_pairwise.
    """
    wins = np.array(wins, dtype=np.float64)
    n = len(wins)
    if wins.shape != (n, n) or n < 2 or np.any(wins < 0) or not np.isfinite(wins).all():
        raise ValueError("Wins are a square table of counts of two things or more.")
    np.fill_diagonal(wins, 0)
    # whether a chain of wins leads from each item to each other (strong connection)
    is_reached = (wins > 0) | np.eye(n, dtype=bool)
    for _ in range(n.bit_length()):
        is_reached = is_reached @ is_reached
    pseudo = 0.0 if is_reached.all() else 0.5
    wins += pseudo * (1 - np.eye(n))
    games, total = wins + wins.T, wins.sum(axis=1)
    strength = np.full(n, 1 / n)
    for _ in range(max_iterations):
        previous = strength
        strength = total / np.sum(games / (strength[:, None] + strength[None, :]), axis=1)
        strength /= strength.sum()
        if np.max(np.abs(strength - previous)) < tolerance:
            break
    low, high = _interval(strength, games, confidence)
    return Strengths(strength, low, high, pseudo)


def _interval(
    strength: NDArray[np.float64], games: NDArray[np.float64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wald interval from the pseudo-inverse of the information of the centred log strengths."""
    chance = strength[:, None] / (strength[:, None] + strength[None, :])
    information = -games * chance * (1 - chance)
    np.fill_diagonal(information, 0)
    np.fill_diagonal(information, -information.sum(axis=1))
    spread = np.sqrt(np.diag(np.linalg.pinv(information, hermitian=True)))
    factor = np.exp(special.ndtri((1 + confidence) / 2) * spread)
    return strength / factor, strength * factor
