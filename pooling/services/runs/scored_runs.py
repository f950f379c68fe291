"""Runs as they were scored: the kept upload without the rows no score counts, as a TREC run."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import Problems
from annotate.models import Direction
from annotate.services.background.progress import ignore_progress
from pooling.core.files.run_files import read_blocks
from pooling.core.files.run_ranking import rank
from pooling.core.files.spool import spooled_queries
from pooling.core.files.text.runs import ReadRun, RunFile
from pooling.models import Run
from pooling.services.runs.runs import read_rows
from pooling.services.runs.storage import SIDES, SideItems, side_items

Ids = NDArray[np.int64]
MAX_CELLS = 20_000_000  # of a matrix that is written as lines: about a gigabyte


class ScoringScope(NamedTuple):
    """Items that scores count: keys of sources, of the only targets, of excluded items.

    `gallery` is None for all targets.
    """

    sources: Ids
    gallery: Ids | None
    excluded_items: Ids


class _ScoredItems(NamedTuple):
    """The items of both sides, and masks of the ranked ones: (K + 1,), the last for unknown ids."""

    sources: SideItems
    targets: SideItems
    source_counts: NDArray[np.bool_]
    target_counts: NDArray[np.bool_]


class TooLong(Exception):
    """A matrix has too many cells to be written as lines."""


def trec_lines(*, run: Run, scope: ScoringScope) -> Iterator[str]:
    """The lines of a run that is ready, some thousand in a piece.

    Ties in the order in which they were scored. Scores are the file's. Of a run with ties, or one
    that was ordered by ranks or in double precision, they count down to 1 in each ranking instead,
    so that any sort by them gives the order that was scored. Raises TooLong for a matrix of more
    than MAX_CELLS.
    """
    scored_items, tag = _scored_items(run, scope), "_".join(run.name.split())
    if matrix := run.report.get("matrix"):
        if matrix[0] * matrix[1] > MAX_CELLS:
            message = (
                f"As a TREC run this matrix would have up to {matrix[0] * matrix[1]:,} lines, more "
                "than "
            )
            raise TooLong(f"{message}{MAX_CELLS:,}; `evaluate` reads it as an .npz file.")
        yield from _matrix_lines(run, scored_items, tag)
        return
    rows = read_rows(run=run, problems=Problems(), on_progress=ignore_progress)
    for batch in spooled_queries(rows, on_progress=ignore_progress):
        yield _lines(batch, run, scored_items, tag)


def _matrix_lines(run: Run, scored_items: _ScoredItems, tag: str) -> Iterator[str]:
    """The lines of all ranked cells."""
    with run.open_file() as stream:
        for block in read_blocks(stream, run.file_name, Problems()) or ():
            row, column = np.nonzero(block.values != -np.inf)
            scores, line = (
                block.values[row, column].astype(np.float64),
                row.astype(np.int64) + block.start + 1,
            )
            rows, ranks = (
                block.rows[block.start : block.start + len(block.values)],
                np.zeros(len(row), np.int32),
            )
            run_file = RunFile(rows, row.astype(np.int32), block.columns[column], scores, ranks, "")
            yield _lines(ReadRun(run_file, line), run, scored_items, tag)


def _scored_items(run: Run, scope: ScoringScope) -> _ScoredItems:
    sources, targets = (side_items(run, side) for side in SIDES[Direction(run.direction)])
    source_counts = np.append(np.isin(sources.keys, scope.sources), False) & sources.is_test
    inside = np.isin(targets.keys, scope.excluded_items, invert=True)
    if scope.gallery is not None:
        inside &= np.isin(targets.keys, scope.gallery)
    # An unknown target is in no gallery; without one it keeps its rank.
    target_counts = np.append(inside & targets.is_test[:-1], scope.gallery is None)
    return _ScoredItems(sources, targets, source_counts, target_counts)


def _lines(batch: ReadRun, run: Run, scored_items: _ScoredItems, tag: str) -> str:
    rows = _rows(batch, run, scored_items)
    query = batch.run.query[rows]
    starts = np.flatnonzero(np.diff(query, prepend=-1))
    depth = np.diff(np.append(starts, len(rows)))
    position = np.arange(len(rows)) - np.repeat(starts, depth)
    has_plain_scores = (
        run.score_type == Run.ScoreType.FLOAT32
        and not run.report["ties"]
        and not run.report.get("matrix")
    )
    scores = batch.run.scores[rows] if has_plain_scores else np.repeat(depth, depth) - position
    columns = (batch.run.queries[query], batch.run.docs[rows], position + 1, scores)
    rows_as_text = zip(*(column.tolist() for column in columns), strict=True)
    return "".join(f"{q.decode()} Q0 {d.decode()} {r} {s!r} {tag}\n" for q, d, r, s in rows_as_text)


def _rows(batch: ReadRun, run: Run, scored_items: _ScoredItems) -> NDArray[np.int64]:
    """The rows that are ranked, ranking by ranking, best first."""
    order = rank(batch, score_type=run.score_type, name=run.file_name, problems=Problems()).order
    source = scored_items.sources.ids.find(batch.run.queries)[batch.run.query]
    target = scored_items.targets.ids.find(batch.run.docs)
    counts = scored_items.source_counts[source] & scored_items.target_counts[target]
    return np.asarray(order[counts[order]])
