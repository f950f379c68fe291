"""Measuring runs: values per query under each label source, for a query set or a part of it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.core.labels.label_sources import Grades, LabelSource
from metrics.core.measures import measures, ranking
from metrics.core.measures.alignment import LabelledPairs
from metrics.core.measures.incomplete import with_unjudged_as
from metrics.core.statistics.groups import Groups
from metrics.services.scores import labels
from metrics.services.scores.labels import EvaluationScope, Gallery, Ids
from metrics.services.scores.ranks import matrix_of, ranked_grades, sources_per_chunk
from pooling.models import Run

# No new positive lowers these: a score is its own lower bound, and the upper one is stored. Both
# bounds of the ratios after them differ from the score; they are measured on demand, as two more
# values per query would slow each refresh.
BOUNDED = measures.parse("C@1 C@5 C@10")
MEASURES = [*BOUNDED, *measures.parse("AP nDCG@10 mAP@R Judged@10 Judged@1 Judged@5")]
# not a measure: the positives per query, which tell where the others are defined
N_POSITIVE = "n_positive"
# printed beside the scores, without charts and columns of their own
AUXILIARY = (N_POSITIVE, "Judged@1", "Judged@5")
NAMES = [measure.name for measure in MEASURES] + [N_POSITIVE]
CHUNK = 2_000


class Board(NamedTuple):
    """The ground on which runs are measured: a query set and its label sources.

    groups : of its queries; best_grade : the largest of the scheme, which an unjudged target could
        get
    """

    collection: Collection
    query_set: QuerySet
    scope: EvaluationScope
    gallery: Gallery
    groups: Groups
    sources: list[LabelSource]
    best_grade: int


class ValueTable(NamedTuple):
    """Values per query of one run under one label source.

    values : (len(NAMES), Q)
    best : (len(BOUNDED), Q) as if every unjudged target were positive; None under a reference alone
    n_missing : of the Q queries, those that the run does not hold
    """

    run: Run
    source: LabelSource
    values: NDArray[np.float64]
    best: NDArray[np.float64] | None
    n_missing: int

    @property
    def has_positive(self) -> NDArray[np.bool_]:
        """(Q,) mask of the queries that have a positive target."""
        positive: NDArray[np.bool_] = self.values[NAMES.index(N_POSITIVE)] > 0
        return positive


def read_grades(*, board: Board, positions: Ids) -> list[Grades]:
    """Read the labels of some queries, a table per label source.

    Each database table is read once.
    """
    scope = board.scope
    sources = None
    if len(positions) != len(scope.sources):
        sources = scope.sources[positions].tolist()
    people = labels.people_grades(
        collection=board.collection, direction=scope.direction, sources=sources
    )
    names = dict.fromkeys(name for source in board.sources for name in source.sets)
    references = {
        name: labels.reference_grades(
            collection=board.collection, name=name, direction=scope.direction, sources=sources
        )
        for name in names
    }
    merged_pairs = (
        source.grades(people, [references[name] for name in source.sets])
        for source in board.sources
    )
    return [labels.within(grades, scope) for grades in merged_pairs]


def measure(*, board: Board, run: Run, grades: list[Grades], positions: Ids) -> list[ValueTable]:
    """Measure a run on some queries, a table per label source; rankings are read in chunks."""
    values = np.zeros((len(grades), len(NAMES), len(positions)))
    best = np.zeros((len(grades), len(BOUNDED), len(positions)))
    n_missing, matrix = 0, matrix_of(run)
    step = sources_per_chunk(matrix=matrix, limit=CHUNK)
    for start in range(0, len(positions), step):
        chunk = board.scope.sources[positions[start : start + step]]
        tables = [labels_by_position(table, chunk) for table in grades]
        ranked_tables = ranked_grades(
            run=run, matrix=matrix, scope=board.scope, sources=chunk, tables=tables
        )
        n_missing += int(np.count_nonzero(ranked_tables[0].depth == 0))
        for number, rankings in enumerate(ranked_tables):
            values_by_name = measures.evaluate(MEASURES, rankings, board.collection.positive_from)
            total = ranking.positives(rankings, board.collection.positive_from).total
            values_by_name[N_POSITIVE] = total.astype(np.float64)
            values[number, :, start : start + len(chunk)] = [values_by_name[name] for name in NAMES]
            if board.sources[number].has_people:
                best_by_name = measures.evaluate(
                    BOUNDED,
                    with_unjudged_as(rankings, board.best_grade),
                    board.collection.positive_from,
                )
                best[number, :, start : start + len(chunk)] = [
                    best_by_name[measure.name] for measure in BOUNDED
                ]
    return [
        ValueTable(run, source, table, bound if source.has_people else None, n_missing)
        for source, table, bound in zip(board.sources, values, best, strict=True)
    ]


def labels_by_position(grades: Grades, chunk: Ids) -> LabelledPairs:
    """Return the labels of some ascending sources, by their position among them."""
    first, last = np.searchsorted(grades.source, [chunk[0], chunk[-1] + 1])
    source, target, grade = (values[first:last] for values in grades)
    position = np.minimum(np.searchsorted(chunk, source), len(chunk) - 1)
    inside = chunk[position] == source
    return LabelledPairs(position[inside], target[inside], grade[inside])
