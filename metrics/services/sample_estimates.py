"""Scores estimated from samples: each judged pair stands for undrawn or unjudged ones of its cell.

A pair that several samples could have drawn has a cell of its own: their strata together. A pair
that is labelled whatever the draw, by a reference set or in a pool that is no sample, stands for
itself.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Direction
from metrics.core.alignment import RankedGrades, join_parts
from metrics.core.label_sources import Grades, no_grades
from metrics.core.measures import Measure
from metrics.core.ranking import rank_in_query
from metrics.core.sample_totals import estimated_precision, estimated_rbp
from metrics.core.sampled import WeightedSample, inferred_ndcg, stratified_inferred_ap
from metrics.services.labels import EvaluationScope, Ids, ends, table
from metrics.services.measuring import CHUNK, labels_by_position
from metrics.services.ranks import matrix_of, ranked_grades, sources_per_chunk
from metrics.services.sampled_pools import UndrawnPairs, counts_undrawn, first_undrawn, names_from_facts
from pooling.core.selections import Pairs, is_in
from pooling.models import Pool, PoolPair, Run
from pooling.services.run_retirement import orphan_mask
from pooling.services.strata import SAMPLED, StrataUnknown, population_of


class EstimateKind(StrEnum):
    """The quality of a score on samples."""

    EXACT = "exact"  # no undrawn target is among its ranks
    UNBIASED = "unbiased"
    APPROXIMATE = "approximate"
    NOT_ESTIMABLE = "not estimable"  # counts undrawn targets as irrelevant


ESTIMATED = (EstimateKind.UNBIASED, EstimateKind.APPROXIMATE)
NEGLIGIBLE = 0.005  # of RBP, in whole: the most that the ranks beyond a sample could add


class PoolStrata(NamedTuple):
    """The pairs of a sampled pool's strata, by source and target.

    source, target, stratum : (M,); is_drawn : (M,); chance : (M,) with which each was drawn
    """

    source: Ids
    target: Ids
    stratum: Ids
    is_drawn: NDArray[np.bool_]
    chance: NDArray[np.float64]


class SampledPairs(NamedTuple):
    """Pairs of some queries that a sample could draw or that have a label, by source and target.

    grades : all of them, -1 without a label
    cell : (L,) 0 for pairs labelled whatever was drawn; pairs of one source and cell had the same
        chance
    chance : (L,); is_drawn : (L,)
    """

    grades: Grades
    cell: Ids
    chance: NDArray[np.float64]
    is_drawn: NDArray[np.bool_]


def strata_of(*, pool: Pool, scope: EvaluationScope, labelled: Grades) -> PoolStrata:
    """Return the pairs of a query set that a sampled pool could have drawn, and their chances.

    labelled : by source and target, the pairs that have a label
    Pairs that only retired runs hold are no longer handed out: unless all drawn ones of them have a
    label, they are in no stratum, drawn or not. The other pairs keep the chance of their stratum.
    Raises StrataUnknown.
    """
    population = population_of(pool=pool)
    is_forward = scope.direction == Direction.FORWARD
    source, target = (population.query, population.document) if is_forward else (population.document, population.query)
    cell = np.unique(source * (int(population.stratum.max(initial=0)) + 1) + population.stratum, return_inverse=True)[1].ravel()
    chance = (np.bincount(cell, weights=population.is_drawn) / np.maximum(np.bincount(cell), 1))[cell]
    counts = np.isin(source, scope.sources) & scope.counts(target)
    is_orphaned = orphan_mask(pool, population.query, population.document)
    is_labelled = is_in(source, target, Pairs(labelled.source, labelled.target))
    if np.any(counts & population.is_drawn & is_orphaned & ~is_labelled):
        counts &= ~is_orphaned
    columns = [column[counts] for column in (source, target, population.stratum, population.is_drawn, chance)]
    order = np.lexsort((columns[1], columns[0]))
    return PoolStrata(*(column[order] for column in columns))


def sample_of(
    *, collection: Collection, scope: EvaluationScope, labelled: Grades, reference: Grades | None = None
) -> SampledPairs | None:
    """Combine all samples of a collection on a query set.

    None if the strata of one of them are unknown.
    labelled : the labels that count; reference : those among them that come from reference sets, if
        any
    """
    try:
        parts = [strata_of(pool=pool, scope=scope, labelled=labelled) for pool in _pools(collection, scope.direction)]
    except StrataUnknown:
        return None
    width = 1 + max(int(pairs.target.max(initial=0)) for pairs in (labelled, *parts))
    label_codes = labelled.source * width + labelled.target
    codes = [part.source * width + part.target for part in parts]
    pair = np.unique(np.concatenate([label_codes, *codes]))
    missed_chance, is_drawn, is_in_sample = np.ones(len(pair)), np.zeros(len(pair), dtype=bool), np.zeros(len(pair), dtype=bool)
    cell, grade = np.zeros(len(pair), dtype=np.int64), np.full(len(pair), -1)
    for part, code in zip(parts, codes, strict=True):
        positions = np.searchsorted(pair, code)
        missed_chance[positions] *= 1 - part.chance
        is_drawn[positions] |= part.is_drawn
        is_in_sample[positions] = True
        cell *= int(part.stratum.max(initial=0)) + 2
        cell[positions] += part.stratum + 1
        cell = np.unique(cell, return_inverse=True)[1].ravel()
    grade[np.searchsorted(pair, label_codes)] = labelled.grade
    grades = Grades(pair // width, pair % width, grade)
    reference_labels = reference or no_grades()
    stands_alone = is_in(grades.source, grades.target, Pairs(reference_labels.source, reference_labels.target))
    drawn_pairs = Pairs(grades.source[is_drawn], grades.target[is_drawn])
    is_whole, is_judged = _in_whole_pools(collection, scope, grades, drawn_pairs)
    stands_alone = (grade >= 0) & (stands_alone | ~is_in_sample | (is_whole & is_judged) | ~(is_drawn | is_whole))
    is_drawn |= stands_alone
    grades = grades._replace(grade=np.where(is_drawn, grade, -1))
    return SampledPairs(grades, np.where(stands_alone, 0, cell + 1), np.where(stands_alone, 1.0, 1 - missed_chance), is_drawn)


def _pools(collection: Collection, direction: Direction) -> list[Pool]:
    """Return the sampled pools of one direction.

    Raises StrataUnknown if one is not of this direction alone.
    A pool of the other direction draws with chances that differ within a query and stratum.
    """
    pools = list(Pool.objects.filter(collection=collection, strategy=SAMPLED, opened_at__isnull=False).order_by("pk"))
    for pool in pools:
        if set(pool.runs.values_list("direction", flat=True)) != {direction}:
            raise StrataUnknown("it is of the other direction, or of both.")
    return pools


def _in_whole_pools(
    collection: Collection, scope: EvaluationScope, grades: Grades, drawn_pairs: Pairs
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(L,) mask of pairs in a pool that is no sample.

    (L,) mask of pairs whose query those pools judged fully.
    drawn_pairs : the pairs that samples drew. Other pairs of such pools tell if a query is judged:
        the
    drawn ones are judged for the samples' sake, and would stand for themselves just because they
    were drawn.
    """
    rows = PoolPair.objects.filter(pool__collection=collection).exclude(pool__strategy=SAMPLED)
    source, target = ends(scope.direction)
    pooled = Pairs(*table(rows.values_list(f"pair__{source}", f"pair__{target}").distinct(), 2).T)
    is_undrawn = scope.counts(pooled.target) & ~is_in(*pooled, drawn_pairs)
    has_grade = grades.grade >= 0
    has_label = is_in(*pooled, Pairs(grades.source[has_grade], grades.target[has_grade]))
    judged = np.setdiff1d(pooled.source[is_undrawn & has_label], pooled.source[is_undrawn & ~has_label])
    return is_in(grades.source, grades.target, pooled), np.isin(grades.source, judged)


def kind_of(measure: Measure) -> EstimateKind:
    """Return how well a measure can be estimated if it counts undrawn targets."""
    is_usual = dict(measure.parameters).get("dcg", "log2") == "log2" and not measure.judged_only
    kinds = {"P": EstimateKind.UNBIASED, "RBP": EstimateKind.UNBIASED, "AP": EstimateKind.APPROXIMATE, "nDCG": EstimateKind.APPROXIMATE}
    return kinds.get(measure.family, EstimateKind.NOT_ESTIMABLE) if is_usual else EstimateKind.NOT_ESTIMABLE


class RunEstimates(NamedTuple):
    """One run's estimates.

    values : (Q,) of each measure, as `kind_of` says; NaN for a query with a pair of a cell of which
        nothing is judged
    covered : the smallest number of first ranks that hold nothing but pairs of the sample, over the
        queries in which the run goes on beyond them; infinite where it never leaves the sample
    """

    values: list[NDArray[np.float64]]
    covered: float


def estimates_of(
    *, run: Run, scope: EvaluationScope, sample: SampledPairs, measures: Sequence[Measure], threshold: int
) -> RunEstimates:
    """Estimate some measures of a run from a sample."""
    rows = sample.is_drawn
    drawn_grades = Grades(*(column[rows] for column in sample.grades))
    ranked, of_drawn = _ranked(run, scope, [sample.grades, drawn_grades])
    weighted = WeightedSample(of_drawn, sample.chance[rows], sample.cell[rows])
    n_queries = len(ranked.depth)
    is_next = ranked.rank == rank_in_query(ranked.query, n_queries)
    n_first = np.bincount(ranked.query[is_next], minlength=n_queries)
    covered = n_first[n_first < ranked.depth].min(initial=2**31)
    values = [_estimate(measure, ranked, sample.cell, weighted, threshold) for measure in measures]
    return RunEstimates(values, np.inf if covered == 2**31 else float(covered))


def is_covered(measure: Measure, covered: float) -> bool:
    """True if a measure depends not, or hardly, on ranks beyond those that a sample covers.

    P@k depends on k ranks; RBP gives those beyond d together p^d. AP and nDCG take targets beyond
    for irrelevant.
    """
    if measure.family == "RBP":
        return bool(dict(measure.parameters)["p"] ** covered <= NEGLIGIBLE)
    return measure.family != "P" or covered >= (measure.cutoff or 0)


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
    labelled: Grades,
    reference: Grades | None,
    undrawn: UndrawnPairs,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    threshold: int,
) -> SampleScores:
    """Return the kind of each measure on samples, and estimates where possible.

    See `sample_of` for the labels.
    """
    firsts = [first_undrawn(run=run, scope=scope, undrawn=undrawn) for run in runs] if undrawn else []
    kinds = [kind_of(measure) if counts_undrawn(measure, firsts) else EstimateKind.EXACT for measure in measures]
    estimated = [index for index, kind in enumerate(kinds) if kind in ESTIMATED]
    no_values: list[dict[int, NDArray[np.float64]]] = [{} for _ in runs]
    if not estimated:
        return SampleScores(kinds, no_values)
    sample = None
    if not (undrawn.is_unknown or undrawn.sets):
        sample = sample_of(collection=collection, scope=scope, labelled=labelled, reference=reference)
    if sample is None:
        return SampleScores([EstimateKind.NOT_ESTIMABLE if kind in ESTIMATED else kind for kind in kinds], no_values)
    arguments = {"scope": scope, "sample": sample, "measures": [measures[index] for index in estimated]}
    run_estimates = [estimates_of(run=run, threshold=threshold, **arguments) for run in runs]
    covered = min((estimates.covered for estimates in run_estimates), default=np.inf)
    for index in estimated:
        if not is_covered(measures[index], covered):
            kinds[index] = EstimateKind.NOT_ESTIMABLE
    values = [dict(zip(estimated, estimates.values, strict=True)) for estimates in run_estimates]
    return SampleScores(kinds, [{position: measure_values for position, measure_values in estimates.items() if kinds[position] in ESTIMATED} for estimates in values])


def _estimate(
    measure: Measure, ranked: RankedGrades, cell: Ids, weighted: WeightedSample, threshold: int
) -> NDArray[np.float64]:
    arguments = {"threshold": measure.threshold(threshold)}
    k = None if measure.cutoff is None else int(measure.cutoff)
    match measure.family:
        case "P":
            return estimated_precision(weighted, k=int(measure.cutoff or 1), **arguments).value
        case "RBP":
            return estimated_rbp(weighted, p=dict(measure.parameters)["p"], **arguments).value
    is_ap = measure.family == "AP"
    estimates = stratified_inferred_ap(ranked, cell, k=k, **arguments) if is_ap else inferred_ndcg(ranked, cell, k=k)
    estimates[without_judged(ranked, cell)] = np.nan  # inference from the cells would take them for empty
    return estimates


def without_judged(ranked: RankedGrades, cell: Ids) -> NDArray[np.bool_]:
    """(Q,) mask of queries with a cell of which nothing is judged.

    cell : (L,) by the rows of the labels
    """
    key = ranked.label_query * (int(cell.max(initial=0)) + 1) + cell[ranked.label_row]
    lacking = ~np.isin(key, key[ranked.label_grade >= 0])
    return np.bincount(ranked.label_query[lacking], minlength=len(ranked.depth)) > 0


def _ranked(run: Run, scope: EvaluationScope, tables: Sequence[Grades]) -> list[RankedGrades]:
    """Rank the pairs of each table in a run; its rankings are read in chunks."""
    matrix = matrix_of(run)
    step = sources_per_chunk(matrix=matrix, limit=CHUNK)
    chunks = [scope.sources[start : start + step] for start in range(0, len(scope.sources), step)]
    parts = [
        ranked_grades(
            run=run, matrix=matrix, scope=scope, sources=chunk, tables=[labels_by_position(grades, chunk) for grades in tables]
        )
        for chunk in chunks
    ]
    return [join_parts(part) for part in zip(*parts, strict=True)]


_ON_SAMPLES = {
    EstimateKind.UNBIASED: "Estimated without bias, each judged pair standing for those of its stratum that were not drawn or "
    "not judged: {}; an interval holds the chance of the draw too, and an estimate may pass 100 %.",
    EstimateKind.APPROXIMATE: "Estimated approximately, AP as xinfAP and nDCG as infNDCG: {}; their bias is not known, so "
    "there is no interval, and no runs are told apart; undefined while some query has a stratum without a label.",
    EstimateKind.NOT_ESTIMABLE: "Marked †, as they count what was not drawn as irrelevant, and are off by an unknown amount: "
    "{}; there is no interval, and no runs are told apart.",
}
_WHERE_ESTIMATED = "P@k and RBP are estimated where all chosen runs were pooled as deep as they look."
_OF_REFERENCES = "From a reference that is a sample nothing is estimated here; evaluate infers AP and nDCG from files."


def undrawn_sentences(undrawn: dict[str, Any], kinds: Mapping[str, str], sources: str) -> str:
    """Word the notice about pairs that no sample drew.

    undrawn : the result of UndrawnPairs.facts; kinds : by the measures' names
    sources : the noun for the source items
    """
    n, samples = undrawn["n"], names_from_facts(undrawn)
    if not samples:
        return "This collection has a sample: which scores that touches is being found out."
    names = ", ".join(samples)
    subject = f"{names[0].upper()}{names[1:]} {'is a sample' if len(samples) == 1 else 'are samples'}"
    left = f"{subject}: which pairs of these {sources} were not drawn is not known"
    if n is not None:
        left = f"{subject}: {n:,} pair{'s'[: n != 1]} of these {sources} {'were' if n != 1 else 'was'} not drawn"
        if n_waiting := undrawn["n_waiting"]:
            left += f", and {n_waiting:,} drawn {'ones have' if n_waiting != 1 else 'one has'} no label"
    of_kind = {kind: ", ".join(name for name, measure_kind in kinds.items() if measure_kind == kind) for kind in _ON_SAMPLES}
    sentences = [text.format(of_kind[kind]) for kind, text in _ON_SAMPLES.items() if of_kind[kind]]
    if of_kind[EstimateKind.NOT_ESTIMABLE]:
        sentences.append(_OF_REFERENCES if undrawn.get("sets") else _WHERE_ESTIMATED)
    if not sentences:
        return f"{left}, none of them among the ranks that these measures look at."
    return f"{left}. {' '.join(sentences)}"
