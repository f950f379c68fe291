"""A run as it was scored: its kept upload, less the rows that no score counts, as a TREC run."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import Problems
from annotate.models import Direction
from annotate.services.background.progress import tell_nobody
from pooling.core.run_files import read_blocks
from pooling.core.run_ranking import rank
from pooling.core.runs import ReadRun, RunFile
from pooling.core.spool import spooled
from pooling.models import Run
from pooling.services.run_storage import SIDES, Known, known_items
from pooling.services.runs import rows_of

Ids = NDArray[np.int64]
MAX_CELLS = 20_000_000  # of a matrix that is written as lines: about a gigabyte


class Scope(NamedTuple):
    """What a score counts: keys of the source items, of the only targets (None for all), and of what is left out."""

    sources: Ids
    gallery: Ids | None
    excluded: Ids


class _Ends(NamedTuple):
    """(K + 1,) by place, the last for unknown ids: which source items and targets are ranked."""

    sources: Known
    targets: Known
    source_counts: NDArray[np.bool_]
    target_counts: NDArray[np.bool_]


class TooLong(Exception):
    """A matrix has too many cells to be written as lines."""


def trec_lines(*, run: Run, scope: Scope) -> Iterator[str]:
    """The lines of a run that is ready, some thousand in a piece; ties in the order in which they were scored.

    Scores are the file's. Of a run with ties, or one that was ordered by ranks or in double precision, they count down
    to 1 in each ranking instead, so that whoever sorts by them, and however, finds the order that was scored.
    Raises TooLong for a matrix of more than MAX_CELLS.
    """
    ends, tag = _ends(run, scope), "_".join(run.name.split())
    if matrix := run.report.get("matrix"):
        if matrix[0] * matrix[1] > MAX_CELLS:
            message = f"As a TREC run this matrix would have up to {matrix[0] * matrix[1]:,} lines, more than "
            raise TooLong(f"{message}{MAX_CELLS:,}; `evaluate` reads it as an .npz file.")
        yield from _matrix_lines(run, ends, tag)
        return
    rows = rows_of(run=run, problems=Problems(), tell=tell_nobody)
    for read in spooled(rows, tell=tell_nobody):
        yield _lines(read, run, ends, tag)


def _matrix_lines(run: Run, ends: _Ends, tag: str) -> Iterator[str]:
    """Every cell that is ranked."""
    with run.file.open("rb") as stream:
        for block in read_blocks(stream, run.file_name, Problems()) or ():
            row, column = np.nonzero(block.values != -np.inf)
            scores, line = block.values[row, column].astype(np.float64), row.astype(np.int64) + block.start + 1
            rows, ranks = block.rows[block.start : block.start + len(block.values)], np.zeros(len(row), np.int32)
            found = RunFile(rows, row.astype(np.int32), block.columns[column], scores, ranks, "")
            yield _lines(ReadRun(found, line), run, ends, tag)


def _ends(run: Run, scope: Scope) -> _Ends:
    sources, targets = (known_items(run, side) for side in SIDES[Direction(run.direction)])
    source_counts = np.append(np.isin(sources.keys, scope.sources), False) & sources.is_test
    inside = np.isin(targets.keys, scope.excluded, invert=True)
    if scope.gallery is not None:
        inside &= np.isin(targets.keys, scope.gallery)
    # An unknown target is in no gallery; without one it keeps its rank.
    target_counts = np.append(inside & targets.is_test[:-1], scope.gallery is None)
    return _Ends(sources, targets, source_counts, target_counts)


def _lines(read: ReadRun, run: Run, ends: _Ends, tag: str) -> str:
    rows = _rows(read, run, ends)
    query = read.run.query[rows]
    starts = np.flatnonzero(np.diff(query, prepend=-1))
    depth = np.diff(np.append(starts, len(rows)))
    place = np.arange(len(rows)) - np.repeat(starts, depth)
    plain = run.score_type == Run.ScoreType.FLOAT32 and not run.report["ties"] and not run.report.get("matrix")
    scores = read.run.scores[rows] if plain else np.repeat(depth, depth) - place
    columns = (read.run.queries[query], read.run.docs[rows], place + 1, scores)
    each = zip(*(column.tolist() for column in columns), strict=True)
    return "".join(f"{q.decode()} Q0 {d.decode()} {r} {s!r} {tag}\n" for q, d, r, s in each)


def _rows(read: ReadRun, run: Run, ends: _Ends) -> NDArray[np.int64]:
    """The rows that are ranked, ranking by ranking, best first."""
    order = rank(read, score_type=run.score_type, name=run.file_name, problems=Problems()).order
    source = ends.sources.ids.find(read.run.queries)[read.run.query]
    target = ends.targets.ids.find(read.run.docs)
    counts = ends.source_counts[source] & ends.target_counts[target]
    return np.asarray(order[counts[order]])
