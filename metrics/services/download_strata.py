"""Stratified qrels of five columns, as TREC's sample_eval reads them, from a pool that was drawn from strata.

A pool keeps what it drew. What it left is found by choosing again with everything drawn, and is written only if it is
as many as the chances of the drawn pairs say.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.reference_formats import ReferenceRow, as_line
from annotate.models import Collection, Direction
from annotate.services.reference_lines import UNDRAWN
from metrics.core.label_sources import Grades
from metrics.services import labels
from metrics.services.download_items import Names
from pooling.models import Pool
from pooling.services.choosing import PoolError, choose_pairs
from pooling.services.strata import sample_of

STRATEGY = "stratified"
LINES_A_PIECE = 5_000
_GONE = (
    'What pool "{}" was drawn from can no longer be told: its runs or the items that count have changed since. '
    "Bring its runs back, or load the sample as a reference set with strata."
)


class SampleGone(Exception):
    """The pool's strata cannot be made out any more."""


class Rows(NamedTuple):
    """What a pool was drawn from: by source and target, stratum and grade, -1 where nobody's grade stands."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    stratum: NDArray[np.int64]
    grade: NDArray[np.int64]


def drawn_pools(*, collection: Collection) -> list[Pool]:
    """The pools that were drawn from strata, by name."""
    pools = Pool.objects.filter(collection=collection, strategy=STRATEGY, opened_at__isnull=False)
    return [pool for pool in pools.order_by("name") if set(pool.parameters) <= {"top", "depth", "share"}]


def pool_lines(*, pool: Pool) -> Iterator[str]:
    """`source 0 target stratum grade` for every pair down to the pool's depth, by the bytes of the ids.

    Raises SampleGone where what was not drawn cannot be told any more.
    """
    direction = _direction(pool)
    names = Names(pool.collection)
    rows = _rows(pool, direction)
    order = np.lexsort((names.places(rows.target), names.places(rows.source)))
    for start in range(0, len(order), LINES_A_PIECE):
        part = Rows(*(values[order[start : start + LINES_A_PIECE]] for values in rows))
        columns = (names.of(part.source), names.of(part.target), part.grade.tolist(), part.stratum.tolist())
        yield "".join(
            as_line(ReferenceRow(source, target, grade, 0, stratum))
            for source, target, grade, stratum in zip(*columns, strict=True)
        )


def _direction(pool: Pool) -> Direction:
    found = set(pool.runs.values_list("direction", flat=True))
    if len(found) != 1:
        raise SampleGone(f'Pool "{pool}" goes both ways; its two samples have no strata in common.')
    return Direction(found.pop())


def _rows(pool: Pool, direction: Direction) -> Rows:
    everything = _everything(pool)
    drawn = sample_of(pool=pool)
    width = int(max(everything[1].max(initial=0), drawn.document.max(initial=0))) + 1
    codes, own = everything[0] * width + everything[1], drawn.query * width + drawn.document
    if not _fits(codes, everything[2], own, drawn.stratum, drawn.probability):
        raise SampleGone(_GONE.format(pool))
    people = labels.people_grades(collection=pool.collection, direction=Direction.FORWARD)
    grade = np.where(np.isin(codes, own), _grades(codes, people, width), UNDRAWN)
    ends = everything[:2] if direction == Direction.FORWARD else everything[1::-1]
    return Rows(*ends, everything[2], grade)


def _everything(pool: Pool) -> NDArray[np.int64]:
    """(3, N) query, document and stratum of all pairs that the pool could have drawn."""
    try:
        chosen = choose_pairs(
            collection=pool.collection,
            strategy=pool.strategy,
            parameters={**pool.parameters, "share": 1.0},
            runs=list(pool.runs.all()),
            query_set=pool.query_set,
            seed=pool.seed,
        )
    except PoolError as error:
        raise SampleGone(_GONE.format(pool)) from error
    return np.stack([chosen.query, chosen.document, chosen.stratum])


def _fits(
    codes: NDArray[np.int64],
    stratum: NDArray[np.int64],
    own: NDArray[np.int64],
    own_stratum: NDArray[np.int64],
    probability: NDArray[np.float64],
) -> bool:
    """Whether the drawn pairs are in these strata, each in its own, and stand for as many as there are."""
    place = np.minimum(np.searchsorted(codes, own), max(len(codes) - 1, 0))
    if not len(codes) or not np.array_equal(codes[place], own) or not np.array_equal(stratum[place], own_stratum):
        return False
    return all(
        round((1 / probability[own_stratum == one]).sum()) == np.count_nonzero(stratum == one)
        for one in np.union1d(stratum, own_stratum)
    )


def _grades(codes: NDArray[np.int64], people: Grades, width: int) -> NDArray[np.int64]:
    """People's grade of each pair, -1 without one."""
    known = people.source * width + people.target
    inside = people.target < width
    known, grade = known[inside], people.grade[inside]
    if not len(known):
        return np.full(len(codes), UNDRAWN)
    place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.where(known[place] == codes, grade[place], UNDRAWN)
