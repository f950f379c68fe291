"""Strata of sampled pools: the source items and pairs drawn of each, as estimates need them."""

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from annotate.models import Direction
from annotate.services.storage.bulk_copy import blocks, copy_rows
from pooling.core.strategies.options import CHECK_STRATUM, NEGATIVE_STRATUM
from pooling.core.strategies.selections import DrawnSources, Integers
from pooling.models import Pool, PoolSource
from pooling.services.pools.checks import PoolError
from pooling.services.pools.pair_choice import PairChoice, choose_pairs

SAMPLED = "stratified"  # the strategy whose pools are samples by themselves
_DRAWN = """
    SELECT pair.query_id, pair.document_id, pooled.stratum
    FROM pooling_poolpair pooled JOIN annotate_pair pair ON pair.id = pooled.pair_id
    WHERE pooled.pool_id = %s AND pooled.stratum < %s ORDER BY pair.query_id, pair.document_id
"""


class StrataUnknown(Exception):
    """The population of a pool is unknown; the message says why, of the pool as "it"."""


class Population(NamedTuple):
    """The pairs of a sampled pool's strata, drawn or not, by query and document.

    Random negatives are in none.

    query, document, stratum : (M,); is_drawn : (M,) whether the pair was drawn
    """

    query: Integers
    document: Integers
    stratum: Integers
    is_drawn: NDArray[np.bool_]


def keep_sources(*, pool: Pool, drawn_sources: Mapping[Direction, DrawnSources]) -> None:
    """Store the drawn source items with their probabilities; call it in a transaction."""
    PoolSource.objects.bulk_create(
        (
            PoolSource(pool=pool, item_id=item, stratum=stratum, inclusion_probability=chance)
            for sources in drawn_sources.values()
            for item, stratum, chance in zip(*(column.tolist() for column in sources), strict=True)
        ),
        batch_size=5_000,
    )


def keep_strata(*, pool: Pool, choice: PairChoice) -> None:
    """Store the size of each stratum of a sampled pool, and its undrawn pairs.

    Call it in a transaction. Nothing is stored for pools without a draw, nor for those in both
    directions.
    """
    directions = {run.direction for run in choice.runs}
    if choice.undrawn is None or len(directions) != 1:
        return
    is_own = choice.stratum < NEGATIVE_STRATUM
    is_forward = directions == {Direction.FORWARD}
    drawn_source = (choice.query if is_forward else choice.document)[is_own]
    source, target = choice.undrawn[:2] if is_forward else choice.undrawn[1::-1]
    drawn_cells = np.stack([drawn_source, choice.stratum[is_own]], axis=1)
    undrawn_cells = np.stack([source, choice.undrawn.stratum], axis=1)
    cells, cell = np.unique(
        np.concatenate([drawn_cells, undrawn_cells]), axis=0, return_inverse=True
    )
    n_drawn, n_undrawn = (
        np.bincount(part, minlength=len(cells))
        for part in np.split(cell.reshape(-1), [len(drawn_cells)])
    )
    ordered_targets = target[np.lexsort((target, cell.reshape(-1)[len(drawn_cells) :]))]
    ends = np.cumsum(n_undrawn)
    for block in blocks(len(cells)):
        targets = np.split(ordered_targets[: ends[block][-1]], ends[block][:-1])
        targets[0] = targets[0][len(targets[0]) - n_undrawn[block][0] :]
        copy_rows(
            "pooling_poolstratum",
            {
                "pool_id": str(pool.pk),
                "source_id": cells[block, 0],
                "stratum": cells[block, 1],
                "n_pooled": (n_drawn + n_undrawn)[block],
                "n_drawn": n_drawn[block],
                "undrawn": [f"{{{','.join(map(str, keys.tolist()))}}}" for keys in targets],
            },
        )


def freeze(*, pool: Pool) -> None:
    """Store an older pool's strata, if choosing again draws the same pairs.

    Pools opened later have theirs stored.
    """
    if pool.strategy != SAMPLED or pool.strata.exists():
        return
    with suppress(StrataUnknown), transaction.atomic():
        Pool.objects.select_for_update().get(pk=pool.pk)  # two that freeze it at once take turns
        if not pool.strata.exists():
            keep_strata(pool=pool, choice=_choose_again(pool))


def population_of(*, pool: Pool) -> Population:
    """All pairs of an opened pool's strata, as they were frozen when it was opened.

    Nothing is written. Raises StrataUnknown, also where some stratum has pairs of which none was
    drawn: nothing is known of it.
    """
    directions = set(pool.runs.values_list("direction", flat=True))
    if len(directions) != 1:
        raise StrataUnknown("it goes both ways, and its two samples have no strata in common.")
    undrawn_rows = _undrawn_pairs(pool, is_forward=directions == {Direction.FORWARD})
    drawn_rows = _drawn_pairs(pool)
    rows = np.concatenate([drawn_rows, undrawn_rows])
    if pool.parameters.get("trusted") and not np.any(rows[:, 2] > CHECK_STRATUM):
        raise StrataUnknown("pairs that its trusted reference set labels were left out.")
    source = 0 if directions == {Direction.FORWARD} else 1
    cells = [np.unique(part[:, [source, 2]], axis=0) for part in (drawn_rows, rows)]
    if n_missed := len(cells[1]) - len(cells[0]):
        cell = "a stratum of one query" if n_missed == 1 else f"{n_missed:,} strata of queries"
        raise StrataUnknown(f"in {cell} nothing was drawn, so nothing is known of them.")
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    query, document, stratum = rows[order].T
    return Population(query, document, stratum, is_drawn=order < len(drawn_rows))


def _undrawn_pairs(pool: Pool, *, is_forward: bool) -> Integers:
    """(M, 3) query, document and stratum of the undrawn pairs. Raises StrataUnknown."""
    strata = list(
        pool.strata.order_by("source", "stratum").values_list("source", "stratum", "undrawn")
    )
    if not strata:
        undrawn_pairs = _choose_again(pool).undrawn
        assert undrawn_pairs is not None, "else StrataUnknown was raised"  # noqa: S101
        return np.stack(undrawn_pairs, axis=1)
    sizes = [len(undrawn) for _, _, undrawn in strata]
    source, stratum = np.repeat(
        np.array([row[:2] for row in strata], dtype=np.int64), sizes, axis=0
    ).T
    target = np.fromiter(
        (key for _, _, undrawn in strata for key in undrawn), dtype=np.int64, count=sum(sizes)
    )
    return np.stack([source, target, stratum] if is_forward else [target, source, stratum], axis=1)


def _drawn_pairs(pool: Pool) -> Integers:
    """(M, 3) query, document and stratum of the drawn pairs."""
    with connection.cursor() as cursor:
        cursor.execute(_DRAWN, [pool.pk, NEGATIVE_STRATUM])
        return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 3)


def _choose_again(pool: Pool) -> PairChoice:
    """Choose the pairs of an older pool again.

    Raises StrataUnknown unless the same pairs are drawn.
    """
    arguments = {
        "strategy": pool.strategy,
        "parameters": pool.parameters,
        "query_set": pool.query_set,
        "seed": pool.seed,
    }
    changed_error = StrataUnknown(
        "its runs, or the items that count, have changed since it was drawn."
    )
    try:
        choice = choose_pairs(collection=pool.collection, runs=list(pool.runs.all()), **arguments)
    except PoolError as error:
        raise changed_error from error
    if choice.undrawn is None:
        raise StrataUnknown("nothing of it was drawn.")
    own = choice.stratum < NEGATIVE_STRATUM
    if not np.array_equal(
        np.stack([choice.query, choice.document, choice.stratum], axis=1)[own], _drawn_pairs(pool)
    ):
        raise changed_error
    return choice
