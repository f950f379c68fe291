"""All pairs of runs at once equal the functions for two runs."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.likeness import likeness as module
from pooling.core.likeness import overlap
from pooling.core.likeness.likeness import likeness
from pooling.core.likeness.rankings import Rankings, top
from tests.pooling.core.likeness import two_runs
from tests.pooling.core.strategies.rankings import RANKINGS, Ranked, as_arrays
from tests.sizes import cases


def as_rankings(runs: list[Ranked]) -> list[Rankings]:
    """Runs over the source items that all of them answer."""
    common = sorted(reduce(set.__and__, (set(run) for run in runs)))
    rankings = []
    for run in runs:
        depths = [len(run[source]) for source in common]
        docs = [target for source in common for target in run[source]]
        rankings.append(
            Rankings(
                np.append(0, np.cumsum(depths)).astype(np.int64), np.array(docs, dtype=np.int64)
            )
        )
    return rankings


def mean(values) -> float:
    defined = values[~np.isnan(values)]
    return defined.mean() if len(defined) else float("nan")


def check(runs: list[Ranked]) -> None:
    likenesses = likeness([as_arrays(run) for run in runs], k=4, p=0.8)
    for row, first in enumerate(runs):
        for column, second in enumerate(runs):
            left, right = as_rankings([first, second])
            expected = (
                len(left.indptr) - 1,
                mean(overlap.overlap(left, right, k=4)),
                mean(two_runs.rank_biased_overlap(left, right, p=0.8).ext),
                mean(two_runs.rank_biased_overlap(top(left, 4), top(right, 4), p=0.8).truncated),
                mean(two_runs.kendall(left, right)),
                mean(two_runs.rank_of_favourite(left, right)),
            )
            assert [matrix[row, column] for matrix in likenesses] == pytest.approx(
                list(expected), nan_ok=True
            )


@given(RANKINGS)
def test_a_run_is_wholly_like_itself_however_short_it_is(runs):
    matrices = likeness([as_arrays(run) for run in runs], k=4, p=0.8)
    for name in ("overlap", "rbo", "tau"):
        own_values = np.diag(getattr(matrices, name))
        assert own_values[~np.isnan(own_values)] == pytest.approx(1)
    assert np.isnan(matrices.overlap).tolist() == (matrices.n_sources == 0).tolist()


@given(RANKINGS)
def test_every_cell_is_the_mean_that_two_runs_alone_have(runs):
    check(runs)


@cases(20)
@given(RANKINGS, st.integers(1, 20))
def test_cutting_the_sources_into_blocks_changes_nothing(runs, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SHARED_A_BLOCK", size)
        check(runs)


def test_deep_runs_in_any_order_have_the_tau_of_their_order():
    rng = np.random.default_rng(3)
    check([{source: rng.permutation(300)[:200].tolist() for source in range(3)} for _ in range(3)])
