"""Plausible matches, targets of nearly the same classes (PCME), and their R-precision."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.matrices import Cells
from metrics.core.measures.ranking import PerQuery, positives
from metrics.core.measures.retrieval import r_precision

_CELLS_A_BLOCK = 1 << 20


def plausible_matches(
    query_classes: NDArray[Any], target_classes: NDArray[Any], *, zetas: int = 3
) -> Iterator[Cells]:
    """Yield the cells of a matrix whose row and column differ in fewer than `zetas` classes.

    Some rows at a time, in order, so that 25,000 x 5,000 cells are never in memory.
    query_classes, target_classes : (Q, C), (N, C) of 0 and 1, whether each shows a class (COCO's
        kinds of objects)
    The grades are zetas - difference. With three: grade 3 are the matches of zeta = 0, 2 and 3
        those of zeta = 1, all of them those of zeta = 2. A query's own target is among them, as in
        the paper, whose code leaves out images without any class.
    Raises ValueError for other numbers, or for other classes of queries than of targets.
    Chun, Oh, de Rezende, Kalantidis & Larlus, Probabilistic Embeddings for Cross-Modal Retrieval,
    CVPR 2021, section 4.1, doi:10.1109/CVPR46437.2021.00831.
    """
    queries, targets = (
        np.asarray(classes, dtype=np.float32) for classes in (query_classes, target_classes)
    )
    if queries.shape[1] != targets.shape[1] or not (
        np.isin(queries, (0, 1)).all() and np.isin(targets, (0, 1)).all()
    ):
        raise ValueError(
            "Classes are tables of 0 and 1, with the same classes for queries and targets."
        )
    n_of_target = targets.sum(axis=1)
    n_rows = max(1, _CELLS_A_BLOCK // max(len(targets), 1))
    for start in range(0, len(queries), n_rows):
        block = queries[start : start + n_rows]
        difference = block.sum(axis=1)[:, None] + n_of_target[None, :] - 2 * (block @ targets.T)
        row, column = np.nonzero(difference < zetas)
        grade = zetas - difference[row, column].astype(np.int64)
        yield Cells(row + start, column, grade)


def mean_r_precision(rankings: RankedGrades, *, zetas: int = 3, cap: int = 0) -> PerQuery:
    """PMRP_mean: R-precision averaged over zeta, whose matches have grade zetas - zeta or more.

    zeta : 0, 1, ..., zetas - 1
    With the grades of `plausible_matches`: PCME's Plausible Match R-Precision. Range [0, 1]; a zeta
    for which the query
    has no match counts 0. cap : R is at most this (0: no cap, as PCME; ECCV Caption takes 50, and
        zeta = 0 alone).
    """
    levels = [r_precision(positives(rankings, level), cap=cap) for level in range(1, zetas + 1)]
    mean: PerQuery = np.mean(levels, axis=0)
    return mean
