"""Measures that count as irrelevant the targets that a sample did not draw."""

from collections.abc import Sequence

import numpy as np

from metrics.core.measures.measures import Measure

# Measures of their first k ranks and nothing else; without a cut-off of all ranks.
_OF_FIRST_RANKS = {"C", "Success", "P", "RR", "MedR", "MeanR", "AP_retrieved"}
_OF_JUDGED = {"Judged", "RBPres"}


def counts_judgments(measure: Measure) -> bool:
    """True if a measure is about judged targets, not about relevant ones."""
    return measure.family in _OF_JUDGED


def counts_undrawn(measure: Measure, firsts: Sequence[float]) -> bool:
    """True if a measure counts undrawn targets as irrelevant for some run.

    firsts : the first rank of an undrawn target in each run, infinity without one
    """
    if counts_judgments(measure) or not firsts:
        return False
    depth = np.inf if measure.cutoff is None else measure.cutoff
    is_exact = min(firsts) > depth or min(firsts) == np.inf
    return not (measure.family in _OF_FIRST_RANKS and not measure.judged_only and is_exact)
