"""Scores estimated from samples: each judged pair stands for those of its cell that were not drawn, or not judged.

A pair that several samples could have drawn has a cell of its own: their strata together. What is labelled whatever the
draw, by a reference set or in a pool that is no sample, stands for itself.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Direction
from metrics.core.alignment import RankedGrades, joined
from metrics.core.label_sources import Grades, no_grades
from metrics.core.measures import Measure
from metrics.core.ranking import place_in_query
from metrics.core.sample_totals import estimated_precision, estimated_rbp
from metrics.core.sampled import Weighted, inferred_ndcg, stratified_inferred_ap
from metrics.services.labels import Ids, Scope, ends, table
from metrics.services.measuring import CHUNK, labels_by_place
from metrics.services.ranks import matrix_of, ranked_grades, sources_at_once
from metrics.services.sampled_pools import Undrawn, counts_undrawn, first_undrawn, named
from pooling.core.selections import Pairs, is_in
from pooling.models import Pool, PoolPair, Run
from pooling.services.retiring import orphaned
from pooling.services.strata import SAMPLED, StrataUnknown, population_of


class Kind(StrEnum):
    """What a score on samples is."""

    EXACT = "exact"  # nothing undrawn is among the ranks that it looks at
    UNBIASED = "unbiased"
    APPROXIMATE = "approximate"
    NOT_ESTIMABLE = "not estimable"  # counts what was not drawn as irrelevant


ESTIMATED = (Kind.UNBIASED, Kind.APPROXIMATE)
NEGLIGIBLE = 0.005  # of RBP, in whole: what the ranks beyond a sample could add


class Strata(NamedTuple):
    """The pairs of a sampled pool's strata, by source and target.

    source, target, stratum : (M,); is_drawn : (M,); chance : (M,) with which each was drawn
    """

    source: Ids
    target: Ids
    stratum: Ids
    is_drawn: NDArray[np.bool_]
    chance: NDArray[np.float64]


class Sample(NamedTuple):
    """Every pair of some queries that a sample had a chance to draw, and every labelled one, by source and target.

    grades : all of them, -1 without a label
    cell : (L,) 0 for what is labelled whatever was drawn; pairs of one source and one cell had the same chance
    chance : (L,); is_drawn : (L,)
    """

    grades: Grades
    cell: Ids
    chance: NDArray[np.float64]
    is_drawn: NDArray[np.bool_]


def strata_of(*, pool: Pool, scope: Scope, labelled: Grades) -> Strata:
    """What a sampled pool could have drawn of a query set, with what chance. Raises StrataUnknown.

    labelled : by source and target, the pairs that have a label
    Pairs that only retired runs hold are given to nobody any more: unless all that were drawn of them have a label,
    they are in no stratum, drawn or not. What is left keeps the chance with which its stratum was drawn.
    """
    found = population_of(pool=pool)
    is_forward = scope.direction == Direction.FORWARD
    source, target = (found.query, found.document) if is_forward else (found.document, found.query)
    cell = np.unique(source * (int(found.stratum.max(initial=0)) + 1) + found.stratum, return_inverse=True)[1].ravel()
    chance = (np.bincount(cell, weights=found.is_drawn) / np.maximum(np.bincount(cell), 1))[cell]
    counts = np.isin(source, scope.sources) & scope.counts(target)
    is_left = orphaned(pool, found.query, found.document)
    said = is_in(source, target, Pairs(labelled.source, labelled.target))
    if np.any(counts & found.is_drawn & is_left & ~said):
        counts &= ~is_left
    columns = [column[counts] for column in (source, target, found.stratum, found.is_drawn, chance)]
    order = np.lexsort((columns[1], columns[0]))
    return Strata(*(column[order] for column in columns))


def sample_of(
    *, collection: Collection, scope: Scope, labelled: Grades, reference: Grades | None = None
) -> Sample | None:
    """What all samples of a collection say of a query set; None where the strata of one of them cannot be told.

    labelled : the labels that count; reference : those among them that come from reference sets, if any
    """
    try:
        parts = [strata_of(pool=pool, scope=scope, labelled=labelled) for pool in _pools(collection, scope.direction)]
    except StrataUnknown:
        return None
    width = 1 + max(int(each.target.max(initial=0)) for each in (labelled, *parts))
    own = labelled.source * width + labelled.target
    codes = [part.source * width + part.target for part in parts]
    pair = np.unique(np.concatenate([own, *codes]))
    missed, is_drawn, is_in_one = np.ones(len(pair)), np.zeros(len(pair), dtype=bool), np.zeros(len(pair), dtype=bool)
    cell, grade = np.zeros(len(pair), dtype=np.int64), np.full(len(pair), -1)
    for part, code in zip(parts, codes, strict=True):
        place = np.searchsorted(pair, code)
        missed[place] *= 1 - part.chance
        is_drawn[place] |= part.is_drawn
        is_in_one[place] = True
        cell *= int(part.stratum.max(initial=0)) + 2
        cell[place] += part.stratum + 1
        cell = np.unique(cell, return_inverse=True)[1].ravel()
    grade[np.searchsorted(pair, own)] = labelled.grade
    grades = Grades(pair // width, pair % width, grade)
    by_set = reference or no_grades()
    stands = is_in(grades.source, grades.target, Pairs(by_set.source, by_set.target))
    drawn = Pairs(grades.source[is_drawn], grades.target[is_drawn])
    is_whole, is_judged = _in_whole_pools(collection, scope, grades, drawn)
    stands = (grade >= 0) & (stands | ~is_in_one | (is_whole & is_judged) | ~(is_drawn | is_whole))
    is_drawn |= stands
    grades = grades._replace(grade=np.where(is_drawn, grade, -1))
    return Sample(grades, np.where(stands, 0, cell + 1), np.where(stands, 1.0, 1 - missed), is_drawn)


def _pools(collection: Collection, direction: Direction) -> list[Pool]:
    """The samples; one that is of the other direction draws with chances that differ within a query and stratum."""
    pools = list(Pool.objects.filter(collection=collection, strategy=SAMPLED, opened_at__isnull=False).order_by("pk"))
    for pool in pools:
        if set(pool.runs.values_list("direction", flat=True)) != {direction}:
            raise StrataUnknown("it is of the other direction, or of both.")
    return pools


def _in_whole_pools(
    collection: Collection, scope: Scope, grades: Grades, drawn: Pairs
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(L,) which pairs are in a pool that is no sample; (L,) of which queries all of those pools is judged.

    drawn : the pairs that samples drew. Whether a query is judged is seen by what such pools hold beside them: the
    drawn ones are judged for the samples' sake, and would stand for themselves just because they were drawn.
    """
    rows = PoolPair.objects.filter(pool__collection=collection).exclude(pool__strategy=SAMPLED)
    source, target = ends(scope.direction)
    pooled = Pairs(*table(rows.values_list(f"pair__{source}", f"pair__{target}").distinct(), 2).T)
    beside = scope.counts(pooled.target) & ~is_in(*pooled, drawn)
    said = grades.grade >= 0
    has_label = is_in(*pooled, Pairs(grades.source[said], grades.target[said]))
    judged = np.setdiff1d(pooled.source[beside & has_label], pooled.source[beside & ~has_label])
    return is_in(grades.source, grades.target, pooled), np.isin(grades.source, judged)


def kind_of(measure: Measure) -> Kind:
    """What can be said by a measure of what was not drawn."""
    is_usual = dict(measure.parameters).get("dcg", "log2") == "log2" and not measure.judged_only
    kinds = {"P": Kind.UNBIASED, "RBP": Kind.UNBIASED, "AP": Kind.APPROXIMATE, "nDCG": Kind.APPROXIMATE}
    return kinds.get(measure.family, Kind.NOT_ESTIMABLE) if is_usual else Kind.NOT_ESTIMABLE


class Estimated(NamedTuple):
    """One run's estimates.

    values : (Q,) of each measure, as `kind_of` says; NaN for a query with a pair of a cell of which nothing is judged
    covered : the smallest number of first ranks that hold nothing but pairs of the sample, over the queries in which
        the run goes on beyond them; infinite where it never leaves the sample
    """

    values: list[NDArray[np.float64]]
    covered: float


def estimates_of(
    *, run: Run, scope: Scope, sample: Sample, measures: Sequence[Measure], threshold: int
) -> Estimated:
    """What a sample says of a run by some measures."""
    rows = sample.is_drawn
    drawn = Grades(*(column[rows] for column in sample.grades))
    ranked, of_drawn = _ranked(run, scope, [sample.grades, drawn])
    weighted = Weighted(of_drawn, sample.chance[rows], sample.cell[rows])
    n_queries = len(ranked.depth)
    is_next = ranked.rank == place_in_query(ranked.query, n_queries)
    n_first = np.bincount(ranked.query[is_next], minlength=n_queries)
    covered = n_first[n_first < ranked.depth].min(initial=2**31)
    values = [_estimate(measure, ranked, sample.cell, weighted, threshold) for measure in measures]
    return Estimated(values, np.inf if covered == 2**31 else float(covered))


def is_covered(measure: Measure, covered: float) -> bool:
    """Whether a measure looks at nothing, or hardly anything, beyond the first ranks that a sample covers.

    P@k looks at k of them; RBP gives those beyond d together p^d. AP and nDCG take what lies beyond for irrelevant.
    """
    if measure.family == "RBP":
        return bool(dict(measure.parameters)["p"] ** covered <= NEGLIGIBLE)
    return measure.family != "P" or covered >= (measure.cutoff or 0)


class OnSamples(NamedTuple):
    """What measures are on a collection's samples.

    kinds : one a measure; values : a run each, (Q,) by the place of each measure that is estimated
    """

    kinds: list[Kind]
    values: list[dict[int, NDArray[np.float64]]]


def on_samples(
    *,
    collection: Collection,
    scope: Scope,
    labelled: Grades,
    reference: Grades | None,
    undrawn: Undrawn,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    threshold: int,
) -> OnSamples:
    """What each measure is on samples, and the estimates by those that allow one; see `sample_of` for the labels."""
    firsts = [first_undrawn(run=run, scope=scope, undrawn=undrawn) for run in runs] if undrawn else []
    kinds = [kind_of(measure) if counts_undrawn(measure, firsts) else Kind.EXACT for measure in measures]
    places = [place for place, kind in enumerate(kinds) if kind in ESTIMATED]
    nothing: list[dict[int, NDArray[np.float64]]] = [{} for _ in runs]
    if not places:
        return OnSamples(kinds, nothing)
    sample = None
    if not (undrawn.is_unknown or undrawn.sets):
        sample = sample_of(collection=collection, scope=scope, labelled=labelled, reference=reference)
    if sample is None:
        return OnSamples([Kind.NOT_ESTIMABLE if kind in ESTIMATED else kind for kind in kinds], nothing)
    told = {"scope": scope, "sample": sample, "measures": [measures[place] for place in places]}
    found = [estimates_of(run=run, threshold=threshold, **told) for run in runs]
    covered = min((each.covered for each in found), default=np.inf)
    for place in places:
        if not is_covered(measures[place], covered):
            kinds[place] = Kind.NOT_ESTIMABLE
    values = [dict(zip(places, each.values, strict=True)) for each in found]
    return OnSamples(kinds, [{at: own for at, own in each.items() if kinds[at] in ESTIMATED} for each in values])


def _estimate(
    measure: Measure, ranked: RankedGrades, cell: Ids, weighted: Weighted, threshold: int
) -> NDArray[np.float64]:
    told = {"threshold": measure.threshold(threshold)}
    k = None if measure.cutoff is None else int(measure.cutoff)
    match measure.family:
        case "P":
            return estimated_precision(weighted, k=int(measure.cutoff or 1), **told).value
        case "RBP":
            return estimated_rbp(weighted, p=dict(measure.parameters)["p"], **told).value
    is_ap = measure.family == "AP"
    found = stratified_inferred_ap(ranked, cell, k=k, **told) if is_ap else inferred_ndcg(ranked, cell, k=k)
    found[without_judged(ranked, cell)] = np.nan  # what infers from the cells would take them for empty
    return found


def without_judged(ranked: RankedGrades, cell: Ids) -> NDArray[np.bool_]:
    """(Q,) which queries have a cell of which nothing is judged. cell : (L,) by the rows of the labels"""
    key = ranked.label_query * (int(cell.max(initial=0)) + 1) + cell[ranked.label_row]
    lacking = ~np.isin(key, key[ranked.label_grade >= 0])
    return np.bincount(ranked.label_query[lacking], minlength=len(ranked.depth)) > 0


def _ranked(run: Run, scope: Scope, tables: Sequence[Grades]) -> list[RankedGrades]:
    """Where a run has the pairs of each table; its rankings are read in chunks."""
    matrix = matrix_of(run)
    step = sources_at_once(matrix=matrix, most=CHUNK)
    chunks = [scope.sources[start : start + step] for start in range(0, len(scope.sources), step)]
    parts = [
        ranked_grades(
            run=run, matrix=matrix, scope=scope, sources=chunk, tables=[labels_by_place(each, chunk) for each in tables]
        )
        for chunk in chunks
    ]
    return [joined(part) for part in zip(*parts, strict=True)]


_ON_SAMPLES = {
    Kind.UNBIASED: "Estimated without bias, each judged pair standing for those of its stratum that were not drawn or "
    "not judged: {}; an interval holds the chance of the draw too, and an estimate may pass 100 %.",
    Kind.APPROXIMATE: "Estimated approximately, AP as xinfAP and nDCG as infNDCG: {}; their bias is not known, so "
    "there is no interval, and no runs are told apart; undefined while some query has a stratum without a label.",
    Kind.NOT_ESTIMABLE: "Marked †, as they count what was not drawn as irrelevant, and are off by an unknown amount: "
    "{}; there is no interval, and no runs are told apart.",
}
_WHERE_ESTIMATED = "P@k and RBP are estimated where all chosen runs were pooled as deep as they look."
_OF_REFERENCES = "From a reference that is a sample nothing is estimated here; evaluate infers AP and nDCG from files."


def told(undrawn: dict[str, Any], kinds: Mapping[str, str], sources: str) -> str:
    """What a page says of pairs that no sample drew.

    undrawn : what Undrawn.facts says; kinds : by the measures' names
    sources : what is retrieved with, as the page calls it
    """
    n, samples = undrawn["n"], named(undrawn)
    if not samples:
        return "This collection has a sample: which scores that touches is being found out."
    names = ", ".join(samples)
    who = f"{names[0].upper()}{names[1:]} {'is a sample' if len(samples) == 1 else 'are samples'}"
    left = f"{who}: which pairs of these {sources} were not drawn is not known"
    if n is not None:
        left = f"{who}: {n:,} pair{'s'[: n != 1]} of these {sources} {'were' if n != 1 else 'was'} not drawn"
        if n_waiting := undrawn["n_waiting"]:
            left += f", and {n_waiting:,} drawn {'ones have' if n_waiting != 1 else 'one has'} no label"
    of_kind = {kind: ", ".join(name for name, own in kinds.items() if own == kind) for kind in _ON_SAMPLES}
    said = [text.format(of_kind[kind]) for kind, text in _ON_SAMPLES.items() if of_kind[kind]]
    if of_kind[Kind.NOT_ESTIMABLE]:
        said.append(_OF_REFERENCES if undrawn.get("sets") else _WHERE_ESTIMATED)
    if not said:
        return f"{left}, none of them among the ranks that these measures look at."
    return f"{left}. {' '.join(said)}"
