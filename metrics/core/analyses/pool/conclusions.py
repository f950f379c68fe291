"""Conclusions on runs under other label sets: their order, its top, and which runs differ."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.comparisons.run_comparison import TUKEY, decide
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.rounding import means_for_order
from pooling.core.likeness.correlation import kendall_tau_b, symmetric_tau_ap

TOP = 5  # ranks whose runs are looked at by themselves


class Conclusion(NamedTuple):
    """The conclusions under one label set beside those under the base; None where not defined.

    tau, tau_ap : Kendall's tau-b of the two orders, and tau-AP as the mean of both ways
    fall : the most places that a run of the base's first five falls, 0 where none falls
    fallen_run : the run that does, by its column; None where none falls
    is_top_same : whether the ranks 1 to 5 have the same runs in the same order
    n_same, n_opposite : pairs of runs that differ under both, the same way or the other way round
    n_base_only, n_here_only : that differ under one of them alone
    """

    tau: float | None
    tau_ap: float | None
    fall: int | None
    fallen_run: int | None
    is_top_same: bool | None
    n_same: int | None
    n_opposite: int | None
    n_base_only: int | None
    n_here_only: int | None

    @property
    def decides(self) -> bool:
        """True if any two runs differ under the label set."""
        return any((self.n_same, self.n_opposite, self.n_here_only))


class Conclusions(NamedTuple):
    """The conclusion of each label set.

    n_pairs : of runs; n_decided : those that differ under the base
    n_lasting : those of them that differ the same way under every label set that decides anything
    """

    of_sets: list[Conclusion]
    n_pairs: int
    n_decided: int
    n_lasting: int


class _Order(NamedTuple):
    """Means and ranks of S runs, and their verdicts.

    means : (S,) for their order, larger better; ranks : (S,) from 1
    verdicts : (S, S) 1 where the run of the row is better, -1 where it is worse, else 0
    """

    means: NDArray[np.float64]
    ranks: NDArray[np.int64]
    verdicts: NDArray[np.float64]


def conclusions(
    base: NDArray[np.float64],
    label_sets: Iterable[NDArray[np.float64]],
    *,
    groups: Groups,
    smaller_is_better: bool,
) -> Conclusions:
    """Compare what scores under other label sets say of S runs with what the base says.

    base : (Q, S) finite scores of two runs or more; label_sets : of the same shape, one at a time
    groups : of the Q queries, two or more (ValueError)
    Means are the weighted ones. Two runs differ if Tukey's HSD at .05 and the error of their own
    differences both say so (`decide`). A label set under which a score is not finite has no
    conclusion.
    """
    sign = -1 if smaller_is_better else 1
    first = _order(sign * base, groups)
    n_runs = base.shape[1]
    upper = np.triu_indices(n_runs, k=1)
    before = first.verdicts[upper]
    is_lasting = before != 0
    n_decided = int(np.count_nonzero(is_lasting))
    rows = []
    for scores in label_sets:
        if not np.isfinite(scores).all():
            rows.append(Conclusion(*[None] * len(Conclusion._fields)))
            continue
        here = _order(sign * scores, groups)
        after = here.verdicts[upper]
        if after.any():
            is_lasting &= after == before
        falls = np.where(first.ranks <= TOP, here.ranks - first.ranks, -n_runs)
        fallen_run = int(np.argmax(falls))
        has_order = np.ptp(first.means) > 0 and np.ptp(here.means) > 0
        is_top = (first.ranks <= TOP) | (here.ranks <= TOP)
        rows.append(
            Conclusion(
                tau=_finite(kendall_tau_b(first.means, here.means)),
                tau_ap=_finite(symmetric_tau_ap(first.means, here.means)),
                fall=max(0, int(falls[fallen_run])) if has_order else None,
                fallen_run=fallen_run if has_order and falls[fallen_run] > 0 else None,
                is_top_same=bool((first.ranks == here.ranks)[is_top].all()) if has_order else None,
                n_same=int(np.count_nonzero((before != 0) & (after == before))),
                n_opposite=int(np.count_nonzero(before * after == -1)),
                n_base_only=int(np.count_nonzero((before != 0) & (after == 0))),
                n_here_only=int(np.count_nonzero((before == 0) & (after != 0))),
            )
        )
    return Conclusions(rows, len(before), n_decided, int(np.count_nonzero(is_lasting)))


def _order(larger_better: NDArray[np.float64], groups: Groups) -> _Order:
    means = means_for_order(larger_better, groups)
    ranks = 1 + np.count_nonzero(means[None, :] > means[:, None], axis=1)
    outcome = decide(larger_better, method=TUKEY, groups=groups)
    significant = np.zeros(outcome.significant.shape, dtype=bool)
    significant[np.ix_(outcome.order, outcome.order)] = outcome.significant
    return _Order(means, ranks, np.sign(means[:, None] - means[None, :]) * significant)


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
