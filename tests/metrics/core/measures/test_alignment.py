"""Alignment of rankings with labels, whole and in parts."""

from itertools import pairwise

import numpy as np
import pytest

from metrics.core.measures.alignment import LabelledPairs, align, join_parts
from pooling.core.likeness.rankings import Rankings

N_QUERIES, N_TARGETS = 7, 9


@pytest.mark.parametrize("ends", [[0, 7], [0, 2, 5, 7], [0, 1, 2, 3, 4, 5, 6, 7]])
def test_parts_joined_are_the_whole(ends):
    rng = np.random.default_rng(5)
    depth = rng.integers(0, N_TARGETS, N_QUERIES)
    docs = [rng.permutation(N_TARGETS)[:n] for n in depth]
    query, doc = np.nonzero(rng.random((N_QUERIES, N_TARGETS)) < 0.4)
    query, doc = query[query != 1], doc[query != 1]  # one query, and one part, has no labels
    grade = rng.integers(-1, 4, len(query))

    def aligned(first, last):
        is_here = (first <= query) & (query < last)
        rankings = Rankings(
            np.append(0, np.cumsum(depth[first:last])),
            np.concatenate([np.zeros(0, dtype=np.int64), *docs[first:last]]),
        )
        return align(rankings, LabelledPairs(query[is_here] - first, doc[is_here], grade[is_here]))

    whole = aligned(0, N_QUERIES)
    joined = join_parts([aligned(*part) for part in pairwise(ends)])
    for name in whole._fields[:-1]:
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist(), name
