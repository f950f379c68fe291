"""Scores estimated from samples: each judged pair stands for undrawn or unjudged ones of its cell.

The cells are those of pairs.py.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection
from metrics.core.labels.label_sources import Grades
from metrics.core.measures.alignment import RankedGrades, join_parts
from metrics.core.measures.inferred_measures import (
    WeightedSample,
    inferred_ndcg,
    stratified_inferred_ap,
)
from metrics.core.measures.measures import Measure
from metrics.core.measures.ranking import rank_in_query
from metrics.core.pools.sample_totals import estimated_precision, estimated_rbp
from metrics.core.pools.undrawn_targets import counts_undrawn
from metrics.services.samples.pairs import SampledPairs, sample_of
from metrics.services.samples.pools import UndrawnPairs, first_undrawn
from metrics.services.scores.labels import EvaluationScope, Ids
from metrics.services.scores.measuring import CHUNK, labels_by_position
from metrics.services.scores.ranks import matrix_of, ranked_grades, sources_per_chunk
from pooling.models import Run


class EstimateKind(StrEnum):
    """The quality of a score on samples. Kept values and files hold these texts."""

    EXACT = "exact"  # no undrawn target is among its ranks
    UNBIASED = "unbiased"
    APPROXIMATE = "approximate"
    NOT_ESTIMABLE = "not estimable"  # counts undrawn targets as irrelevant

    @property
    def label(self) -> str:
        """The kind in words, for pages."""
        return LABELS[self]

    @property
    def is_estimable(self) -> bool:
        """False if the score counts undrawn targets as irrelevant: it is marked on pages."""
        return self != EstimateKind.NOT_ESTIMABLE


LABELS = {
    EstimateKind.EXACT: "exact",
    EstimateKind.UNBIASED: "unbiased",
    EstimateKind.APPROXIMATE: "approximate",
    EstimateKind.NOT_ESTIMABLE: "not estimable",
}
ESTIMATED = (EstimateKind.UNBIASED, EstimateKind.APPROXIMATE)
NEGLIGIBLE = 0.005  # of RBP, in whole: the most that the ranks beyond a sample could add


def kind_of(measure: Measure) -> EstimateKind:
    """Return how well a measure can be estimated if it counts undrawn targets."""
    is_usual = dict(measure.parameters).get("dcg", "log2") == "log2" and not measure.judged_only
    kinds = {
        "P": EstimateKind.UNBIASED,
        "RBP": EstimateKind.UNBIASED,
        "AP": EstimateKind.APPROXIMATE,
        "nDCG": EstimateKind.APPROXIMATE,
    }
    if not is_usual:
        return EstimateKind.NOT_ESTIMABLE
    return kinds.get(measure.family, EstimateKind.NOT_ESTIMABLE)


class RunEstimates(NamedTuple):
    """One run's estimates.

    values : (Q,) of each measure, as `kind_of` says; NaN for a query with a pair of a cell of which
        nothing is judged
    covered_depth : the smallest number of first ranks that hold nothing but pairs of the sample,
        over the queries in which the run goes on beyond them; infinite where it never leaves the
        sample
    """

    values: list[NDArray[np.float64]]
    covered_depth: float


def estimates_of(
    *,
    run: Run,
    scope: EvaluationScope,
    sample: SampledPairs,
    measures: Sequence[Measure],
    threshold: int,
) -> RunEstimates:
    """Estimate some measures of a run from a sample."""
    rows = sample.is_drawn
    drawn_grades = Grades(*(column[rows] for column in sample.grades))
    rankings, of_drawn = _ranked(run, scope, [sample.grades, drawn_grades])
    weighted_sample = WeightedSample(of_drawn, sample.chance[rows], sample.cell[rows])
    n_queries = len(rankings.depth)
    is_next = rankings.rank == rank_in_query(rankings.query, n_queries)
    n_first = np.bincount(rankings.query[is_next], minlength=n_queries)
    covered_depth = n_first[n_first < rankings.depth].min(initial=2**31)
    values = [
        _estimate(measure, rankings, sample.cell, weighted_sample, threshold)
        for measure in measures
    ]
    return RunEstimates(values, np.inf if covered_depth == 2**31 else float(covered_depth))


def is_covered(measure: Measure, covered_depth: float) -> bool:
    """True if a measure depends not, or hardly, on ranks beyond those that a sample covers.

    P@k depends on k ranks; RBP gives those beyond d together p^d. AP and nDCG take targets beyond
    for irrelevant.
    """
    if measure.family == "RBP":
        return bool(dict(measure.parameters)["p"] ** covered_depth <= NEGLIGIBLE)
    return measure.family != "P" or covered_depth >= (measure.cutoff or 0)


class SampleScores(NamedTuple):
    """The kinds and estimates of measures on a collection's samples.

    kinds : one per measure; values : one per run, (Q,) by the index of each estimated measure
    """

    kinds: list[EstimateKind]
    values: list[dict[int, NDArray[np.float64]]]


def estimate_on_samples(
    *,
    collection: Collection,
    scope: EvaluationScope,
    labels: Grades,
    reference: Grades | None,
    undrawn: UndrawnPairs,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    threshold: int,
) -> SampleScores:
    """Return the kind of each measure on samples, and estimates where possible.

    labels, reference : as in `sample_of`
    """
    kinds = _kinds(measures, runs, scope, undrawn)
    estimated_rows = [index for index, kind in enumerate(kinds) if kind in ESTIMATED]
    no_values: list[dict[int, NDArray[np.float64]]] = [{} for _ in runs]
    if not estimated_rows:
        return SampleScores(kinds, no_values)
    sample = None
    if not (undrawn.is_unknown or undrawn.sets):
        sample = sample_of(collection=collection, scope=scope, labels=labels, reference=reference)
    if sample is None:
        for index in estimated_rows:
            kinds[index] = EstimateKind.NOT_ESTIMABLE
        return SampleScores(kinds, no_values)
    estimated_measures = [measures[index] for index in estimated_rows]
    run_estimates = [
        estimates_of(
            run=run,
            scope=scope,
            sample=sample,
            measures=estimated_measures,
            threshold=threshold,
        )
        for run in runs
    ]
    covered_depth = min((estimates.covered_depth for estimates in run_estimates), default=np.inf)
    for index in estimated_rows:
        if not is_covered(measures[index], covered_depth):
            kinds[index] = EstimateKind.NOT_ESTIMABLE
    values = [
        dict(zip(estimated_rows, estimates.values, strict=True)) for estimates in run_estimates
    ]
    estimable = [index for index in estimated_rows if kinds[index] in ESTIMATED]
    return SampleScores(kinds, [{index: row[index] for index in estimable} for row in values])


def _kinds(
    measures: Sequence[Measure], runs: Sequence[Run], scope: EvaluationScope, undrawn: UndrawnPairs
) -> list[EstimateKind]:
    """The kind of each measure, by the ranks of undrawn pairs in the runs."""
    firsts = []
    if undrawn:
        firsts = [first_undrawn(run=run, scope=scope, undrawn=undrawn) for run in runs]
    return [
        kind_of(measure) if counts_undrawn(measure, firsts) else EstimateKind.EXACT
        for measure in measures
    ]


def _estimate(
    measure: Measure,
    rankings: RankedGrades,
    cell: Ids,
    weighted_sample: WeightedSample,
    threshold: int,
) -> NDArray[np.float64]:
    grade = measure.threshold(threshold)
    k = None if measure.cutoff is None else int(measure.cutoff)
    match measure.family:
        case "P":
            return estimated_precision(
                weighted_sample, k=int(measure.cutoff or 1), threshold=grade
            ).value
        case "RBP":
            p = dict(measure.parameters)["p"]
            return estimated_rbp(weighted_sample, p=p, threshold=grade).value
    if measure.family == "AP":
        estimates = stratified_inferred_ap(rankings, cell, k=k, threshold=grade)
    else:
        estimates = inferred_ndcg(rankings, cell, k=k)
    # inference from the cells would take them for empty
    estimates[has_unjudged_cell(rankings, cell)] = np.nan
    return estimates


def has_unjudged_cell(rankings: RankedGrades, cell: Ids) -> NDArray[np.bool_]:
    """(Q,) mask of queries with a cell of which nothing is judged.

    cell : (L,) by the rows of the labels
    """
    key = rankings.label_query * (int(cell.max(initial=0)) + 1) + cell[rankings.label_row]
    is_in_unjudged_cell = ~np.isin(key, key[rankings.label_grade >= 0])
    return np.bincount(rankings.label_query[is_in_unjudged_cell], minlength=len(rankings.depth)) > 0


def _ranked(run: Run, scope: EvaluationScope, tables: Sequence[Grades]) -> list[RankedGrades]:
    """Rank the pairs of each table in a run; its rankings are read in chunks."""
    matrix = matrix_of(run)
    step = sources_per_chunk(matrix=matrix, limit=CHUNK)
    chunks = [scope.sources[start : start + step] for start in range(0, len(scope.sources), step)]
    parts = [
        ranked_grades(
            run=run,
            matrix=matrix,
            scope=scope,
            sources=chunk,
            tables=[labels_by_position(grades, chunk) for grades in tables],
        )
        for chunk in chunks
    ]
    return [join_parts(part) for part in zip(*parts, strict=True)]
