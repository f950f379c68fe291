"""Similarity matrices of runs: stored as files, with the items of their rows and columns.

A file that no run names any more stays for some hours: a refresh that began before may still read
it.
"""

import time
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.files import File
from django.db.models import Sum
from numpy.typing import NDArray

from annotate.models import Direction
from annotate.services.background.workers import lock_task
from pooling.core.files.binary.matrix_files import (
    MatrixTooLarge,
    MatrixWriter,
    WrittenMatrix,
    row_blocks,
)
from pooling.models import Matrix, Run
from pooling.services.runs.reports import N_NAMED_IDS, RunReport, UnmatchedIds
from pooling.services.runs.storage import SIDES, SideItems, side_items

GIGABYTE = 1024**3
# since a file was last written; no reader or writer takes so long
FORGOTTEN_AFTER = 2 * settings.LONG_TASK_SECONDS


class _MovableFile(File):
    """A file that a storage on this disk moves, where it would copy others."""

    def temporary_file_path(self) -> str:
        """Path of the file now."""
        assert self.file is not None, "it is made of an open file"  # noqa: S101
        return str(self.file.name)


def writer(*, run: Run) -> MatrixWriter:
    """Return the writer of a run's matrix, which takes its blocks while the run's file is read."""
    return MatrixWriter(_folder(), room=_room(run))


def ranked_columns(run: Run, ids: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """Mask of the ranked columns of a run's matrix: all but of items of another split than test."""
    targets = side_items(run, SIDES[Direction(run.direction)][1])
    position = targets.ids.find(ids)
    return np.asarray(targets.is_test[position] | (position < 0))


def refusal(error: MatrixTooLarge, *, run: Run) -> str:
    """Say why a matrix is not accepted."""
    limit, room = settings.MATRICES_MAX_BYTES / GIGABYTE, max(_room(run), 0) / GIGABYTE
    return (
        f"The matrix takes {error.n_bytes / GIGABYTE:.2f} GB; a collection's matrices may take "
        f"{limit:.2f} GB together, of which {room:.2f} are left. Save it as float16, upload the "
        "best of each row as a TREC run, or ask the operator for a larger MATRICES_MAX_MB."
    )


def store_matrix(*, run: Run, matrix_file: WrittenMatrix | None, report: RunReport) -> None:
    """Store a run's matrix in place of the one it had, and count its cells in the report.

    In a transaction. Raises MatrixTooLarge if other matrices have taken the room since the file was
    begun.
    """
    forget_matrix(run=run)
    if matrix_file is None:
        return
    lock_task("matrices", collection=run.collection)  # else two matrices would take the same room
    if matrix_file.n_bytes > _room(run):
        raise MatrixTooLarge(matrix_file.n_bytes)
    sources, targets = (side_items(run, side) for side in SIDES[Direction(run.direction)])
    matrix = Matrix(
        run=run,
        n_bytes=matrix_file.n_bytes,
        sha256=matrix_file.sha256,
        n_absent=matrix_file.n_absent,
        rows=_keys(sources, matrix_file.rows).tolist(),
        columns=_keys(targets, matrix_file.columns).tolist(),
    )
    _report(report, sources, targets, matrix_file)
    # last: a file that was moved does not go back by itself
    with matrix_file.path.open("rb") as stream:
        matrix.file.save(
            f"{run.pk}-{matrix_file.sha256[:16]}.npy", _MovableFile(stream), save=False
        )
    matrix.save()


def forget_matrix(*, run: Run) -> None:
    """Delete a run's matrix; its file goes with the next `sweep_files`."""
    Matrix.objects.filter(run=run).delete()


def sweep_files() -> int:
    """Delete the files that belong to no matrix, of runs read anew and of workers that died.

    Returns their number.
    """
    known_names = {Path(name).name for name in Matrix.objects.values_list("file", flat=True)}
    cutoff = time.time() - FORGOTTEN_AFTER
    orphans = [
        path
        for path in _folder().glob("*")
        if path.name not in known_names and path.stat().st_mtime < cutoff
    ]
    for path in orphans:
        path.unlink(missing_ok=True)
    return len(orphans)


def _folder() -> Path:
    return Path(settings.MEDIA_ROOT) / "matrices"


def _room(run: Run) -> int:
    other_matrices = Matrix.objects.filter(run__collection=run.collection_id).exclude(run=run)
    return settings.MATRICES_MAX_BYTES - (other_matrices.aggregate(n=Sum("n_bytes"))["n"] or 0)


def _keys(items: SideItems, ids: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """(n,) keys as a matrix stores them."""
    signed_keys = np.append(np.where(items.is_test[:-1], items.keys, -items.keys), 0)
    return np.asarray(signed_keys[items.ids.find(ids)])


def _report(
    report: RunReport, sources: SideItems, targets: SideItems, matrix_file: WrittenMatrix
) -> None:
    """Count cells, of which the rankings hold only the best."""
    row, column = sources.ids.find(matrix_file.rows), targets.ids.find(matrix_file.columns)
    unknown = column < 0
    n_by_column = _n_retrieved(matrix_file, np.flatnonzero(sources.counts[row]))
    report.n_rows = len(row) * len(column) - matrix_file.n_absent
    report.n_kept = int(n_by_column[targets.counts[column]].sum())
    report.n_unknown = int(n_by_column[unknown].sum())
    of_known = int(_n_retrieved(matrix_file, np.flatnonzero(row >= 0)).sum())
    report.n_dropped = of_known - report.n_kept - report.n_unknown
    first = [id_.decode() for id_ in matrix_file.columns[unknown][:N_NAMED_IDS].tolist()]
    report.unknown_targets = UnmatchedIds(n=int(np.count_nonzero(unknown)), first=first)
    report.matrix = [len(row), len(column)]


def _n_retrieved(matrix_file: WrittenMatrix, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(C,) number of these rows in which each column is retrieved."""
    if not matrix_file.n_absent:
        return np.full(len(matrix_file.columns), len(rows), dtype=np.int64)
    counts = np.zeros(len(matrix_file.columns), dtype=np.int64)
    for _, values in row_blocks(matrix_file.path, rows):
        counts += np.count_nonzero(values != -np.inf, axis=0)
    return counts
