"""Where a run has the labelled targets: from its rankings, or counted in its similarity matrix."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import Labels, RankedGrades, Rankings, align
from metrics.core.matrices import Cells, from_ranks, row_ranks
from metrics.services.labels import Ids, Scope
from pooling.core.matrix_files import row_blocks
from pooling.models import Matrix, Ranking, Run

CELLS_AT_ONCE = 500_000  # of a matrix, where every unjudged target is looked at


class KeptMatrix(NamedTuple):
    """The matrix of a run, to count ranks in; see pooling.models.Matrix.

    rows, columns : (R,), (C,) keys; is_whole : whether no cell is -inf
    """

    path: Path
    rows: Ids
    columns: Ids
    is_whole: bool
    score_type: str


def ranked_grades(
    *, run: Run, matrix: KeptMatrix | None, scope: Scope, sources: Ids, tables: Sequence[Labels]
) -> list[RankedGrades]:
    """What a run and each table of labels say together; `sources` are the queries, by whose places labels name them.

    matrix : what `matrix_of` says of the run, asked once for all of its sources
    """
    if matrix is not None:
        return matrix_grades(matrix=matrix, scope=scope, sources=sources, tables=tables)
    rankings = read_rankings(run=run, scope=scope, sources=sources)
    return [align(rankings, table) for table in tables]


def ranked_and_held(
    *, run: Run, matrix: KeptMatrix | None, scope: Scope, sources: Ids, tables: Sequence[Labels], pairs: Labels
) -> tuple[list[RankedGrades], Ids]:
    """As `ranked_grades`, and (Q,) how many of some pairs the run holds; a matrix need not be asked for their ranks."""
    if matrix is not None:
        held = _held_in_matrix(matrix=matrix, scope=scope, sources=sources, pairs=pairs)
        return matrix_grades(matrix=matrix, scope=scope, sources=sources, tables=tables), held
    rankings = read_rankings(run=run, scope=scope, sources=sources)
    held = np.bincount(align(rankings, pairs).query, minlength=len(sources))
    return [align(rankings, table) for table in tables], held


def matrix_of(run: Run) -> KeptMatrix | None:
    """The matrix that a run came as; asks the database only where its report says that it did."""
    found = Matrix.objects.filter(run=run).first() if run.report.get("matrix") else None
    if found is None:
        return None
    rows, columns = (np.array(keys, dtype=np.int64) for keys in (found.rows, found.columns))
    return KeptMatrix(Path(found.file.path), rows, columns, not found.n_absent, run.score_type)


def sources_at_once(*, matrix: KeptMatrix | None, most: int) -> int:
    """How many sources of a run to look at together where all their targets are, not the labelled ones alone."""
    return most if matrix is None else max(1, min(most, CELLS_AT_ONCE // max(1, len(matrix.columns))))


def read_rankings(*, run: Run, scope: Scope, sources: Ids) -> Rankings:
    """A run's rankings of some sources, in their order; empty where the run misses one."""
    rows = Ranking.objects.filter(run=run, source__in=sources.tolist())
    held = {source: np.array(targets, dtype=np.int64) for source, targets in rows.values_list("source", "targets")}
    nothing = np.zeros(0, dtype=np.int64)
    rankings = [held.get(source, nothing) for source in sources.tolist()]
    starts = np.concatenate([[0], np.cumsum([len(targets) for targets in rankings], dtype=np.int64)])
    docs = np.concatenate([nothing, *rankings])
    if scope.gallery is None and not len(scope.excluded):
        return Rankings(starts, docs)
    counts = scope.counts(docs)
    return Rankings(np.append(0, np.cumsum(counts))[starts], docs[counts])


def matrix_grades(*, matrix: KeptMatrix, scope: Scope, sources: Ids, tables: Sequence[Labels]) -> list[RankedGrades]:
    """As `ranked_grades`: ranks are counted among the columns that count, in the rows that carry a label alone.

    An unknown column counts, as an unknown document of a run does: it keeps its rank, unless there is a gallery.
    """
    kept, row = _kept_columns(matrix, scope), _places(matrix.rows, sources)
    column_of = matrix.columns[kept]
    cells = [_cells(table, row, column_of) for table in tables]
    ranks = [np.zeros(len(table.query), dtype=np.int64) for table in tables]
    depth = np.where(row >= 0, len(column_of), 0)
    labelled = np.unique(np.concatenate([np.zeros(0, np.int64), *(each.row[each.row >= 0] for each in cells)]))
    wanted = labelled if matrix.is_whole else np.unique(row[row >= 0])
    for part, values in row_blocks(matrix.path, wanted):
        block = values if kept.all() else values[:, kept]
        for each, found in zip(cells, ranks, strict=True):
            _count(block, wanted[part], each, found, matrix.score_type)
        if not matrix.is_whole:
            there = np.count_nonzero(block != -np.inf, axis=1)
            held = np.flatnonzero(np.isin(row, wanted[part]))
            depth[held] = there[np.searchsorted(wanted[part], row[held])]
    return [
        from_ranks(table.query, found, table.grade, shape=(len(sources), 0))._replace(depth=depth)
        for table, found in zip(tables, ranks, strict=True)
    ]


def _held_in_matrix(*, matrix: KeptMatrix, scope: Scope, sources: Ids, pairs: Labels) -> Ids:
    """(Q,) how many of the pairs have a cell, and not one of -inf; a whole matrix is not read for that."""
    kept, row = _kept_columns(matrix, scope), _places(matrix.rows, sources)
    cells = _cells(pairs, row, matrix.columns[kept])
    is_held = cells.row >= 0
    wanted = np.unique(cells.row[is_held & (not matrix.is_whole)])
    for part, values in row_blocks(matrix.path, wanted):
        block = values if kept.all() else values[:, kept]
        here = np.flatnonzero(np.isin(cells.row, wanted[part]))
        is_held[here] = block[np.searchsorted(wanted[part], cells.row[here]), cells.column[here]] != -np.inf
    return np.bincount(pairs.query[is_held], minlength=len(sources))


def _kept_columns(matrix: KeptMatrix, scope: Scope) -> NDArray[np.bool_]:
    """(C,) which columns count."""
    columns = matrix.columns
    kept: NDArray[np.bool_] = (columns > 0) & scope.counts(columns) | (columns == 0) & (scope.gallery is None)
    return kept


def _places(known: Ids, wanted: Ids) -> Ids:
    """Where each of the wanted keys stands among those known, -1 where it does not."""
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    return np.where(known[order][at] == wanted, order[at], -1) if len(known) else np.full(len(wanted), -1)


def _cells(labels: Labels, row: Ids, columns: Ids) -> Cells:
    """The labels as cells, -1 for the row of one that the matrix does not hold."""
    column = _places(columns, labels.doc)
    return Cells(np.where(column >= 0, row[labels.query], -1), column, labels.grade)


def _count(values: NDArray[np.floating], places: Ids, cells: Cells, ranks: Ids, score_type: str) -> None:
    """Write down the ranks of the labels that stand in these rows of the matrix; -inf is not retrieved."""
    here = np.flatnonzero(np.isin(cells.row, places))
    row, column = np.searchsorted(places, cells.row[here]), cells.column[here]
    compared = "float64" if score_type == Run.ScoreType.FLOAT64 else "float32"
    found = row_ranks(values, Cells(row, column, cells.grade[here]), score_type=compared)
    ranks[here] = np.where(values[row, column] == -np.inf, 0, found)
