"""Propagated grades: a pair of a duplicate takes the grade of the same pair of its original.

They are no labels: agreement, people's counts and samples know nothing of them.
"""

import numpy as np
from django.db.models import Exists, OuterRef, Q
from numpy.typing import NDArray

from annotate.core.labels.originals import Originals
from annotate.models import Collection, Direction, Duplicate, Pair, PairExclusion, Resolution
from annotate.services.storage.number_arrays import table
from metrics.core.labels.label_sources import Grades, sorted_grades
from pooling.core.strategies.selections import Pairs, is_in
from pooling.models import Pool, PoolPair
from pooling.services.pools.strata import SAMPLED, StrataUnknown, population_of


def propagated_grades(
    *, collection: Collection, direction: Direction, grades: Grades, originals: Originals
) -> Grades:
    """Return the grades of pairs of duplicates; two queries, and those of samples.

    grades : by people, of the pairs of the originals at least
    A pair that has all labels of its own, waits for a lead, or was excluded by one takes none; nor
    does one that a sampled pool could have drawn: what was not drawn has no label.
    """
    copies = originals.copies(grades.source, grades.target)
    keep = np.ones(len(copies.row), dtype=bool)
    source, target = copies.source, copies.target
    query, document = (source, target) if direction == Direction.FORWARD else (target, source)
    for pairs in (_own_pairs(collection), *_sampled_pairs(collection, n_copies=len(copies.row))):
        keep &= ~is_in(query, document, pairs)
    rows = np.stack([source, target, grades.grade[copies.row]], axis=1)
    return sorted_grades(rows[keep])


def without_pairs(grades: Grades, pairs: Grades) -> Grades:
    """Leave out the pairs that others have grades of."""
    keep = ~mask_of(grades, pairs)
    return Grades(*(values[keep] for values in grades))


def with_propagated(grades: Grades, propagated: Grades) -> Grades:
    """Join people's grades and propagated ones, which go over labels that are not complete."""
    return joined(without_pairs(grades, propagated), propagated)


def joined(first: Grades, second: Grades) -> Grades:
    """Join grades that have no pair in common."""
    return sorted_grades(np.concatenate([np.stack(first, axis=1), np.stack(second, axis=1)]))


def _own_pairs(collection: Collection) -> Pairs:
    """The pairs of duplicates that have all labels, or a decision of a lead, of their own."""
    duplicates = Duplicate.objects.filter(collection=collection).values("item")
    resolutions = Resolution.objects.filter(
        Q(is_complete=True) | Q(status=Resolution.Status.ESCALATED), pair=OuterRef("pk")
    )
    exclusions = PairExclusion.objects.filter(pair=OuterRef("pk"))
    pairs = Pair.objects.filter(
        Q(query__in=duplicates) | Q(document__in=duplicates),
        Exists(resolutions) | Exists(exclusions),
        collection=collection,
    )
    return Pairs(*table(pairs.values_list("query", "document"), 2).T)


def _sampled_pairs(collection: Collection, *, n_copies: int) -> list[Pairs]:
    """The pairs of the strata of sampled pools; none where nothing is to be propagated."""
    if not n_copies:
        return []
    pools = Pool.objects.filter(collection=collection, strategy=SAMPLED, round__isnull=False)
    sampled_pairs = []
    for pool in pools.order_by("pk"):
        try:
            population = population_of(pool=pool)
            sampled_pairs.append(Pairs(population.query, population.document))
        except StrataUnknown:  # then nothing is estimated from it, and only the drawn are known
            drawn_pairs = PoolPair.objects.filter(pool=pool).values_list(
                "pair__query", "pair__document"
            )
            sampled_pairs.append(Pairs(*table(drawn_pairs, 2).T))
    return sampled_pairs


def propagation_sentence(n: int) -> str:
    """Word that n pairs take the grades of others; "" for none."""
    if not n:
        return ""
    if n == 1:
        return "1 pair of a duplicate takes the grade of its original."
    return f"{n:,} pairs of duplicates take the grades of their originals."


def mask_of(grades: Grades, pairs: Grades) -> NDArray[np.bool_]:
    """(n,) whether each pair of `grades` is among those of `pairs`."""
    return is_in(grades.source, grades.target, Pairs(pairs.source, pairs.target))
