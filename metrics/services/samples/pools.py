"""Undrawn pairs of sampled pools and reference sets: scores count them as irrelevant.

Pages say so. A measure is exact if its ranks hold no such pair. Otherwise it is estimated
(estimates.py), or marked, and runs are neither told apart nor compared by it. Nothing is
estimated here from reference sets that are samples.
"""

from collections.abc import Mapping
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.models import Collection, Direction, ReferenceSet
from annotate.models import Undrawn as UndrawnReference
from annotate.services.storage.number_arrays import table
from metrics.core.labels.label_sources import Grades, LabelSource, no_grades
from metrics.services.scores.labels import EvaluationScope, Ids, ends
from metrics.services.scores.measuring import CHUNK, labels_by_position
from metrics.services.scores.ranks import matrix_of, ranked_grades, sources_per_chunk
from pooling.core.strategies.options import NEGATIVE_STRATUM
from pooling.core.strategies.selections import Pairs, is_in
from pooling.models import Pool, PoolStratum, Run
from pooling.services.pools.strata import SAMPLED
from pooling.services.runs.storage import SIDES

_WAITING = """
    SELECT DISTINCT pair.query_id, pair.document_id FROM pooling_poolpair pool_pair
    JOIN pooling_pool pool ON pool.id = pool_pair.pool_id
    JOIN annotate_pair pair ON pair.id = pool_pair.pair_id
    JOIN annotate_roundpair round_pair
        ON round_pair.round_id = pool.round_id AND round_pair.pair_id = pool_pair.pair_id
    WHERE pool.collection_id = %s AND pool.strategy = %s AND pool_pair.stratum < %s
        AND round_pair.dropped_at IS NULL
"""
_UNDRAWN = """
    SELECT pool.name, item.side, stratum.source_id, stratum.undrawn FROM pooling_poolstratum stratum
    JOIN pooling_pool pool ON pool.id = stratum.pool_id
    JOIN annotate_item item ON item.id = stratum.source_id
    WHERE pool.collection_id = %s AND cardinality(stratum.undrawn) > 0
    ORDER BY pool.name, stratum.source_id
"""


class UndrawnPairs(NamedTuple):
    """The pairs of a query set without a label that samples left undrawn, or drew.

    pools, sets : the names of the pools, and of the reference sets, that left some undrawn
    pairs : each once, all of grade 1; n_waiting : how many of them were drawn
    is_unknown : True if the undrawn pairs of some pool are not known: it is of both directions, or
        was opened before they were stored
    """

    pools: list[str]
    sets: list[str]
    pairs: Grades
    is_unknown: bool = False
    n_waiting: int = 0

    def __bool__(self) -> bool:
        return self.is_unknown or bool(len(self.pairs.source))

    def facts(self) -> dict[str, Any] | None:
        """Return the numbers for a page as JSON; None if no pair was left.

        `n` is None if it is unknown.
        """
        if not self:
            return None
        n = None if self.is_unknown else len(self.pairs.source) - self.n_waiting
        return {"pools": self.pools, "sets": self.sets, "n": n, "n_waiting": self.n_waiting}


def names_from_facts(facts: Mapping[str, Any]) -> list[str]:
    """Name the pools and sets of `UndrawnPairs.facts`: "pool “a”", "reference “b”".

    Old views name no sets.
    """
    kinds = {"pools": "pool", "sets": "reference"}
    return [f"{kind} “{name}”" for key, kind in kinds.items() for name in facts.get(key, ())]


def has_samples(*, collection: Collection) -> bool:
    """True if an opened pool or a reference set left pairs undrawn, or may have."""
    return _samples(collection).exists() or _sampled_sets(collection).exists()


def names_of_samples(*, collection: Collection, with_pools: bool = True) -> list[str]:
    """Name the sampled pools and sets, for pages that count undrawn pairs as irrelevant.

    with_pools : False for the sets alone
    Two queries.
    """
    pools, sets = (
        rows.order_by("name").values_list("name", flat=True)
        for rows in (_samples(collection), _sampled_sets(collection))
    )
    return names_from_facts({"pools": pools if with_pools else [], "sets": sets})


def _sampled_sets(collection: Collection) -> QuerySet[ReferenceSet]:
    undrawn = UndrawnReference.objects.filter(reference_set=OuterRef("pk"))
    return ReferenceSet.objects.filter(Exists(undrawn), collection=collection)


def _samples(collection: Collection) -> QuerySet[Pool]:
    opened_pools = Pool.objects.filter(collection=collection, opened_at__isnull=False)
    undrawn_strata = PoolStratum.objects.filter(pool=OuterRef("pk")).exclude(undrawn=[])
    strata = PoolStratum.objects.filter(pool=OuterRef("pk"))
    return opened_pools.filter(Exists(undrawn_strata) | Q(~Exists(strata), strategy=SAMPLED))


def undrawn_of(
    *, collection: Collection, scope: EvaluationScope, labels: Grades, source: LabelSource
) -> UndrawnPairs:
    """Read the undrawn pairs of a query set; four queries, and one for each sampled set.

    labels : the pairs of the query set that have a label
    source : the label source; its sets may be samples, and so may the pools if people count
    If all undrawn pairs have a label by now, the unjudged pairs are as in any pool, and none is
    returned.
    """
    labelled_pairs = Pairs(labels.source, labels.target)
    columns = ends(scope.direction)
    sampled_sets = _sampled_sets(collection).filter(name__in=source.sets).order_by("name")
    undrawn_by_set = {row.name: table(row.undrawn.values_list(*columns), 2) for row in sampled_sets}
    sets = _unlabelled(undrawn_by_set, scope, labelled_pairs)
    pools = {}
    if source.has_people:
        unknown_samples = Pool.objects.filter(
            collection=collection, strategy=SAMPLED, opened_at__isnull=False, strata=None
        )
        if unknown := list(unknown_samples.order_by("name").values_list("name", flat=True)):
            return UndrawnPairs(unknown, list(sets), no_grades(), is_unknown=True)
        pools = _unlabelled(_undrawn_by_pool(collection, scope), scope, labelled_pairs)
    undrawn_tables = [*sets.values(), *pools.values()]
    if not undrawn_tables:
        return nothing_undrawn()
    pairs = np.unique(np.concatenate(undrawn_tables), axis=0)
    all_pairs = pairs
    if pools:
        drawn_pairs = _drawn_unlabelled(collection, scope, labelled_pairs)
        all_pairs = np.unique(np.concatenate([pairs, drawn_pairs]), axis=0)
    grades = Grades(all_pairs[:, 0], all_pairs[:, 1], np.ones(len(all_pairs), dtype=np.int64))
    return UndrawnPairs(list(pools), list(sets), grades, n_waiting=len(all_pairs) - len(pairs))


def _unlabelled(
    undrawn_by_sample: dict[str, Ids], scope: EvaluationScope, labelled_pairs: Pairs
) -> dict[str, Ids]:
    """Keep the undrawn pairs of the query set without a label, by sample; omit empty samples."""
    unlabelled_pairs = {}
    for name, pairs in undrawn_by_sample.items():
        source, target = pairs[:, 0], pairs[:, 1]
        counts = np.isin(source, scope.sources) & scope.counts(target)
        counts &= ~is_in(source, target, labelled_pairs)
        if counts.any():
            unlabelled_pairs[name] = pairs[counts]
    return unlabelled_pairs


def _undrawn_by_pool(collection: Collection, scope: EvaluationScope) -> dict[str, Ids]:
    """(N, 2) source and target of each pool's undrawn pairs, each once."""
    with connection.cursor() as cursor:
        cursor.execute(_UNDRAWN, [collection.pk])
        cells = cursor.fetchall()
    pairs_by_pool = {}
    for name, rows in groupby(cells, key=itemgetter(0)):
        _, side, source_items, undrawn_lists = zip(*rows, strict=True)
        sizes = [len(undrawn) for undrawn in undrawn_lists]
        drawn_for = np.repeat(np.array(source_items, dtype=np.int64), sizes)
        undrawn_items = np.fromiter(
            chain.from_iterable(undrawn_lists), dtype=np.int64, count=sum(sizes)
        )
        is_source = np.repeat(np.array(side) == SIDES[scope.direction][0], sizes)
        pairs_by_pool[name] = np.stack(
            [
                np.where(is_source, drawn_for, undrawn_items),
                np.where(is_source, undrawn_items, drawn_for),
            ],
            axis=1,
        )
    return pairs_by_pool


def _drawn_unlabelled(collection: Collection, scope: EvaluationScope, labelled_pairs: Pairs) -> Ids:
    """(N, 2) source and target of drawn pairs without a label that may still get one."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [collection.pk, SAMPLED, NEGATIVE_STRATUM])
        pairs = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2)
    pairs = pairs if scope.direction == Direction.FORWARD else pairs[:, ::-1]
    source, target = pairs[:, 0], pairs[:, 1]
    counts = np.isin(source, scope.sources) & scope.counts(target)
    return pairs[counts & ~is_in(source, target, labelled_pairs)]


def nothing_undrawn() -> UndrawnPairs:
    """Return the empty set: no sample left a pair undrawn."""
    return UndrawnPairs([], [], no_grades())


def first_undrawn(*, run: Run, scope: EvaluationScope, undrawn: UndrawnPairs) -> float:
    """Return a run's best rank of an undrawn target of any query.

    Infinite if its rankings hold none; 1 if the undrawn pairs are unknown.
    """
    if undrawn.is_unknown:
        return 1
    matrix, first = matrix_of(run), np.inf
    sources = np.unique(undrawn.pairs.source)
    step = sources_per_chunk(matrix=matrix, limit=CHUNK)
    for start in range(0, len(sources), step):
        chunk = sources[start : start + step]
        tables = [labels_by_position(undrawn.pairs, chunk)]
        (rankings,) = ranked_grades(
            run=run, matrix=matrix, scope=scope, sources=chunk, tables=tables
        )
        if len(rankings.rank):
            first = min(first, float(rankings.rank.min()))
    return first
