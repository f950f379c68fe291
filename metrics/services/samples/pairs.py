"""The pairs of a query set that samples could draw: their strata, chances and labels.

A pair that several samples could have drawn has a cell of its own: their strata together. A pair
that is labelled whatever the draw, by a reference set or in a pool that is no sample, stands for
itself.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import difference
from annotate.models import Collection, Direction
from annotate.services.storage.number_arrays import table
from metrics.core.labels.label_sources import Grades, no_grades
from metrics.services.scores.labels import EvaluationScope, Ids, ends
from pooling.core.strategies.selections import Pairs, is_in
from pooling.models import Pool, PoolPair
from pooling.services.pools.run_retirement import orphan_mask
from pooling.services.pools.strata import SAMPLED, StrataUnknown, population_of


class PoolStrata(NamedTuple):
    """The pairs of a sampled pool's strata, by source and target.

    source, target, stratum : (M,); is_drawn : (M,); chance : (M,) with which each was drawn
    """

    source: Ids
    target: Ids
    stratum: Ids
    is_drawn: NDArray[np.bool_]
    chance: NDArray[np.float64]

    def rows(self, selection: NDArray[np.bool_] | Ids) -> "PoolStrata":
        """The pairs of a mask, or at these positions."""
        return PoolStrata(
            self.source[selection],
            self.target[selection],
            self.stratum[selection],
            self.is_drawn[selection],
            self.chance[selection],
        )


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


def strata_of(*, pool: Pool, scope: EvaluationScope, labels: Grades) -> PoolStrata:
    """Return the pairs of a query set that a sampled pool could have drawn, and their chances.

    labels : by source and target, the pairs that have a label
    Pairs that only retired runs hold are no longer handed out: unless all drawn ones of them have a
    label, they are in no stratum, drawn or not. The other pairs keep the chance of their stratum.
    Raises StrataUnknown.
    """
    population = population_of(pool=pool)
    is_forward = scope.direction == Direction.FORWARD
    source, target = (
        (population.query, population.document)
        if is_forward
        else (population.document, population.query)
    )
    cell = np.unique(
        source * (int(population.stratum.max(initial=0)) + 1) + population.stratum,
        return_inverse=True,
    )[1].ravel()
    n_drawn, n_pairs = np.bincount(cell, weights=population.is_drawn), np.bincount(cell)
    chance = (n_drawn / np.maximum(n_pairs, 1))[cell]
    counts = np.isin(source, scope.sources) & scope.counts(target)
    is_orphaned = orphan_mask(pool, population.query, population.document)
    is_labelled = is_in(source, target, Pairs(labels.source, labels.target))
    if np.any(counts & population.is_drawn & is_orphaned & ~is_labelled):
        counts &= ~is_orphaned
    strata = PoolStrata(source, target, population.stratum, population.is_drawn, chance)
    strata = strata.rows(counts)
    return strata.rows(np.lexsort((strata.target, strata.source)))


def sample_of(
    *,
    collection: Collection,
    scope: EvaluationScope,
    labels: Grades,
    reference: Grades | None = None,
) -> SampledPairs | None:
    """Combine all samples of a collection on a query set; None if strata of one are unknown.

    labels : those that count; reference : those among them that come from reference sets, if any
    """
    try:
        parts = [
            strata_of(pool=pool, scope=scope, labels=labels)
            for pool in _pools(collection, scope.direction)
        ]
    except StrataUnknown:
        return None
    samples, is_in_sample = _combined(parts, labels)
    grades, is_drawn = samples.grades, samples.is_drawn
    reference_labels = reference or no_grades()
    stands_alone = is_in(
        grades.source, grades.target, Pairs(reference_labels.source, reference_labels.target)
    )
    drawn_pairs = Pairs(grades.source[is_drawn], grades.target[is_drawn])
    is_whole, is_judged = _in_whole_pools(collection, scope, grades, drawn_pairs)
    stands_alone = (grades.grade >= 0) & (
        stands_alone | ~is_in_sample | (is_whole & is_judged) | ~(is_drawn | is_whole)
    )
    is_drawn = is_drawn | stands_alone
    return SampledPairs(
        grades._replace(grade=np.where(is_drawn, grades.grade, -1)),
        np.where(stands_alone, 0, samples.cell),
        np.where(stands_alone, 1.0, samples.chance),
        is_drawn,
    )


def _combined(
    parts: Sequence[PoolStrata], labels: Grades
) -> tuple[SampledPairs, NDArray[np.bool_]]:
    """Combine the strata of pools with the labels; and (L,) mask of the pairs in a stratum."""
    targets = [labels.target, *(part.target for part in parts)]
    width = 1 + max(int(target.max(initial=0)) for target in targets)
    label_codes = labels.source * width + labels.target
    codes = [part.source * width + part.target for part in parts]
    pair = np.unique(np.concatenate([label_codes, *codes]))
    missed_chance, is_drawn = np.ones(len(pair)), np.zeros(len(pair), dtype=bool)
    is_in_sample = np.zeros(len(pair), dtype=bool)
    cell, grade = np.zeros(len(pair), dtype=np.int64), np.full(len(pair), -1)
    for part, code in zip(parts, codes, strict=True):
        positions = np.searchsorted(pair, code)
        missed_chance[positions] *= 1 - part.chance
        is_drawn[positions] |= part.is_drawn
        is_in_sample[positions] = True
        cell *= int(part.stratum.max(initial=0)) + 2
        cell[positions] += part.stratum + 1
        cell = np.unique(cell, return_inverse=True)[1].ravel()
    grade[np.searchsorted(pair, label_codes)] = labels.grade
    grades = Grades(pair // width, pair % width, grade)
    return SampledPairs(grades, cell + 1, 1 - missed_chance, is_drawn), is_in_sample


def _pools(collection: Collection, direction: Direction) -> list[Pool]:
    """Return the sampled pools of one direction.

    Raises StrataUnknown if one is not of this direction alone.
    A pool of the other direction draws with chances that differ within a query and stratum.
    """
    pools = list(
        Pool.objects.filter(
            collection=collection, strategy=SAMPLED, opened_at__isnull=False
        ).order_by("pk")
    )
    for pool in pools:
        if set(pool.runs.values_list("direction", flat=True)) != {direction}:
            raise StrataUnknown("it is of the other direction, or of both.")
    return pools


def _in_whole_pools(
    collection: Collection, scope: EvaluationScope, grades: Grades, drawn_pairs: Pairs
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(L,) masks of pairs in a pool that is no sample, and whose query those pools judged fully.

    drawn_pairs : the pairs that samples drew
    Other pairs of such pools tell if a query is judged: the drawn ones are judged for the samples'
    sake, and would stand for themselves just because they were drawn.
    """
    rows = PoolPair.objects.filter(pool__collection=collection).exclude(pool__strategy=SAMPLED)
    source, target = ends(scope.direction)
    pool_pairs = Pairs(
        *table(rows.values_list(f"pair__{source}", f"pair__{target}").distinct(), 2).T
    )
    is_undrawn = scope.counts(pool_pairs.target) & ~is_in(*pool_pairs, drawn_pairs)
    has_grade = grades.grade >= 0
    has_label = is_in(*pool_pairs, Pairs(grades.source[has_grade], grades.target[has_grade]))
    judged_sources = difference(
        pool_pairs.source[is_undrawn & has_label], pool_pairs.source[is_undrawn & ~has_label]
    )
    return is_in(grades.source, grades.target, pool_pairs), np.isin(grades.source, judged_sources)
