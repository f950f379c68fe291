"""All pairs of runs at once equal two at a time, whatever their depths and missing source items."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.likeness import run_agreement as module
from pooling.core.likeness.overlap import overlap
from pooling.core.likeness.rankings import Rankings
from pooling.core.likeness.run_agreement import agreement
from pooling.core.strategies.selections import RankedPairs
from tests.pooling.core.likeness.two_runs import rank_biased_overlap
from tests.sizes import cases

LISTS = st.lists(
    st.lists(
        st.permutations(range(8)).flatmap(lambda p: st.integers(0, 8).map(lambda n: p[:n])),
        min_size=3,
        max_size=3,
    ),
    min_size=2,
    max_size=5,
)


def as_rows(topics):
    rows = [
        (source, target, rank)
        for source, targets in enumerate(topics)
        for rank, target in enumerate(targets, 1)
    ]
    return RankedPairs(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def as_rankings(topics):
    docs = np.array([target for targets in topics for target in targets], dtype=np.int64)
    return Rankings(np.append(0, np.cumsum([len(targets) for targets in topics])), docs)


@cases(150)
@given(LISTS, st.sampled_from([0.5, 0.9]), st.integers(1, 10), st.sampled_from([1, 10**6]))
def test_every_two_runs_agree_as_they_do_alone(lists, p, k, cells):
    limit, module._CELLS_A_BLOCK = module._CELLS_A_BLOCK, cells
    matrices = agreement([as_rows(topics) for topics in lists], k=k, p=p)
    module._CELLS_A_BLOCK = limit
    for a, left in enumerate(lists):
        for b, right in enumerate(lists):
            both = np.array([bool(x) and bool(y) for x, y in zip(left, right, strict=True)])
            if not both.any():
                assert np.isnan(matrices.rbo[a, b]) and np.isnan(matrices.overlap[a, b])
                continue
            pair = as_rankings(left), as_rankings(right)
            assert matrices.rbo[a, b] == pytest.approx(
                rank_biased_overlap(*pair, p=p).ext[both].mean(), abs=1e-12
            )
            assert matrices.overlap[a, b] == pytest.approx(
                overlap(*pair, k=k)[both].mean(), abs=1e-12
            )
