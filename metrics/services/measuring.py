"""Measuring runs: values a query under each label source, for all queries of a query set or some of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.core import measures, ranking
from metrics.core.alignment import Labels, RankedGrades
from metrics.core.groups import Groups
from metrics.core.incomplete import with_unjudged_as
from metrics.core.label_sources import Grades, LabelSource
from metrics.services import labels
from metrics.services.labels import Gallery, Ids, Scope
from metrics.services.ranks import matrix_of, ranked_grades, sources_at_once
from pooling.models import Run

# No new positive lowers these: a score is its own lower bound, and the upper one is kept. Both ends of the ratios after
# them differ from the score; they are measured when somebody asks, as two more values a query would slow each refresh.
BOUNDED = measures.parse("C@1 C@5 C@10")
MEASURES = [*BOUNDED, *measures.parse("AP nDCG@10 mAP@R Judged@10 Judged@1 Judged@5")]
N_POSITIVE = "n_positive"  # not a measure: how many positives each query has, to know where the others are defined
BESIDE = (N_POSITIVE, "Judged@1", "Judged@5")  # told beside the scores, none of its own in charts and tables
NAMES = [measure.name for measure in MEASURES] + [N_POSITIVE]
CHUNK = 2_000


class Board(NamedTuple):
    """What runs are measured on: a query set, and each label source.

    groups : of its queries; best_grade : the largest of the scheme, which an unjudged target could be given
    """

    collection: Collection
    query_set: QuerySet
    scope: Scope
    gallery: Gallery
    groups: Groups
    sources: list[LabelSource]
    best_grade: int


class Table(NamedTuple):
    """Values of one run under one label source.

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
        """(Q,) which queries have a positive target."""
        positive: NDArray[np.bool_] = self.values[NAMES.index(N_POSITIVE)] > 0
        return positive


def read_grades(*, board: Board, wanted: Ids) -> list[Grades]:
    """The labels that count for the wanted queries, one table a label source; each table is read once."""
    scope = board.scope
    told = {
        "collection": board.collection,
        "direction": scope.direction,
        "sources": None if len(wanted) == len(scope.sources) else scope.sources[wanted].tolist(),
    }
    people = labels.people_grades(**told)
    names = dict.fromkeys(name for source in board.sources for name in source.sets)
    references = {name: labels.reference_grades(name=name, **told) for name in names}
    merged = (source.grades(people, [references[name] for name in source.sets]) for source in board.sources)
    return [labels.within(grades, scope) for grades in merged]


def measure(*, board: Board, run: Run, grades: list[Grades], wanted: Ids) -> list[Table]:
    """One table over the wanted queries for each label source, of which there is one; rankings are read in chunks."""
    values = np.zeros((len(grades), len(NAMES), len(wanted)))
    best = np.zeros((len(grades), len(BOUNDED), len(wanted)))
    n_missing, matrix = 0, matrix_of(run)
    step = sources_at_once(matrix=matrix, most=CHUNK)
    for start in range(0, len(wanted), step):
        chunk = board.scope.sources[wanted[start : start + step]]
        tables = [labels_by_place(table, chunk) for table in grades]
        every = ranked_grades(run=run, matrix=matrix, scope=board.scope, sources=chunk, tables=tables)
        n_missing += int(np.count_nonzero(every[0].depth == 0))
        for number, ranked in enumerate(every):
            found = measures.evaluate(MEASURES, ranked, board.collection.positive_from)
            total = ranking.positives(ranked, board.collection.positive_from).total
            found[N_POSITIVE] = total.astype(np.float64)
            values[number, :, start : start + len(chunk)] = [found[name] for name in NAMES]
            if board.sources[number].has_people:
                best[number, :, start : start + len(chunk)] = _best(board, ranked)
    return [
        Table(run, source, table, bound if source.has_people else None, n_missing)
        for source, table, bound in zip(board.sources, values, best, strict=True)
    ]


def _best(board: Board, ranked: RankedGrades) -> list[NDArray[np.float64]]:
    """(len(BOUNDED), Q) as if every unjudged target were positive, with the best grade."""
    collection = board.collection
    found = measures.evaluate(BOUNDED, with_unjudged_as(ranked, board.best_grade), collection.positive_from)
    return [found[measure.name] for measure in BOUNDED]


def labels_by_place(grades: Grades, chunk: Ids) -> Labels:
    """The labels of some ascending sources, by their place among them."""
    first, last = np.searchsorted(grades.source, [chunk[0], chunk[-1] + 1])
    source, target, grade = (values[first:last] for values in grades)
    place = np.minimum(np.searchsorted(chunk, source), len(chunk) - 1)
    inside = chunk[place] == source
    return Labels(place[inside], target[inside], grade[inside])
