"""Stratified qrels of five columns, as TREC's sample_eval reads them, from a pool that was drawn from strata.

A pool keeps what it drew, and what it left, from its opening on.
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
from pooling.services.strata import SAMPLED, StrataUnknown, population_of

LINES_A_PIECE = 5_000


class SampleGone(Exception):
    """The pool's strata cannot be told."""


class Rows(NamedTuple):
    """What a pool was drawn from: by source and target, stratum and grade, -1 where nobody's grade stands."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    stratum: NDArray[np.int64]
    grade: NDArray[np.int64]


def drawn_pools(*, collection: Collection) -> list[Pool]:
    """The pools that were drawn from strata, by name."""
    pools = Pool.objects.filter(collection=collection, strategy=SAMPLED, opened_at__isnull=False)
    return list(pools.order_by("name"))


def pool_lines(*, pool: Pool) -> Iterator[str]:
    """`source 0 target stratum grade` for every pair of the pool's strata, by the bytes of the ids.

    Raises SampleGone where what was not drawn cannot be told.
    """
    names = Names(pool.collection)
    rows = _rows(pool)
    order = np.lexsort((names.places(rows.target), names.places(rows.source)))
    for start in range(0, len(order), LINES_A_PIECE):
        part = Rows(*(values[order[start : start + LINES_A_PIECE]] for values in rows))
        columns = (names.of(part.source), names.of(part.target), part.grade.tolist(), part.stratum.tolist())
        yield "".join(
            as_line(ReferenceRow(source, target, grade, 0, stratum))
            for source, target, grade, stratum in zip(*columns, strict=True)
        )


def _rows(pool: Pool) -> Rows:
    try:
        query, document, stratum, is_drawn = population_of(pool=pool)
    except StrataUnknown as error:
        raise SampleGone(f'What pool "{pool}" was drawn from cannot be told: {error}') from error
    width = int(document.max(initial=0)) + 1
    people = labels.people_grades(collection=pool.collection, direction=Direction.FORWARD)
    grade = np.where(is_drawn, _grades(query * width + document, people, width), UNDRAWN)
    is_forward = pool.runs.first().direction == Direction.FORWARD
    return Rows(*((query, document) if is_forward else (document, query)), stratum, grade)


def _grades(codes: NDArray[np.int64], people: Grades, width: int) -> NDArray[np.int64]:
    """People's grade of each pair, -1 without one."""
    known = people.source * width + people.target
    inside = people.target < width
    known, grade = known[inside], people.grade[inside]
    if not len(known):
        return np.full(len(codes), UNDRAWN)
    place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.where(known[place] == codes, grade[place], UNDRAWN)
