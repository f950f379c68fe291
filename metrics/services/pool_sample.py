"""xinfAP of a pool's runs, inferred from the stratified sample that the pool is.

What was in a stratum and not drawn is found by choosing again with everything drawn; the pool's stored chances say
whether that is still the same.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.models import Direction
from metrics.core.alignment import Labels
from metrics.core.sampled import extended_inferred_ap
from metrics.services.pool_study import Side, ranked_of
from pooling.models import Pool
from pooling.services.choosing import PoolError, choose_pairs
from pooling.services.strata import sample_of

DEEPEST = 1_000  # ranks that count, as in TREC's sample_eval
OWN = {"top", "depth", "share"}
Columns = NDArray[np.int64]


class Undefined(Exception):
    """The sample's strata cannot be told; says why."""


def inferred(*, pool: Pool, side: Side) -> dict[str, Any] | None:
    """xinfAP of each run of a stratified pool by people's labels alone, as JSON; None for other pools.

    A drawn pair without a grade counts as not drawn: right as long as people are given the pairs in random order.
    Undefined, with its reason under "why", for a pool of both directions or with options, after the strata changed,
    and before the first positive.
    """
    if pool.strategy != "stratified":
        return None
    try:
        rows = _rows(pool, side)
    except Undefined as error:
        return {"why": str(error)}
    query, target, stratum, grade, is_drawn = rows
    threshold = pool.collection.positive_from
    said = {"n_pooled": len(query), "n_drawn": int(is_drawn.sum()), "n_judged": int(np.count_nonzero(grade >= 0))}
    if not np.any(grade >= max(threshold, 0)):
        return said | {"why": "no pair that was drawn is positive yet."}
    scores = []
    for run in side.runs:
        ranked = ranked_of(side, run, Labels(query, target, grade))._replace(stratum=stratum)
        values = extended_inferred_ap(ranked, threshold=threshold, k=DEEPEST)
        scores.append({"run": run.pk, "score": float(values.mean())})
    return said | {"n_queries": len(side.sources), "runs": scores}


def _rows(pool: Pool, side: Side) -> Columns:
    """(5, N) by source and target: place of the source in the side, target, stratum from 0, grade, whether drawn."""
    if not set(pool.parameters) <= OWN:
        raise Undefined("the pool was made with options beside its strata.")
    if pool.runs.values("direction").distinct().count() != 1:
        raise Undefined("the pool goes both ways, and its two samples have no strata in common.")
    pairs = _everything(pool)
    drawn = sample_of(pool=pool)
    width = int(max(pairs[1].max(initial=0), drawn.document.max(initial=0))) + 1
    codes, own = pairs[0] * width + pairs[1], drawn.query * width + drawn.document
    ends = pairs[:2] if side.direction == Direction.FORWARD else pairs[1::-1]
    source_of_own = drawn.query if side.direction == Direction.FORWARD else drawn.document
    at = np.minimum(np.searchsorted(codes, own), len(codes) - 1)
    cells, size = np.unique(ends[0] * 4 + pairs[2], return_counts=True)
    chance = _count(source_of_own * 4 + drawn.stratum, 1 / drawn.probability, cells)
    is_same = np.array_equal(codes[at], own) and np.array_equal(pairs[2][at], drawn.stratum)
    if not is_same or not np.array_equal(np.rint(chance), size):
        raise Undefined("its runs, or the items that count, have changed since it was drawn.")
    is_drawn = np.zeros(len(codes), dtype=np.int64)
    is_drawn[at] = 1
    place = np.searchsorted(side.sources, ends[0])
    if not np.array_equal(side.sources[np.minimum(place, len(side.sources) - 1)], ends[0]):
        raise Undefined("source items of the pool are no longer asked about.")
    grade = np.where(is_drawn == 1, _grades(side, place, ends[1]), -1)
    return np.stack([place, ends[1], pairs[2] - 1, grade, is_drawn])


def _everything(pool: Pool) -> Columns:
    """(3, N) query, document and stratum of all that the pool could have drawn, ascending."""
    given = {"strategy": pool.strategy, "parameters": {**pool.parameters, "share": 1.0}, "query_set": pool.query_set}
    try:
        chosen = choose_pairs(collection=pool.collection, runs=list(pool.runs.all()), seed=pool.seed, **given)
    except PoolError as error:
        raise Undefined(f"its strata cannot be told: {error}") from error
    if not len(chosen.query):
        raise Undefined("the pool has no pairs.")
    return np.stack([chosen.query, chosen.document, chosen.stratum])


def _count(cell: Columns, weight: NDArray[np.float64], cells: Columns) -> NDArray[np.float64]:
    """The weights of each of the ascending cells, added up."""
    at = np.searchsorted(cells, cell)
    inside = at < len(cells)
    return np.bincount(at[inside], weights=weight[inside], minlength=len(cells))


def _grades(side: Side, place: Columns, target: Columns) -> Columns:
    """People's grade of each pair, -1 without one."""
    said = ~np.isnan(side.known.people)
    if not said.any():
        return np.full(len(place), -1)
    width = int(max(side.known.doc.max(initial=0), target.max(initial=0))) + 1
    known = side.known.query[said] * width + side.known.doc[said]
    order = np.argsort(known)
    wanted = place * width + target
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    return np.where(known[order][at] == wanted, side.known.people[said][order][at], -1).astype(np.int64)
