"""How far a value could move: every unjudged target negative, or every one positive."""

from typing import NamedTuple

from metrics.core.alignment import RankedGrades
from metrics.core.incomplete import with_unjudged_as
from metrics.core.measures import Measure
from metrics.core.ranking import PerQuery


class Bounds(NamedTuple):
    """(Q,) values of one measure under two views of the unjudged targets a run retrieved.

    unjudged_negative, unjudged_positive : as if all of them had been judged so. They bound C@k, P@k, RR, RBP and
        every measure that only gains from a positive; AP, recall and nDCG also divide by R, which grows with each
        positive, and may fall.
    """

    unjudged_negative: PerQuery
    unjudged_positive: PerQuery


def bounds(
    measure: Measure,
    ranked: RankedGrades,
    *,
    threshold: float = 1,
    best_grade: float | None = None,
) -> Bounds:
    """A measure under both views of the unjudged.

    best_grade : grade of an unjudged target taken as positive; default the largest among the labels, at least the
        threshold
    """
    level = measure.threshold(threshold)
    if best_grade is None:
        best_grade = max(float(ranked.label_grade.max(initial=0)), level)
    return Bounds(
        measure.compute(with_unjudged_as(ranked, 0), threshold),
        measure.compute(with_unjudged_as(ranked, best_grade), threshold),
    )
