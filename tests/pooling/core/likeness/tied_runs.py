"""Rank-biased overlap of two rankings with ties, in three readings of a tie.

Corsi & Urbano 2024.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

READINGS = ("w", "a", "b")


class TiedOverlap(NamedTuple):
    """RBO of one pair of rankings: extrapolated value, bounds, and their distance.

    See two_runs.RankBiasedOverlap.
    """

    ext: float
    min: float
    max: float
    res: float


class _TiedRanks(NamedTuple):
    """(n,) items best first, and the first and last rank (from 1) of each item's group of ties."""

    items: NDArray[np.int64]
    top: NDArray[np.int64]
    bottom: NDArray[np.int64]


class _TiedAgreement(NamedTuple):
    """Agreement at depths 1..l: seen alone, or with the shorter ranking carried on.

    It is carried on as expected or at best; X_l, A_s.
    """

    expected: NDArray[np.float64]
    least: NDArray[np.float64]
    best: NDArray[np.float64]
    overlap: float
    rate: float


def tied_overlap(
    items: ArrayLike,
    scores: ArrayLike,
    other_items: ArrayLike,
    other_scores: ArrayLike,
    *,
    p: float,
    ties: str = "a",
) -> TiedOverlap:
    """RBO(p) of two scored lists of items, equal scores being ties. Range [0, 1].

    items, other_items : (n,), (m,) ids, none twice in a list; scores, other_scores : larger is
        better
    ties : "w" tied items truly share a rank, as in sports; "a" the order among them is unknown: the
        mean over all orders; "b" as "a", corrected for the information lost, so that a ranking
        agrees with itself by 1

    Two empty lists agree (1), one empty one scores 0. Memory is (n + m) x max(n, m) numbers. Corsi
    & Urbano 2024, doi:10.1145/3626772.3657700; without ties all three equal
    two_runs.rank_biased_overlap.
    """
    if ties not in READINGS:
        raise ValueError(f'There is no reading of ties "{ties}"; there are: {", ".join(READINGS)}.')
    if not 0 < p < 1:
        raise ValueError("p lies between 0 and 1, both excluded.")
    codes = np.unique(
        np.concatenate([np.asarray(items), np.asarray(other_items)]), return_inverse=True
    )[1]
    first = _ranked(codes[: len(np.asarray(items))], np.asarray(scores))
    second = _ranked(codes[len(np.asarray(items)) :], np.asarray(other_scores))
    short, long = sorted((first, second), key=lambda ranking: len(ranking.items))
    s, l = len(short.items), len(long.items)  # noqa: E741 - the paper's letters
    if not s:
        return TiedOverlap(float(l == 0), 0.0, 1.0, 1.0)
    agreement = _agreement(short, long, ties)
    weight = np.power(p, np.arange(1, l + 1.0))
    scale = (1 - p) / p
    weight_beyond = -np.log1p(-p) - np.sum(weight / np.arange(1, l + 1))
    low = scale * (agreement.least @ weight + agreement.overlap * weight_beyond)
    high = scale * (agreement.best @ weight + _best_beyond(s, l, agreement.overlap, p))
    ext = (
        scale * (agreement.expected @ weight)
        + (agreement.overlap + (l - s) * agreement.rate) / l * p**l
    )
    return TiedOverlap(float(ext), float(low), float(high), float(high - low))


def _ranked(items: NDArray[np.int64], scores: NDArray[np.float64]) -> _TiedRanks:
    if len(np.unique(items)) < len(items):
        raise ValueError("A ranking holds the same item twice.")
    order = np.argsort(-scores, kind="stable")
    descending_scores = scores[order]
    return _TiedRanks(
        items[order],
        np.searchsorted(-descending_scores, -descending_scores, side="left") + 1,
        np.searchsorted(-descending_scores, -descending_scores, side="right"),
    )


def _agreement(short: _TiedRanks, long: _TiedRanks, ties: str) -> _TiedAgreement:
    s, l = len(short.items), len(long.items)  # noqa: E741 - as above
    union = np.concatenate([short.items, long.items[~np.isin(long.items, short.items)]])
    in_short, in_long = _shares(short, union, l, ties), _shares(long, union, l, ties)
    overlap = np.sum(in_short * in_long, axis=0)
    size_short, size_long = _sizes(in_short, ties), _sizes(in_long, ties)
    depth = np.arange(1, l + 1.0)
    size_short[s:] = np.sqrt(depth[s:]) if ties == "b" else depth[s:]  # unseen ranks hold no ties
    size = size_short * size_long if ties == "b" else (size_short + size_long) / 2
    rate = overlap[s - 1] / size[s - 1]
    own = in_long[s:, s:]  # targets only the longer holds, below the shorter's end
    expected, best = overlap.copy(), overlap.copy()
    if l > s:
        is_seen = own > 0
        mean_share = own.sum(axis=0) / np.maximum(is_seen.sum(axis=0), 1)
        expected[s:] += (depth[s:] - s) * rate * mean_share
        is_named = np.arange(own.shape[0])[:, None] < np.arange(1, l - s + 1)[None, :]
        best[s:] += np.sum(own * is_named, axis=0)
    return _TiedAgreement(
        expected / size, overlap / size, best / size, float(overlap[-1]), float(rate)
    )


def _shares(
    ranking: _TiedRanks, union: NDArray[np.int64], depth: int, ties: str
) -> NDArray[np.float64]:
    """(U, depth) share of each item in the first d: 0 or 1, in a tie cut by d its chance."""
    order = np.argsort(ranking.items)
    position = np.minimum(np.searchsorted(ranking.items[order], union), len(order) - 1)
    row = order[position]
    absent = ranking.items[row] != union
    top, bottom = ranking.top[row][:, None], ranking.bottom[row][:, None]
    d = np.arange(1, depth + 1)[None, :]
    share = (
        (d >= top).astype(np.float64)
        if ties == "w"
        else np.clip((d - top + 1) / (bottom - top + 1), 0, 1)
    )
    share[absent] = 0
    return share


def _sizes(share: NDArray[np.float64], ties: str) -> NDArray[np.float64]:
    """(depth,) size of the first d as the reading counts it."""
    return np.sqrt(np.square(share).sum(axis=0)) if ties == "b" else share.sum(axis=0)


def _best_beyond(s: int, l: int, overlap: float, p: float) -> float:  # noqa: E741 - as above
    """The most that depths beyond l add: every unseen target is shared as soon as there is room."""
    end = l + s - overlap
    depth = np.arange(l + 1, int(end) + 1)
    return float(
        np.sum((2 * depth - l - s + overlap) / depth * np.power(p, depth))
        + p ** (end + 1) / (1 - p)
    )
