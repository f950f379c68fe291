"""The inputs of a pool's study: runs by direction, labels of their pairs, order of judgments."""

import hashlib
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Direction
from metrics.core.labels.label_sources import LabelSource, no_grades, usual_source
from metrics.core.measures.alignment import LabelledPairs, RankedGrades, align
from metrics.core.pools.partial_labels import LabelsByOrigin, labels_by_origin
from metrics.core.statistics.groups import Groups
from metrics.services.scores import labels
from metrics.services.scores.labels import EvaluationScope, Ids
from metrics.services.scores.query_groups import groups_of
from metrics.services.scores.ranks import matrix_grades, matrix_of
from pooling.core.likeness.rankings import Rankings
from pooling.core.strategies.selections import Pairs, RankedPairs, is_in, known_rows, rows_of
from pooling.core.strategies.strategies import depth_of
from pooling.models import Pool, Run
from pooling.services.runs.rankings import left_out_keys, load_top

RULES = "5"  # changes when the same labels and rankings would give other numbers
_POOL_JUDGMENTS = """
    SELECT pair.query_id, pair.document_id, label.judgment_id
    FROM pooling_poolpair pool_pair JOIN annotate_pair pair ON pair.id = pool_pair.pair_id
    JOIN annotate_countingjudgment label ON label.pair_id = pair.id AND label.is_label
    WHERE pool_pair.pool_id = %s ORDER BY label.judgment_id
"""


class PoolJudgments(NamedTuple):
    """The judgments that count on a pool's pairs, in the order in which they were given.

    query, document : (N,) item keys; judgment : (N,) ascending keys
    """

    query: Ids
    document: Ids
    judgment: Ids


class DirectionStudy(NamedTuple):
    """The study of a pool in one direction.

    sources : (Q,) ascending keys of the source items of the pool
    tops : the ranked pairs that each run brought to the pool
    groups : of the source items
    labels : the labels, queries as positions in `sources`
    first_judgment : (L,) position among the pool's judgments, from 0, of the pair's first one; N if
        it has none in this pool
    """

    direction: Direction
    runs: list[Run]
    tops: list[RankedPairs]
    scope: EvaluationScope
    groups: Groups
    labels: LabelsByOrigin
    first_judgment: Ids

    @property
    def sources(self) -> Ids:
        """The source items."""
        return self.scope.sources


class PoolStudy(NamedTuple):
    """The inputs of a pool's study, with their hash."""

    pool: Pool
    depth: int
    label_source: LabelSource
    judgments: PoolJudgments
    directions: list[DirectionStudy]
    inputs_sha256: str


def gather(*, pool: Pool) -> PoolStudy:
    """Read the inputs of the study of an opened pool.

    People's labels over those of the oldest reference set.
    """
    source = usual_source(labels.set_names(collection=pool.collection))
    with connection.cursor() as cursor:
        cursor.execute(_POOL_JUDGMENTS, [pool.pk])
        judgments = PoolJudgments(*np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 3).T)
    runs = list(pool.runs.published().in_use().order_by("name"))
    directions = [
        _direction_study(
            pool,
            Direction(direction),
            [run for run in runs if run.direction == direction],
            source,
            judgments,
        )
        for direction in dict.fromkeys(run.direction for run in runs)
    ]
    return PoolStudy(
        pool,
        depth_of(pool.strategy, pool.parameters),
        source,
        judgments,
        directions,
        _digest(pool, directions, judgments),
    )


def _direction_study(
    pool: Pool, direction: Direction, runs: list[Run], source: LabelSource, judgments: PoolJudgments
) -> DirectionStudy:
    depth = depth_of(pool.strategy, pool.parameters)
    excluded_keys = left_out_keys(collection=pool.collection)
    tops = [
        load_top(
            run=run,
            depth=depth,
            query_set=pool.query_set,
            leave_out=excluded_keys,
            with_scores=True,
        )
        for run in runs
    ]
    sources = np.unique(np.concatenate([known_rows(top).source for top in tops]))
    if drawn_items := list(pool.pool_sources.values_list("item", flat=True)):
        sources = np.intersect1d(sources, drawn_items)
    tops = [rows_of(top, np.isin(top.source, sources)) for top in tops]
    scope = EvaluationScope(direction, sources, None, excluded_keys)
    people = labels.within(
        labels.own_grades(collection=pool.collection, direction=direction), scope
    )
    reference = no_grades()
    if source.reference:
        reference_grades = labels.labels_of(
            collection=pool.collection, direction=direction, label_source=source.reference
        )
        reference = labels.within(reference_grades, scope)
    known_labels = labels_by_origin(people, reference, sources)
    groups = groups_of(collection=pool.collection, direction=direction, sources=sources)
    return DirectionStudy(
        direction,
        runs,
        tops,
        scope,
        groups,
        known_labels,
        _first_judgments(known_labels, sources, judgments, direction),
    )


def _positions(pairs: NDArray[np.int64], source: Ids, target: Ids) -> Ids:
    """Return the position of each source and target in `pairs`, (M, 2), ascending, none absent."""
    width = int(pairs[:, 1].max(initial=0)) + 1
    return np.searchsorted(pairs[:, 0] * width + pairs[:, 1], source * width + target)


def _first_judgments(
    known_labels: LabelsByOrigin, sources: Ids, judgments: PoolJudgments, direction: Direction
) -> Ids:
    ends = (
        (judgments.query, judgments.document)
        if direction == Direction.FORWARD
        else (judgments.document, judgments.query)
    )
    first = np.full(len(known_labels.query), len(judgments.judgment))
    pairs = np.stack([sources[known_labels.query], known_labels.doc], axis=1)
    inside = is_in(*ends, Pairs(*pairs.T))
    np.minimum.at(
        first, _positions(pairs, ends[0][inside], ends[1][inside]), np.flatnonzero(inside)
    )
    return first


def contributions(study: DirectionStudy) -> NDArray[np.bool_]:
    """(S, L) mask of the labelled pairs that each run brought to the pool."""
    pairs = np.stack([study.sources[study.labels.query], study.labels.doc], axis=1)
    is_brought = np.zeros((len(study.runs), len(pairs)), dtype=bool)
    for row, top in zip(is_brought, study.tops, strict=True):
        row[:] = is_in(pairs[:, 0], pairs[:, 1], Pairs(top.source, top.target))
    return is_brought


def labelled_rows(study: DirectionStudy, top: RankedPairs) -> RankedPairs:
    """Keep the rows of a run whose pair has a grade by people."""
    has_grade = ~np.isnan(study.labels.people)
    pairs = Pairs(study.sources[study.labels.query[has_grade]], study.labels.doc[has_grade])
    return rows_of(top, is_in(top.source, top.target, pairs))


def ranked_of(study: DirectionStudy, run: Run, pair_labels: LabelledPairs) -> RankedGrades:
    """Rank the labelled targets of the study's source items in a run."""
    matrix = matrix_of(run)
    if matrix is not None:
        return matrix_grades(
            matrix=matrix, scope=study.scope, sources=study.sources, tables=[pair_labels]
        )[0]
    return align(_rankings_of(study, run), pair_labels)


def _rankings_of(study: DirectionStudy, run: Run) -> Rankings:
    """Read a run's whole rankings of the study's source items."""
    whole = load_top(run=run, depth=2**31 - 1, leave_out=study.scope.excluded_items)
    in_study = np.isin(whole.source, study.sources)
    counts = np.bincount(
        np.searchsorted(study.sources, whole.source[in_study]), minlength=len(study.sources)
    )
    return Rankings(np.append(0, np.cumsum(counts)), whole.target[in_study])


def _digest(pool: Pool, directions: list[DirectionStudy], judgments: PoolJudgments) -> str:
    digest = hashlib.sha256(
        f"{RULES} {pool.pk} {pool.parameters} {pool.collection.positive_from}".encode()
    )
    digest.update(judgments.judgment.tobytes())
    for study in directions:
        digest.update(f"{study.direction} {[run.pk for run in study.runs]}".encode())
        tops = [column for top in study.tops for column in (top.source, top.target, top.rank)]
        for column in (study.sources, *study.labels, study.first_judgment, *tops):
            digest.update(np.ascontiguousarray(column).tobytes())
        if not study.groups.are_plain:  # else the hash stays what it was before there were groups
            digest.update(study.groups.of_query.tobytes())
            digest.update(b"" if study.groups.weight is None else study.groups.weight.tobytes())
    return digest.hexdigest()
