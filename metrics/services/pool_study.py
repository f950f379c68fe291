"""What a pool's study rests on: its runs by direction, the labels they meet, and when people gave them."""

import hashlib
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Direction
from metrics.core.alignment import Labels, RankedGrades, align
from metrics.core.favour import KnownLabels
from metrics.core.groups import Groups
from metrics.core.label_sources import Grades, LabelSource, no_grades, usual_source
from metrics.services import labels
from metrics.services.labels import Ids, Scope
from metrics.services.query_groups import groups_of
from metrics.services.ranks import matrix_grades, matrix_of
from pooling.core.rankings import Rankings
from pooling.core.selections import Pairs, RankedPairs, is_in, of_items, rows_of
from pooling.core.strategies import depth_of
from pooling.models import Pool, Run
from pooling.services.rankings import left_out, load_top

RULES = "5"  # changes when the same labels and rankings would give other numbers
_GIVEN = """
    SELECT pair.query_id, pair.document_id, seat.judgment_id
    FROM pooling_poolpair pooled JOIN annotate_pair pair ON pair.id = pooled.pair_id
    JOIN annotate_seat seat ON seat.pair_id = pair.id AND seat.state = 'done' AND seat.purpose IN ('label', 'import')
    WHERE pooled.pool_id = %s ORDER BY seat.judgment_id
"""


class Given(NamedTuple):
    """The labels that count on a pool's pairs, in the order in which they were given.

    query, document : (N,) item keys; judgment : (N,) ascending keys
    """

    query: Ids
    document: Ids
    judgment: Ids


class Side(NamedTuple):
    """A pool in one direction.

    sources : (Q,) ascending keys of the source items that the pool asked about
    tops : what each run showed the pool
    groups : of the source items
    known : the labels there are, queries as places in `sources`
    first : (L,) place among `given`, from 0, of the first label that people gave the pair; N where none is of this pool
    """

    direction: Direction
    runs: list[Run]
    tops: list[RankedPairs]
    scope: Scope
    groups: Groups
    known: KnownLabels
    first: Ids

    @property
    def sources(self) -> Ids:
        """The source items."""
        return self.scope.sources


class Study(NamedTuple):
    """All of it, and a hash that is the same when nothing has changed."""

    pool: Pool
    depth: int
    label_source: LabelSource
    given: Given
    sides: list[Side]
    inputs_sha256: str


def gather(*, pool: Pool) -> Study:
    """Read what the study of an opened pool rests on. People's labels over those of the oldest reference set."""
    source = usual_source(labels.set_names(collection=pool.collection))
    with connection.cursor() as cursor:
        cursor.execute(_GIVEN, [pool.pk])
        given = Given(*np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 3).T)
    runs = list(pool.runs.published().in_use().order_by("name"))
    sides = [
        _side(pool, Direction(direction), [run for run in runs if run.direction == direction], source, given)
        for direction in dict.fromkeys(run.direction for run in runs)
    ]
    return Study(pool, depth_of(pool.strategy, pool.parameters), source, given, sides, _digest(pool, sides, given))


def _side(pool: Pool, direction: Direction, runs: list[Run], source: LabelSource, given: Given) -> Side:
    depth = depth_of(pool.strategy, pool.parameters)
    absent = left_out(collection=pool.collection)
    tops = [
        load_top(run=run, depth=depth, query_set=pool.query_set, leave_out=absent, with_scores=True) for run in runs
    ]
    sources = np.unique(np.concatenate([of_items(top).source for top in tops]))
    if drawn := list(pool.pool_sources.values_list("item", flat=True)):
        sources = np.intersect1d(sources, drawn)
    tops = [rows_of(top, np.isin(top.source, sources)) for top in tops]
    scope = Scope(direction, sources, None, absent)
    people = labels.within(labels.people_grades(collection=pool.collection, direction=direction), scope)
    reference = no_grades()
    if source.reference:
        told = {"collection": pool.collection, "direction": direction}
        reference = labels.within(labels.labels_of(**told, label_source=source.reference), scope)
    known = _known(people, reference, sources)
    groups = groups_of(collection=pool.collection, direction=direction, sources=sources)
    return Side(direction, runs, tops, scope, groups, known, _first(known, sources, given, direction))


def _known(people: Grades, reference: Grades, sources: Ids) -> KnownLabels:
    pairs = np.unique(np.concatenate([np.stack(each[:2], axis=1) for each in (people, reference)]), axis=0)
    columns = []
    for grades in (people, reference):
        column = np.full(len(pairs), np.nan)
        column[_place(pairs, grades.source, grades.target)] = grades.grade
        columns.append(column)
    return KnownLabels(np.searchsorted(sources, pairs[:, 0]), pairs[:, 1], *columns)


def _place(pairs: NDArray[np.int64], source: Ids, target: Ids) -> Ids:
    """Where in `pairs` (M, 2), ascending, each of these stands; all of them do."""
    width = int(pairs[:, 1].max(initial=0)) + 1
    return np.searchsorted(pairs[:, 0] * width + pairs[:, 1], source * width + target)


def _first(known: KnownLabels, sources: Ids, given: Given, direction: Direction) -> Ids:
    ends = (given.query, given.document) if direction == Direction.FORWARD else (given.document, given.query)
    first = np.full(len(known.query), len(given.judgment))
    pairs = np.stack([sources[known.query], known.doc], axis=1)
    inside = is_in(*ends, Pairs(*pairs.T))
    np.minimum.at(first, _place(pairs, ends[0][inside], ends[1][inside]), np.flatnonzero(inside))
    return first


def brought(side: Side) -> NDArray[np.bool_]:
    """(S, L) whether a run showed the pool a label's pair."""
    pairs = np.stack([side.sources[side.known.query], side.known.doc], axis=1)
    found = np.zeros((len(side.runs), len(pairs)), dtype=bool)
    for row, top in zip(found, side.tops, strict=True):
        row[:] = is_in(*pairs.T, Pairs(top.source, top.target))
    return found


def labelled(side: Side, top: RankedPairs) -> RankedPairs:
    """The rows of a run whose pair people gave a grade."""
    said = ~np.isnan(side.known.people)
    pairs = Pairs(side.sources[side.known.query[said]], side.known.doc[said])
    return rows_of(top, is_in(top.source, top.target, pairs))


def ranked_of(side: Side, run: Run, known: Labels) -> RankedGrades:
    """Where a run has the labelled targets of the study's source items."""
    matrix = matrix_of(run)
    if matrix is not None:
        return matrix_grades(matrix=matrix, scope=side.scope, sources=side.sources, tables=[known])[0]
    return align(_rankings_of(side, run), known)


def _rankings_of(side: Side, run: Run) -> Rankings:
    """A run's whole rankings of the study's source items."""
    whole = load_top(run=run, depth=2**31 - 1, leave_out=side.scope.excluded)
    here = np.isin(whole.source, side.sources)
    counts = np.bincount(np.searchsorted(side.sources, whole.source[here]), minlength=len(side.sources))
    return Rankings(np.append(0, np.cumsum(counts)), whole.target[here])


def _digest(pool: Pool, sides: list[Side], given: Given) -> str:
    told = hashlib.sha256(f"{RULES} {pool.pk} {pool.parameters} {pool.collection.positive_from}".encode())
    told.update(given.judgment.tobytes())
    for side in sides:
        told.update(f"{side.direction} {[run.pk for run in side.runs]}".encode())
        tops = [column for top in side.tops for column in (top.source, top.target, top.rank)]
        for column in (side.sources, *side.known, side.first, *tops):
            told.update(np.ascontiguousarray(column).tobytes())
        if not side.groups.are_plain:  # else the hash stays what it was before there were groups
            told.update(side.groups.of_query.tobytes())
            told.update(b"" if side.groups.weight is None else side.groups.weight.tobytes())
    return told.hexdigest()
