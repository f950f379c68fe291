"""Small runs as dictionaries: source to its targets, best first."""

from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st

from pooling.core.strategies.selections import ChosenPairs, Material, Pairs, RankedPairs

Ranked = dict[int, list[int]]
RANKINGS = st.lists(
    st.dictionaries(
        st.integers(1, 6),
        st.lists(st.integers(1, 12), unique=True, min_size=1, max_size=8),
        min_size=1,
        max_size=5,
    ),
    min_size=1,
    max_size=4,
)


def as_arrays(run: Ranked, scores: dict[tuple[int, int], float] | None = None) -> RankedPairs:
    """A run's rows."""
    rows = [
        (source, target, rank)
        for source, targets in run.items()
        for rank, target in enumerate(targets, 1)
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    score = None if scores is None else np.array([scores[row[:2]] for row in rows])
    return RankedPairs(*columns, score)


def as_pairs(some: Iterable[tuple[int, int]]) -> Pairs:
    """Pairs by source and target."""
    return Pairs(*np.array(sorted(some), dtype=np.int64).reshape(-1, 2).T)


def by_source(run: Ranked, *, step: int = 1, base: int = 0) -> RankedPairs:
    """A run's rows by source and rank, with where its rankings begin; target keys spread out."""
    rows = as_arrays({source: run[source] for source in sorted(run)})
    lengths = [len(run[source]) for source in sorted(run)]
    return rows._replace(
        target=rows.target * step + base, starts=np.append(0, np.cumsum(lengths, dtype=np.int64))
    )


def material(runs: list[Ranked], **more: object) -> Material:
    """Runs as the input of a strategy."""
    return Material([as_arrays(run) for run in runs], **more)


def plain_depth_k(runs: list[Ranked], depth: int) -> dict[tuple[int, int], int]:
    """The union of the tops, each pair with its best rank."""
    best: dict[tuple[int, int], int] = {}
    for run in runs:
        for source, targets in run.items():
            for rank, target in enumerate(targets[:depth], 1):
                best[source, target] = min(rank, best.get((source, target), rank))
    return best


def pairs(chosen: ChosenPairs) -> list[tuple[int, int]]:
    """The chosen pairs, in their order."""
    return list(zip(chosen.source.tolist(), chosen.target.tolist(), strict=True))
