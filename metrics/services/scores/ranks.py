"""Ranks of labelled targets in a run: from its rankings, or counted in its similarity matrix."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.services.storage.number_arrays import (
    ARRAY_HEADER,
    array_literal,
    elements_of,
    numbers_of,
)
from metrics.core.measures.alignment import LabelledPairs, RankedGrades, Rankings, align
from metrics.core.measures.matrices import Cells, from_ranks, row_ranks
from metrics.services.scores.labels import EvaluationScope, Ids
from pooling.core.files.binary.matrix_files import row_blocks
from pooling.models import Matrix, Run

CELLS_AT_ONCE = 500_000  # of a matrix, if every unjudged target is visited
_RANKINGS = """
    SELECT string_agg(int8send(source_id::bigint), ''),
           string_agg(int8send(cardinality(targets)::bigint), ''),
           string_agg(substr(array_send(targets), %(header)s + 1), '')
    FROM pooling_ranking WHERE run_id = %(run)s AND source_id = ANY(%(sources)s::bigint[])
"""


class RunMatrix(NamedTuple):
    """The similarity matrix of a run, to count ranks in; see pooling.models.Matrix.

    rows, columns : (R,), (C,) keys; is_whole : True if no cell is -inf
    """

    path: Path
    rows: Ids
    columns: Ids
    is_whole: bool
    score_type: str


def ranked_grades(
    *,
    run: Run,
    matrix: RunMatrix | None,
    scope: EvaluationScope,
    sources: Ids,
    tables: Sequence[LabelledPairs],
) -> list[RankedGrades]:
    """Join a run with each table of labels; labels name their query by its position in `sources`.

    matrix : the result of `matrix_of`, read once for all sources of the run
    """
    if matrix is not None:
        return matrix_grades(matrix=matrix, scope=scope, sources=sources, tables=tables)
    rankings = read_rankings(run=run, scope=scope, sources=sources)
    return [align(rankings, table) for table in tables]


def ranked_grades_and_counts(
    *,
    run: Run,
    matrix: RunMatrix | None,
    scope: EvaluationScope,
    sources: Ids,
    tables: Sequence[LabelledPairs],
    pairs: LabelledPairs,
) -> tuple[list[RankedGrades], Ids]:
    """Return `ranked_grades`, and (Q,) how many of the pairs the run holds, without their ranks."""
    if matrix is not None:
        counts = _counts_in_matrix(matrix=matrix, scope=scope, sources=sources, pairs=pairs)
        return matrix_grades(matrix=matrix, scope=scope, sources=sources, tables=tables), counts
    rankings = read_rankings(run=run, scope=scope, sources=sources)
    counts = np.bincount(align(rankings, pairs).query, minlength=len(sources))
    return [align(rankings, table) for table in tables], counts


def matrix_of(run: Run) -> RunMatrix | None:
    """Return the matrix of a run uploaded as one.

    Queries the database only if the run's report says so.
    """
    matrix = Matrix.objects.filter(run=run).first() if run.report.get("matrix") else None
    if matrix is None:
        return None
    rows, columns = (np.array(keys, dtype=np.int64) for keys in (matrix.rows, matrix.columns))
    return RunMatrix(Path(matrix.file.path), rows, columns, not matrix.n_absent, run.score_type)


def sources_per_chunk(*, matrix: RunMatrix | None, limit: int) -> int:
    """Return how many sources to process at once if all targets are visited, labelled or not."""
    if matrix is None:
        return limit
    return max(1, min(limit, CELLS_AT_ONCE // max(1, len(matrix.columns))))


def read_rankings(*, run: Run, scope: EvaluationScope, sources: Ids) -> Rankings:
    """Read a run's rankings of some sources, in their order.

    Empty for a source that the run misses.
    """
    with connection.cursor() as cursor:
        keys = array_literal(sources)
        cursor.execute(_RANKINGS, {"run": run.pk, "sources": keys, "header": ARRAY_HEADER})
        rows, sizes, targets = (value or b"" for value in cursor.fetchone())
    row = _positions(numbers_of(rows), sources)
    depth = np.append(numbers_of(sizes), 0)  # the last one for a source that the run misses
    starts = np.append(0, np.cumsum(depth[row]))
    first = np.append(0, np.cumsum(depth))[row]
    in_order = np.repeat(first - starts[:-1], depth[row]) + np.arange(starts[-1])
    docs = elements_of(targets, np.int64)[in_order]
    if scope.gallery is None and not len(scope.excluded_items):
        return Rankings(starts, docs)
    counts = scope.counts(docs)
    return Rankings(np.append(0, np.cumsum(counts))[starts], docs[counts])


def matrix_grades(
    *, matrix: RunMatrix, scope: EvaluationScope, sources: Ids, tables: Sequence[LabelledPairs]
) -> list[RankedGrades]:
    """Return `ranked_grades` of a matrix: ranks among the counting columns, of labelled rows alone.

    An unknown column counts, as an unknown document of a run does: it keeps its rank, unless there
    is a gallery.
    """
    is_counting, row = _counting_columns(matrix, scope), _positions(matrix.rows, sources)
    column_of = matrix.columns[is_counting]
    cells = [_cells(table, row, column_of) for table in tables]
    ranks = [np.zeros(len(table.query), dtype=np.int64) for table in tables]
    depth = np.where(row >= 0, len(column_of), 0)
    labelled_rows = np.unique(
        np.concatenate(
            [
                np.zeros(0, np.int64),
                *(table_cells.row[table_cells.row >= 0] for table_cells in cells),
            ]
        )
    )
    matrix_rows = labelled_rows if matrix.is_whole else np.unique(row[row >= 0])
    for part, values in row_blocks(matrix.path, matrix_rows):
        block = values if is_counting.all() else values[:, is_counting]
        for table_cells, table_ranks in zip(cells, ranks, strict=True):
            _count_ranks(block, matrix_rows[part], table_cells, table_ranks, matrix.score_type)
        if not matrix.is_whole:
            n_present = np.count_nonzero(block != -np.inf, axis=1)
            queries = np.flatnonzero(np.isin(row, matrix_rows[part]))
            depth[queries] = n_present[np.searchsorted(matrix_rows[part], row[queries])]
    return [
        from_ranks(table.query, table_ranks, table.grade, shape=(len(sources), 0))._replace(
            depth=depth
        )
        for table, table_ranks in zip(tables, ranks, strict=True)
    ]


def _counts_in_matrix(
    *, matrix: RunMatrix, scope: EvaluationScope, sources: Ids, pairs: LabelledPairs
) -> Ids:
    """(Q,) number of pairs with a cell other than -inf.

    The cells of a whole matrix are not read.
    """
    is_counting, row = _counting_columns(matrix, scope), _positions(matrix.rows, sources)
    cells = _cells(pairs, row, matrix.columns[is_counting])
    is_present = cells.row >= 0
    matrix_rows = np.unique(cells.row[is_present & (not matrix.is_whole)])
    for part, values in row_blocks(matrix.path, matrix_rows):
        block = values if is_counting.all() else values[:, is_counting]
        cells_of_block = np.flatnonzero(np.isin(cells.row, matrix_rows[part]))
        is_present[cells_of_block] = (
            block[
                np.searchsorted(matrix_rows[part], cells.row[cells_of_block]),
                cells.column[cells_of_block],
            ]
            != -np.inf
        )
    return np.bincount(pairs.query[is_present], minlength=len(sources))


def _counting_columns(matrix: RunMatrix, scope: EvaluationScope) -> NDArray[np.bool_]:
    """(C,) mask of the columns that count."""
    columns = matrix.columns
    is_counting: NDArray[np.bool_] = (columns > 0) & scope.counts(columns) | (columns == 0) & (
        scope.gallery is None
    )
    return is_counting


def _positions(keys: Ids, search_keys: Ids) -> Ids:
    """Return the position of each searched key among the keys, -1 if it is absent."""
    if not len(keys):
        return np.full(len(search_keys), -1)
    order = np.argsort(keys)
    at = np.minimum(np.searchsorted(keys[order], search_keys), len(keys) - 1)
    return np.where(keys[order][at] == search_keys, order[at], -1)


def _cells(labels: LabelledPairs, row: Ids, columns: Ids) -> Cells:
    """Return the labels as cells; the row is -1 if the matrix does not hold the pair."""
    column = _positions(columns, labels.doc)
    return Cells(np.where(column >= 0, row[labels.query], -1), column, labels.grade)


def _count_ranks(
    values: NDArray[np.floating], matrix_rows: Ids, cells: Cells, ranks: Ids, score_type: str
) -> None:
    """Fill in the ranks of the labels in these rows of the matrix.

    A cell of -inf is not retrieved.
    """
    cells_of_block = np.flatnonzero(np.isin(cells.row, matrix_rows))
    row = np.searchsorted(matrix_rows, cells.row[cells_of_block])
    column = cells.column[cells_of_block]
    dtype = "float64" if score_type == Run.ScoreType.FLOAT64 else "float32"
    counted_ranks = row_ranks(
        values, Cells(row, column, cells.grade[cells_of_block]), score_type=dtype
    )
    ranks[cells_of_block] = np.where(values[row, column] == -np.inf, 0, counted_ranks)
