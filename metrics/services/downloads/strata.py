"""Stratified qrels of five columns, as TREC's sample_eval reads them, from a sampled pool.

A pool keeps the pairs that it drew and those that it left, from its opening on.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from django.db.models.functions import Collate
from numpy.typing import NDArray

from annotate.core.files.references.reference_formats import ReferenceRow, as_line
from annotate.models import Collection, Direction
from annotate.services.collection.reference_qrels import UNDRAWN
from metrics.core.labels.label_sources import Grades
from metrics.services.downloads.items import ExternalIds
from metrics.services.scores import labels
from pooling.models import Pool
from pooling.services.pools.strata import SAMPLED, StrataUnknown, population_of

LINES_PER_PIECE = 5_000


class StrataUndetermined(Exception):
    """The pool's strata cannot be determined any more."""


class StratumRows(NamedTuple):
    """The pairs of a pool's strata; their grade is -1 where the pair has no grade by people."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    stratum: NDArray[np.int64]
    grade: NDArray[np.int64]


def drawn_pools(*, collection: Collection) -> list[Pool]:
    """The pools that were drawn from strata, by name."""
    pools = Pool.objects.filter(collection=collection, strategy=SAMPLED, opened_at__isnull=False)
    return list(pools.order_by(Collate("name", "C")))


def pool_lines(*, pool: Pool) -> Iterator[str]:
    """`source 0 target stratum grade` for every pair of the pool's strata, by the bytes of the ids.

    Raises StrataUndetermined where the pairs that were not drawn are unknown.
    """
    external_ids = ExternalIds(pool.collection)
    rows = _stratum_rows(pool)
    order = np.lexsort((external_ids.ranks(rows.target), external_ids.ranks(rows.source)))
    for start in range(0, len(order), LINES_PER_PIECE):
        block = StratumRows(*(values[order[start : start + LINES_PER_PIECE]] for values in rows))
        columns = (
            external_ids.of(block.source),
            external_ids.of(block.target),
            block.grade.tolist(),
            block.stratum.tolist(),
        )
        yield "".join(
            as_line(ReferenceRow(source, target, grade, 0, stratum))
            for source, target, grade, stratum in zip(*columns, strict=True)
        )


def _stratum_rows(pool: Pool) -> StratumRows:
    try:
        query, document, stratum, is_drawn = population_of(pool=pool)
    except StrataUnknown as error:
        raise StrataUndetermined(
            f'What pool "{pool}" was drawn from cannot be told: {error}'
        ) from error
    width = int(document.max(initial=0)) + 1
    people = labels.own_grades(collection=pool.collection, direction=Direction.FORWARD)
    grade = np.where(is_drawn, _grades(query * width + document, people, width), UNDRAWN)
    is_forward = pool.runs.earliest("pk").direction == Direction.FORWARD
    return StratumRows(*((query, document) if is_forward else (document, query)), stratum, grade)


def _grades(codes: NDArray[np.int64], people: Grades, width: int) -> NDArray[np.int64]:
    """People's grade of each pair, -1 without one."""
    people_codes = people.source * width + people.target
    inside = people.target < width
    people_codes, grade = people_codes[inside], people.grade[inside]
    if not len(people_codes):
        return np.full(len(codes), UNDRAWN)
    index = np.minimum(np.searchsorted(people_codes, codes), len(people_codes) - 1)
    return np.where(people_codes[index] == codes, grade[index], UNDRAWN)
