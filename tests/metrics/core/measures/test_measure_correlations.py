"""Correlations of measures over systems: against SciPy, with ties and gaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.measures.measure_correlations import measure_correlations
from tests.sizes import cases

SYSTEMS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.floats(0, 1)), min_size=2, max_size=20
)
SCIPY = {"tau-b": stats.kendalltau, "spearman": stats.spearmanr}


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("method", SCIPY)
@cases(300)
@given(SYSTEMS)
def test_each_cell_is_scipys(method, rows):
    scores = np.array(rows, dtype=np.float64)
    correlations = measure_correlations(scores, method=method)
    assert np.diag(correlations).tolist() == [1, 1, 1]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = float(SCIPY[method](scores[:, i], scores[:, j]).statistic)
        assert correlations[i, j] == pytest.approx(expected, abs=1e-9, nan_ok=True)
        assert correlations[j, i] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@cases(200)
@given(SYSTEMS)
def test_tau_counts_a_tie_as_no_agreement(rows):
    scores = np.array(rows, dtype=np.float64)
    signs = [np.sign(np.subtract.outer(column, column)) for column in scores.T]
    pairs = np.triu_indices(len(scores), k=1)
    expected = np.mean((signs[0] * signs[1])[pairs])
    tau = measure_correlations(scores, method="tau")[0, 1]
    assert tau == pytest.approx(expected, abs=1e-9)


def test_an_unknown_correlation_is_refused():
    with pytest.raises(ValueError, match="tau-b"):
        measure_correlations(np.ones((2, 2)), method="pearson")
