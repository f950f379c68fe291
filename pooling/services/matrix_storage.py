"""Similarity matrices of runs: kept as files, with the items that their rows and columns are.

A file that no run names any more stays for some hours: a refresh that began before may still read it.
"""

import time
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.files import File
from django.db.models import Sum
from numpy.typing import NDArray

from annotate.models import Direction
from annotate.services.background.workers import take_turn
from pooling.core.matrix_files import MatrixWriter, TooLarge, Written, row_blocks
from pooling.models import Matrix, Run
from pooling.services.run_reports import SHOWN, RunReport, Strangers
from pooling.services.run_storage import SIDES, Known, known_items

GIGABYTE = 1024**3
FORGOTTEN_AFTER = 2 * settings.LONG_TASK_SECONDS  # since a file was last written; nobody reads or writes for so long


class _Moved(File):
    """A file that a storage on this disk moves, where it would copy others."""

    def temporary_file_path(self) -> str:
        """Where it is now."""
        return str(self.file.name)


def writer(*, run: Run) -> MatrixWriter:
    """What takes the blocks of a run's matrix while its file is read."""
    return MatrixWriter(_folder(), room=_room(run))


def ranked_columns(run: Run, ids: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """Which columns of a run's matrix are ranked: all but those of items of another split than test."""
    targets = known_items(run, SIDES[Direction(run.direction)][1])
    place = targets.ids.find(ids)
    return np.asarray(targets.is_test[place] | (place < 0))


def refusal(error: TooLarge, *, run: Run) -> str:
    """Why a matrix is not taken."""
    limit, left = settings.MATRICES_MAX_BYTES / GIGABYTE, max(_room(run), 0) / GIGABYTE
    return (
        f"The matrix takes {error.n_bytes / GIGABYTE:.2f} GB; a collection's matrices may take {limit:.2f} GB "
        f"together, of which {left:.2f} are left. Save it as float16, upload the best of each row as a TREC run, or "
        "ask the operator for a larger MATRICES_MAX_MB."
    )


def store_matrix(*, run: Run, written: Written | None, report: RunReport) -> None:
    """Keep a run's matrix in place of the one it had, and say in its report what the cells name. In a transaction.

    Raises TooLarge where others have taken the room since the file was begun.
    """
    forget_matrix(run=run)
    if written is None:
        return
    take_turn("matrices", collection=run.collection)  # else two would take the same room
    if written.n_bytes > _room(run):
        raise TooLarge(written.n_bytes)
    sources, targets = (known_items(run, side) for side in SIDES[Direction(run.direction)])
    matrix = Matrix(
        run=run,
        n_bytes=written.n_bytes,
        sha256=written.sha256,
        n_absent=written.n_absent,
        rows=_keys(sources, written.rows).tolist(),
        columns=_keys(targets, written.columns).tolist(),
    )
    _report(report, sources, targets, written)
    with written.path.open("rb") as stream:  # last: a file that was moved does not go back by itself
        matrix.file.save(f"{run.pk}-{written.sha256[:16]}.npy", _Moved(stream), save=False)
    matrix.save()


def forget_matrix(*, run: Run) -> None:
    """Delete a run's matrix; its file goes with the next `sweep_files`."""
    Matrix.objects.filter(run=run).delete()


def sweep_files() -> int:
    """Delete the files that belong to no matrix, of runs read anew and of workers that died; how many."""
    known = {Path(name).name for name in Matrix.objects.values_list("file", flat=True)}
    old = time.time() - FORGOTTEN_AFTER
    lost = [path for path in _folder().glob("*") if path.name not in known and path.stat().st_mtime < old]
    for path in lost:
        path.unlink(missing_ok=True)
    return len(lost)


def _folder() -> Path:
    return Path(settings.MEDIA_ROOT) / "matrices"


def _room(run: Run) -> int:
    others = Matrix.objects.filter(run__collection=run.collection_id).exclude(run=run)
    return settings.MATRICES_MAX_BYTES - (others.aggregate(n=Sum("n_bytes"))["n"] or 0)


def _keys(known: Known, ids: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """(n,) keys as a matrix keeps them."""
    signed = np.append(np.where(known.is_test[:-1], known.keys, -known.keys), 0)
    return np.asarray(signed[known.ids.find(ids)])


def _report(report: RunReport, sources: Known, targets: Known, written: Written) -> None:
    """Count cells, of which the rankings hold only the best."""
    row, column = sources.ids.find(written.rows), targets.ids.find(written.columns)
    unknown = column < 0
    held = _held(written, np.flatnonzero(sources.counts[row]))
    report.n_rows = len(row) * len(column) - written.n_absent
    report.n_kept = int(held[targets.counts[column]].sum())
    report.n_unknown = int(held[unknown].sum())
    of_known = int(_held(written, np.flatnonzero(row >= 0)).sum())
    report.n_dropped = of_known - report.n_kept - report.n_unknown
    first = [each.decode() for each in written.columns[unknown][:SHOWN].tolist()]
    report.unknown_targets = Strangers(n=int(np.count_nonzero(unknown)), first=first)
    report.matrix = [len(row), len(column)]


def _held(written: Written, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """(C,) in how many of these rows each column is retrieved."""
    if not written.n_absent:
        return np.full(len(written.columns), len(places), dtype=np.int64)
    counts = np.zeros(len(written.columns), dtype=np.int64)
    for _, values in row_blocks(written.path, places):
        counts += np.count_nonzero(values != -np.inf, axis=0)
    return counts
