"""Bounds of a measure: its value lies between them, whatever the unjudged documents are.

A completion gives any whole grade from 0 to the best one to each unjudged document that the run
returned, and to each unjudged one of the pool that it did not return. The latter are known by their
number alone: no list gains by them, but AP, recall and nDCG divide by the positives there are,
these included. Labels are taken as right, and a document that neither the run returned nor the pool
holds stays negative: if it turns out positive, values may fall below their bounds.

Both scenarios, all unjudged negative and all positive, are ends only of measures that every new
positive raises. AP, recall and nDCG also divide by the number of positives, which grows with each
one. Bounding what a judgment could still change by its extremes: Moffat & Zobel 2008,
doi:10.1145/1416950.1416952, for RBP; the proofs for the others stand here.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures import ndcg_bounds, retrieval
from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.completions import Completions, CutoffHits, with_elsewhere_as
from metrics.core.measures.incomplete import with_unjudged_as
from metrics.core.measures.measures import Measure, parse_one
from metrics.core.measures.ranking import PerQuery, PositiveRanks, positives, share

Counts = NDArray[np.int64]


class Bounds(NamedTuple):
    """(Q,) ends of one measure, least <= most. Of ranks too, where the least is the best.

    A mean of them bounds the mean. Where a query may have no positive at all its first rank is 1 at
    least and infinite at most: with these a mean or a median over the queries that have one is
    bounded too.
    """

    least: PerQuery
    most: PerQuery


def has_bounds(measure: Measure) -> bool:
    """True if a measure has bounds: none where it counts or infers the unjudged, or drops them."""
    return measure.family in _BOUNDS and not measure.judged_only


def bounds(
    measure: Measure,
    rankings: RankedGrades,
    *,
    best_grade: float,
    threshold: float = 1,
    elsewhere: Counts | None = None,
) -> Bounds:
    """Return the bounds of a measure.

    best_grade : the largest whole grade that an unjudged document may turn out to have; where the
        measure names a `max_grade` it is at most that. Raises ValueError for a measure without
        bounds.
    elsewhere : (Q,) how many unjudged documents of each query's pool the run did not return; None
        stands for none
    """
    if not has_bounds(measure):
        raise ValueError(f"{measure.name} has no bounds.")
    level = measure.threshold(threshold)
    n_elsewhere = np.zeros(len(rankings.depth), dtype=np.int64) if elsewhere is None else elsewhere
    # every completion has the same positives
    if measure.entry.binary and not 0 < level <= best_grade:
        value = measure.compute(
            with_elsewhere_as(with_unjudged_as(rankings, 0), 0, n_elsewhere), threshold
        )
        return Bounds(value, value)
    ends = _BOUNDS[measure.family](measure, rankings, level, best_grade, n_elsewhere)
    value = measure.compute(rankings, threshold)
    # All negative is a completion too, and the sums of the ends are rounded otherwise than the
    # value's.
    least, most = np.maximum(np.fmin(ends.least, value), 0), np.fmax(ends.most, value)
    return Bounds(least, np.minimum(most, 1.0)) if measure.is_share else Bounds(least, most)


def _cutoff(measure: Measure) -> int | None:
    return None if measure.cutoff is None else int(measure.cutoff)


def _rising_bounds(
    measure: Measure, rankings: RankedGrades, threshold: float, best_grade: float, _: Counts
) -> Bounds:
    """C@k, P@k, RR, RBP: no positive lowers them; all negative and all positive are attained ends.

    RBP's upper end adds p^n for all that may follow below a list of n: with the unjudged it is
    RBP's residual.
    """
    most = measure.compute(with_unjudged_as(rankings, best_grade), threshold)
    if measure.family == "RBP":
        most = most + np.power(float(dict(measure.parameters)["p"]), rankings.depth)
    return Bounds(measure.compute(rankings, threshold), most)


def _first_rank_bounds(
    _: Measure, rankings: RankedGrades, threshold: float, best_grade: float, n_unretrieved: Counts
) -> Bounds:
    """MedR, MeanR: a positive makes the first rank smaller or leaves it.

    A query without a positive is left out of the average, and comes into it once it has one: with a
    rank, or infinite if the list does not hold it. If it is taken in at 1, or at infinity, the
    average is at most, or at least, what it is without it or with its own rank.
    """
    least = retrieval.first_rank(positives(with_unjudged_as(rankings, best_grade), threshold))
    most = retrieval.first_rank(positives(rankings, threshold))
    may_gain_positive = np.isnan(most) & (~np.isnan(least) | (n_unretrieved > 0))
    return Bounds(
        np.where(may_gain_positive, 1.0, least), np.where(may_gain_positive, np.inf, most)
    )


def _interpolated_bounds(
    measure: Measure,
    rankings: RankedGrades,
    threshold: float,
    best_grade: float,
    n_unretrieved: Counts,
) -> Bounds:
    """Bounds of interpolated precision, the best precision from the m-th positive on.

    m grows with R. R and ranks are bounded separately.
    With more positives the m-th stands no lower, so the precision there is no smaller; a smaller m
    only adds depths.
    """
    labelled_ranks = positives(rankings, threshold)
    with_unjudged = positives(with_unjudged_as(rankings, best_grade), threshold)

    def value(positive_ranks: PositiveRanks) -> PerQuery:
        if measure.family == "IPrec11":
            return retrieval.eleven_point_average(positive_ranks)
        return retrieval.interpolated_precision(positive_ranks, recall=float(measure.cutoff or 0))

    least = value(labelled_ranks._replace(total=with_unjudged.total + n_unretrieved))
    return Bounds(least, value(with_unjudged._replace(total=labelled_ranks.total)))


def _gain_bounds(
    measure: Measure, rankings: RankedGrades, _: float, best_grade: float, __: Counts
) -> Bounds:
    """ERR, gRBP: no gain lowers them, and a larger scale makes every gain smaller.

    ERR is the expectation of 1 / rank over the rank at which a reader stops, and any gain has her
    stop earlier or as early. Where the measure names no `max_grade` a completion may move the
    scale, by a document elsewhere too, between the largest label and the best grade: the least has
    the larger scale; the most has labels gain what they do on the smaller one, while an unjudged
    document gains no more than the best grade on its own.
    """
    family = measure.entry.function
    parameters = dict(measure.parameters)
    largest_label = measure.largest_label or float(rankings.label_grade.max(initial=0))
    settings = {"k": _cutoff(measure)} if measure.family == "ERR" else {"p": parameters["p"]}
    top = float(parameters["max_grade"]) or max(best_grade, largest_label)
    new_grade = min(best_grade, top)
    least = family(rankings, **settings, max_grade=top)
    if not parameters["max_grade"] and largest_label < top:
        rankings = _on_scale(rankings, measure.family, largest_label, top)
    most = family(with_unjudged_as(rankings, new_grade), **settings, max_grade=top)
    if measure.family == "gRBP":
        most = most + np.power(float(parameters["p"]), rankings.depth)
    return Bounds(least, most)


def _on_scale(
    rankings: RankedGrades, family: str, largest_label: float, top: float
) -> RankedGrades:
    """Rescale grades: their gains on the scale to `largest_label` become those on that to `top`."""
    if largest_label == 0:
        return rankings

    def rescaled(grade: Any) -> Any:
        gain_grade = np.maximum(grade, 0).astype(np.float64)
        gain = gain_grade * top / largest_label
        if family == "ERR":
            gain = np.log2(1 + (np.exp2(gain_grade) - 1) * 2 ** (top - largest_label))
        return np.where(grade > 0, np.minimum(gain, top), grade)

    return rankings._replace(
        grade=rescaled(rankings.grade), label_grade=rescaled(rankings.label_grade)
    )


def _ndcg_bounds(
    measure: Measure, rankings: RankedGrades, _: float, best_grade: float, n_unretrieved: Counts
) -> Bounds:
    settings = {"k": _cutoff(measure), "dcg": dict(measure.parameters)["dcg"]}
    return Bounds(
        *ndcg_bounds.ends(rankings, best_grade=best_grade, elsewhere=n_unretrieved, **settings)
    )


class _RatioMeasure(NamedTuple):
    """A measure whose value depends on R and on the positives within a cut-off.

    cutoff : R -> the last rank that counts
    value : from the positives and their precisions within the cut-off, and from R
    """

    cutoff: Callable[[PerQuery], PerQuery]
    value: Callable[[CutoffHits, PerQuery], PerQuery]


def _last_rank(k: int | None) -> Callable[[PerQuery], PerQuery]:
    return lambda total: np.full(len(total), np.inf if k is None else k)


def _r_precision(cap: float) -> _RatioMeasure:
    def depth(total: PerQuery) -> PerQuery:
        return np.minimum(total, cap) if cap else total

    return _RatioMeasure(depth, lambda inside, total: share(inside.hits, depth(total)))


def _f_measure(k: int | None, beta: float) -> _RatioMeasure:
    """F = (1 + beta^2) h / (beta^2 R + k), harmonic mean of h / k and h / R for h hits within k."""
    return _RatioMeasure(
        _last_rank(k),
        lambda inside, total: (1 + beta**2) * inside.hits / (beta**2 * total + float(k or 1)),
    )


_RATIOS: dict[str, Callable[[int | None, dict[str, Any]], _RatioMeasure]] = {
    "R": lambda k, _: _RatioMeasure(_last_rank(k), lambda inside, total: share(inside.hits, total)),
    "F": lambda k, parameters: _f_measure(k, parameters["beta"]),
    "Rprec": lambda *_: _r_precision(0),
    "PMRP": lambda _, parameters: _r_precision(parameters["cap"]),
    "AP": lambda k, _: _RatioMeasure(
        _last_rank(k), lambda inside, total: share(inside.precisions, total)
    ),
    "AP_retrieved": lambda k, _: _RatioMeasure(
        _last_rank(k), lambda inside, total: share(inside.precisions, inside.hits)
    ),
    "mAP@R": lambda *_: _RatioMeasure(
        lambda total: total, lambda inside, total: share(inside.precisions, total)
    ),
}


def _ratio_bounds(
    measure: Measure,
    rankings: RankedGrades,
    threshold: float,
    best_grade: float,
    n_unretrieved: Counts,
) -> Bounds:
    """AP, R, F, Rprec and their kin: attained ends, from the best and worst ranks of new positives.

    With t new positives R is fixed, and the value only rises as positives move up, or into the
    list: their m-th, a smaller rank, brings no smaller precision m / rank. So of all choices of t
    with e elsewhere it is best that as many as can be stand in the list, the first unjudged, and
    worst that the last t - e stand there, or none if t is smaller; the ends are those over t = 0,
    1, ..., all of them.
    """
    ratio = _RATIOS[measure.family](_cutoff(measure), dict(measure.parameters))
    lists = Completions(
        rankings, threshold, is_open=best_grade >= threshold, elsewhere=n_unretrieved
    )
    least, most = np.full(len(rankings.depth), np.inf), np.full(len(rankings.depth), -np.inf)
    for numbers, hits_of, reduce, end in (
        (lists.first(), lists.highest, np.maximum, most),
        (lists.last(), lists.lowest, np.minimum, least),
    ):
        total = (lists.total[numbers.query] + numbers.n_new + numbers.n_elsewhere).astype(
            np.float64
        )
        reduce.at(end, numbers.query, ratio.value(hits_of(numbers, ratio.cutoff(total)), total))
    return Bounds(least, most)


def _mean_r_precision_bounds(
    measure: Measure, rankings: RankedGrades, _: float, best_grade: float, n_unretrieved: Counts
) -> Bounds:
    """PMRP_mean: means of the ends for each zeta, which one completion need not reach at once."""
    parameters = dict(measure.parameters)
    r_precision = parse_one(f"PMRP(cap={parameters['cap']})")
    ends = [
        _ratio_bounds(r_precision, rankings, threshold, best_grade, n_unretrieved)
        for threshold in range(1, parameters["zetas"] + 1)
    ]
    return Bounds(*(np.mean(values, axis=0) for values in zip(*ends, strict=True)))


_BOUNDS: dict[str, Callable[[Measure, RankedGrades, float, float, Counts], Bounds]] = {
    **dict.fromkeys(("C", "Success", "P", "RR", "RBP"), _rising_bounds),
    **dict.fromkeys(("MedR", "MeanR"), _first_rank_bounds),
    **dict.fromkeys(("IPrec", "IPrec11"), _interpolated_bounds),
    **dict.fromkeys(("ERR", "gRBP"), _gain_bounds),
    **dict.fromkeys(_RATIOS, _ratio_bounds),
    "nDCG": _ndcg_bounds,
    "PMRP_mean": _mean_r_precision_bounds,
}
