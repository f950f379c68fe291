"""Limits of commands with sampled labels, where some pooled pairs were not drawn."""

from collections.abc import Sequence

import numpy as np

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.measures import Measure
from metrics.core.pools.undrawn_targets import counts_undrawn
from pooling.core.files.text.runs import QrelsFile

# rates that differ by no more, or by one pair of a stratum, are equal but for rounding
ALIKE = 0.05


def refuse_unequal_rates(labels: QrelsFile, measures: Sequence[Measure]) -> None:
    """Raise ValueError where infAP is requested and strata were judged at different rates.

    It takes the judged pairs for a uniform sample of the pool: Yilmaz & Aslam 2006,
    doi:10.1145/1183614.1183633.
    """
    if labels.stratum is None or not any(measure.family == "infAP" for measure in measures):
        return
    sizes = np.bincount(labels.stratum)
    rates = np.bincount(labels.stratum, weights=labels.grades >= 0) / sizes
    if np.ptp(rates) > max(ALIKE, 1 / sizes.min()):
        range_text = f"from {rates.min():.2f} to {rates.max():.2f} of a stratum"
        raise ValueError(
            f"infAP is of a uniform sample, and here {range_text} was judged: xinfAP is made for "
            "that."
        )


def beyond_sample(rankings: RankedGrades, measures: Sequence[Measure]) -> list[str]:
    """Names of the measures that count undrawn pairs as irrelevant, or infer them.

    None without strata.
    A measure is exact where the run has no undrawn pair among the ranks that it depends on.
    """
    if rankings.stratum is None or not np.any(rankings.label_grade < 0):
        return []
    first_undrawn_rank = float(rankings.rank[rankings.grade < 0].min(initial=2**31))
    first_ranks = [np.inf if first_undrawn_rank == 2**31 else first_undrawn_rank]
    return [measure.name for measure in measures if counts_undrawn(measure, first_ranks)]
