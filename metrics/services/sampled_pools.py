"""What pools and reference sets that are samples left undrawn and nobody judged: scores count it as irrelevant.

They say so. A measure is exact where the ranks that it looks at hold nothing of this. Otherwise it is estimated
(sample_estimates), or marked, and runs are neither told apart nor compared by it. Of reference sets that are samples
nothing is estimated here.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.models import Collection, Direction, ReferenceSet
from annotate.models import Undrawn as UndrawnReference
from metrics.core.label_sources import Grades, LabelSource, no_grades
from metrics.core.measures import Measure
from metrics.services.labels import Ids, Scope, ends, table
from metrics.services.measuring import CHUNK, labels_by_place
from metrics.services.ranks import matrix_of, ranked_grades, sources_at_once
from pooling.core.options import NEGATIVE_STRATUM
from pooling.core.selections import Pairs, is_in
from pooling.models import Pool, PoolStratum, Run
from pooling.services.run_storage import SIDES
from pooling.services.strata import SAMPLED

# They look at their first k ranks and at nothing else; without a cut-off at all ranks.
_OF_FIRST_RANKS = {"C", "Success", "P", "RR", "MedR", "MeanR", "AP_retrieved"}
_OF_JUDGED = {"Judged", "RBPres"}
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

    pools, sets : the names of the pools, and of the reference sets, that left some undrawn
    pairs : each once, all of grade 1; n_waiting : how many of them were drawn
    is_unknown : whether nobody knows what some of the pools left: of both directions, or opened before it was kept
    """

    pools: list[str]
    sets: list[str]
    pairs: Grades
    is_unknown: bool = False
    n_waiting: int = 0

    def __bool__(self) -> bool:
        return self.is_unknown or bool(len(self.pairs.source))

    def facts(self) -> dict[str, Any] | None:
        """What a page says, as JSON; None where nothing was left. n is None where nobody knows."""
        n = None if self.is_unknown else len(self.pairs.source) - self.n_waiting
        return {"pools": self.pools, "sets": self.sets, "n": n, "n_waiting": self.n_waiting} if self else None


def named(facts: Mapping[str, Any]) -> list[str]:
    """The pools and sets of `Undrawn.facts` for people: "pool “a”", "reference “b”"; views of before name no sets."""
    kinds = {"pools": "pool", "sets": "reference"}
    return [f"{kind} “{name}”" for key, kind in kinds.items() for name in facts.get(key, ())]


def has_samples(*, collection: Collection) -> bool:
    """Whether an opened pool or a reference set of the collection left pairs of its strata undrawn, or may have."""
    return _samples(collection).exists() or _sampled_sets(collection).exists()


def names_of_samples(*, collection: Collection) -> list[str]:
    """Those pools and sets, for pages whose values count what was not drawn as irrelevant: "pool “a”". Two queries."""
    pools, sets = (
        rows.order_by("name").values_list("name", flat=True)
        for rows in (_samples(collection), _sampled_sets(collection))
    )
    return named({"pools": pools, "sets": sets})


def _sampled_sets(collection: Collection) -> QuerySet[ReferenceSet]:
    left = UndrawnReference.objects.filter(reference_set=OuterRef("pk"))
    return ReferenceSet.objects.filter(Exists(left), collection=collection)


def _samples(collection: Collection) -> QuerySet[Pool]:
    own = Pool.objects.filter(collection=collection, opened_at__isnull=False)
    left = PoolStratum.objects.filter(pool=OuterRef("pk")).exclude(undrawn=[])
    kept = PoolStratum.objects.filter(pool=OuterRef("pk"))
    return own.filter(Exists(left) | Q(~Exists(kept), strategy=SAMPLED))


def _unknown_samples(collection: Collection) -> QuerySet[Pool]:
    return Pool.objects.filter(collection=collection, strategy=SAMPLED, opened_at__isnull=False, strata=None)


def undrawn_of(*, collection: Collection, scope: Scope, labelled: Grades, source: LabelSource) -> Undrawn:
    """What is undrawn in a query set; four queries, and one for each sampled set.

    labelled : the pairs of the query set that have a label
    source : what counts as a label; its reference sets may be samples, and so may the pools where people count
    Where all that was left undrawn has a label by now, what is not judged yet is as in any pool.
    """
    said = Pairs(labelled.source, labelled.target)
    sets = _lacking(_left_by_sets(collection, scope, source.sets), scope, said)
    pools = {}
    if source.has_people:
        if unknown := list(_unknown_samples(collection).order_by("name").values_list("name", flat=True)):
            return Undrawn(unknown, list(sets), no_grades(), is_unknown=True)
        pools = _lacking(_left_by_pools(collection, scope), scope, said)
    left = [*sets.values(), *pools.values()]
    if not left:
        return nothing_undrawn()
    pairs = np.unique(np.concatenate(left), axis=0)
    both = np.unique(np.concatenate([pairs, _waiting(collection, scope, said)]), axis=0) if pools else pairs
    grades = Grades(*both.T, np.ones(len(both), dtype=np.int64))
    return Undrawn(list(pools), list(sets), grades, n_waiting=len(both) - len(pairs))


def _lacking(left: dict[str, Ids], scope: Scope, said: Pairs) -> dict[str, Ids]:
    """Of what each sample left, by its name, the pairs of the query set that have no label, where there are any."""
    found = {}
    for name, pairs in left.items():
        counts = np.isin(pairs[:, 0], scope.sources) & scope.counts(pairs[:, 1]) & ~is_in(*pairs.T, said)
        if counts.any():
            found[name] = pairs[counts]
    return found


def _left_by_sets(collection: Collection, scope: Scope, names: Sequence[str]) -> dict[str, Ids]:
    """(N, 2) source and target of what each of some reference sets pooled and did not draw."""
    sets = _sampled_sets(collection).filter(name__in=names).order_by("name")
    return {row.name: table(row.undrawn.values_list(*ends(scope.direction)), 2) for row in sets}


def _left_by_pools(collection: Collection, scope: Scope) -> dict[str, Ids]:
    """(N, 2) source and target of what each pool left, each once."""
    with connection.cursor() as cursor:
        cursor.execute(_UNDRAWN, [collection.pk])
        cells = cursor.fetchall()
    found = {}
    for name, rows in groupby(cells, key=itemgetter(0)):
        _, side, own, left = zip(*rows, strict=True)
        sizes = [len(others) for others in left]
        one = np.repeat(np.array(own, dtype=np.int64), sizes)
        other = np.fromiter(chain.from_iterable(left), dtype=np.int64, count=sum(sizes))
        is_source = np.repeat(np.array(side) == SIDES[scope.direction][0], sizes)
        found[name] = np.stack([np.where(is_source, one, other), np.where(is_source, other, one)], axis=1)
    return found


def _waiting(collection: Collection, scope: Scope, said: Pairs) -> Ids:
    """(N, 2) source and target of what samples drew of their strata, that has no label yet and may still get one."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [collection.pk, SAMPLED, NEGATIVE_STRATUM])
        pairs = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2)
    pairs = pairs if scope.direction == Direction.FORWARD else pairs[:, ::-1]
    counts = np.isin(pairs[:, 0], scope.sources) & scope.counts(pairs[:, 1])
    return pairs[counts & ~is_in(*pairs.T, said)]


def nothing_undrawn() -> Undrawn:
    """No sample left anything."""
    return Undrawn([], [], no_grades())


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


def counts_judgments(measure: Measure) -> bool:
    """Whether a measure is about what is judged, not about what is relevant."""
    return measure.family in _OF_JUDGED


def counts_undrawn(measure: Measure, firsts: Sequence[float]) -> bool:
    """Whether a measure counts what was not drawn as irrelevant for some run, by the runs' `first_undrawn`."""
    if counts_judgments(measure) or not firsts:
        return False
    depth = np.inf if measure.cutoff is None else measure.cutoff
    is_exact = min(firsts) > depth or min(firsts) == np.inf
    return not (measure.family in _OF_FIRST_RANKS and not measure.judged_only and is_exact)
