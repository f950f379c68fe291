"""How far a value could move: every unjudged target negative, every one positive, or estimated from a sample."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import RankedGrades
from metrics.core.incomplete import with_unjudged_as
from metrics.core.measures import Measure
from metrics.core.ranking import PerQuery
from metrics.core.sampled import ESTIMATES, Weighted


class Bounds(NamedTuple):
    """(Q,) values of one measure under three views of the unjudged targets a run retrieved.

    unjudged_negative, unjudged_positive : as if all of them had been judged so. They bound C@k, P@k, RR, RBP and
        every measure that only gains from a positive; AP, recall and nDCG also divide by R, which grows with each
        positive, and may fall.
    sampled : the estimate from inclusion probabilities; None where there are none or the measure has no estimate
    """

    unjudged_negative: PerQuery
    unjudged_positive: PerQuery
    sampled: PerQuery | None = None


def bounds(
    measure: Measure,
    ranked: RankedGrades,
    *,
    threshold: float = 1,
    best_grade: float | None = None,
    inclusion: NDArray[np.float64] | None = None,
) -> Bounds:
    """A measure under all three views of the unjudged.

    best_grade : grade of an unjudged target taken as positive; default the largest among the labels, at least the
        threshold
    inclusion : (L,) probability with which each row of the aligned Labels was chosen for judging
    """
    level = measure.threshold(threshold)
    if best_grade is None:
        best_grade = max(float(ranked.label_grade.max(initial=0)), level)
    sampled = None
    if inclusion is not None and measure.family in ESTIMATES:
        keywords = {name: value for name, value in measure.parameters if name in measure.entry.parameters}
        if measure.cutoff is not None:
            keywords["k"] = measure.cutoff
        sampled = ESTIMATES[measure.family](Weighted(ranked, inclusion, level), **keywords)
    return Bounds(
        measure.compute(with_unjudged_as(ranked, 0), threshold),
        measure.compute(with_unjudged_as(ranked, best_grade), threshold),
        sampled,
    )
