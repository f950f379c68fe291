"""TRECVID's error rate as it is printed, of two systems that are taken for independent."""

import numpy as np
from scipy import stats


def reer_independent(x, y, *, n_queries=None):
    """Eq. 1: 2 Phi(z) (1 - Phi(z)), z = -(mean x - mean y) / sqrt((s_x^2 + s_y^2) / n)."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    spread = np.sqrt((x.var(ddof=1) + y.var(ddof=1)) / (n_queries or len(x)))
    difference = x.mean() - y.mean()
    if spread == 0:
        return 0.5 if difference == 0 else 0.0
    return float(2 * stats.norm.cdf(-difference / spread) * stats.norm.sf(-difference / spread))
