"""What pools that drew a sample left undrawn and nobody judged: scores count it as irrelevant, and say so.

A measure is exact where the ranks that it looks at hold nothing of this. Otherwise it is estimated (sample_estimates),
or marked, and runs are neither told apart nor compared by it.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet
from numpy.typing import NDArray

from annotate.models import Collection, Direction
from metrics.core.label_sources import Grades, no_grades
from metrics.core.measures import Measure
from metrics.services.labels import Scope
from metrics.services.measuring import CHUNK, labels_by_place
from metrics.services.ranks import matrix_of, ranked_grades, sources_at_once
from pooling.core.options import NEGATIVE_STRATUM
from pooling.core.selections import Pairs, is_in
from pooling.models import Pool, PoolStratum, Run
from pooling.services.run_storage import SIDES
from pooling.services.strata import SAMPLED

# They look at their first k ranks and at nothing else; without a cut-off at all ranks.
_OF_FIRST_RANKS = {"C", "Success", "P", "RR", "MedR", "MeanR", "AP_retrieved"}
_OF_JUDGED = {"Judged", "RBPres"}  # about what is judged, not about what is relevant
_WAITING = """
    SELECT DISTINCT pair.query_id, pair.document_id FROM pooling_poolpair pooled
    JOIN pooling_pool pool ON pool.id = pooled.pool_id JOIN annotate_pair pair ON pair.id = pooled.pair_id
    JOIN annotate_roundpair wanted ON wanted.round_id = pool.round_id AND wanted.pair_id = pooled.pair_id
    WHERE pool.collection_id = %s AND pool.strategy = %s AND pooled.stratum < %s AND wanted.dropped_at IS NULL
"""
_UNDRAWN = """
    SELECT pool.name, item.side, cell.source_id, cell.undrawn FROM pooling_poolstratum cell
    JOIN pooling_pool pool ON pool.id = cell.pool_id JOIN annotate_item item ON item.id = cell.source_id
    WHERE pool.collection_id = %s AND cardinality(cell.undrawn) > 0 ORDER BY pool.name, cell.source_id
"""


class Undrawn(NamedTuple):
    """Pairs of a query set that samples left undrawn, or drew and nobody judged yet: those without a label.

    pools : the names of the pools that left some undrawn; pairs : each once, all of grade 1
    n_waiting : how many of the pairs were drawn
    is_unknown : whether nobody knows what some of the pools left: of both directions, or opened before it was kept
    """

    pools: list[str]
    pairs: Grades
    is_unknown: bool = False
    n_waiting: int = 0

    def __bool__(self) -> bool:
        return self.is_unknown or bool(len(self.pairs.source))

    def facts(self) -> dict[str, Any] | None:
        """What a page says, as JSON; None where nothing was left. n is None where nobody knows."""
        n = None if self.is_unknown else len(self.pairs.source) - self.n_waiting
        return {"pools": self.pools, "n": n, "n_waiting": self.n_waiting} if self else None


def has_samples(*, collection: Collection) -> bool:
    """Whether some opened pool of the collection left pairs of its strata undrawn, or may have."""
    return _samples(collection).exists()


def names_of_samples(*, collection: Collection) -> list[str]:
    """The names of those pools, for pages whose values count what was not drawn as irrelevant. One query."""
    return list(_samples(collection).order_by("name").values_list("name", flat=True))


def _samples(collection: Collection) -> QuerySet[Pool]:
    own = Pool.objects.filter(collection=collection, opened_at__isnull=False)
    left = PoolStratum.objects.filter(pool=OuterRef("pk")).exclude(undrawn=[])
    kept = PoolStratum.objects.filter(pool=OuterRef("pk"))
    return own.filter(Exists(left) | Q(~Exists(kept), strategy=SAMPLED))


def _unknown_samples(collection: Collection) -> QuerySet[Pool]:
    return Pool.objects.filter(collection=collection, strategy=SAMPLED, opened_at__isnull=False, strata=None)


def undrawn_of(*, collection: Collection, scope: Scope, labelled: Grades) -> Undrawn:
    """What is undrawn in a query set; three queries. labelled : the pairs of the query set that have a label.

    Where all that was left undrawn has a label by now, what is not judged yet is as in any pool.
    """
    if unknown := list(_unknown_samples(collection).order_by("name").values_list("name", flat=True)):
        return Undrawn(unknown, no_grades(), is_unknown=True)
    with connection.cursor() as cursor:
        cursor.execute(_UNDRAWN, [collection.pk])
        cells = cursor.fetchall()
    if not cells:
        return nothing_undrawn()
    sizes = [len(cell[3]) for cell in cells]
    names, is_source = [cell[0] for cell in cells], [cell[1] == SIDES[scope.direction][0] for cell in cells]
    own = np.repeat(np.array([cell[2] for cell in cells]), sizes)
    other = np.fromiter(chain.from_iterable(cell[3] for cell in cells), dtype=np.int64, count=sum(sizes))
    is_forward = np.repeat(is_source, sizes)
    source, target = np.where(is_forward, own, other), np.where(is_forward, other, own)
    counts = np.isin(source, scope.sources) & scope.counts(target)
    counts &= ~is_in(source, target, Pairs(labelled.source, labelled.target))
    pools = {names[cell] for cell in np.unique(np.repeat(np.arange(len(cells)), sizes)[counts]).tolist()}
    pairs = np.unique(np.stack([source[counts], target[counts]], axis=1), axis=0)
    if not len(pairs):
        return nothing_undrawn()
    waiting = _waiting(collection, scope, labelled)
    both = np.unique(np.concatenate([pairs, waiting]), axis=0)
    n_waiting = len(both) - len(pairs)
    return Undrawn(sorted(pools), Grades(*both.T, np.ones(len(both), dtype=np.int64)), n_waiting=n_waiting)


def _waiting(collection: Collection, scope: Scope, labelled: Grades) -> NDArray[np.int64]:
    """(N, 2) source and target of what samples drew of their strata, that has no label yet and may still get one."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [collection.pk, SAMPLED, NEGATIVE_STRATUM])
        pairs = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2)
    pairs = pairs if scope.direction == Direction.FORWARD else pairs[:, ::-1]
    counts = np.isin(pairs[:, 0], scope.sources) & scope.counts(pairs[:, 1])
    return pairs[counts & ~is_in(*pairs.T, Pairs(labelled.source, labelled.target))]


def nothing_undrawn() -> Undrawn:
    """No sample left anything."""
    return Undrawn([], no_grades())


def first_undrawn(*, run: Run, scope: Scope, undrawn: Undrawn) -> float:
    """The best rank that a run gives to an undrawn target of any query; infinite where its rankings hold none.

    1 where nobody knows what was not drawn.
    """
    if undrawn.is_unknown:
        return 1
    matrix, first = matrix_of(run), np.inf
    sources = np.unique(undrawn.pairs.source)
    step = sources_at_once(matrix=matrix, most=CHUNK)
    for start in range(0, len(sources), step):
        chunk = sources[start : start + step]
        tables = [labels_by_place(undrawn.pairs, chunk)]
        (ranked,) = ranked_grades(run=run, matrix=matrix, scope=scope, sources=chunk, tables=tables)
        if len(ranked.rank):
            first = min(first, float(ranked.rank.min()))
    return first


def counts_undrawn(measure: Measure, firsts: Sequence[float]) -> bool:
    """Whether a measure counts what was not drawn as irrelevant for some run, by the runs' `first_undrawn`."""
    if measure.family in _OF_JUDGED or not firsts:
        return False
    depth = np.inf if measure.cutoff is None else measure.cutoff
    is_exact = min(firsts) > depth or min(firsts) == np.inf
    return not (measure.family in _OF_FIRST_RANKS and not measure.judged_only and is_exact)
