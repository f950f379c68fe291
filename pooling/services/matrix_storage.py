"""Similarity matrices of runs: kept as files, with the items that their rows and columns are."""

from functools import partial
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.files import File
from django.db import transaction
from django.db.models import Sum
from numpy.typing import NDArray

from annotate.models import Direction
from pooling.core.matrix_files import MatrixWriter, TooLarge, Written
from pooling.models import Matrix, Run
from pooling.services.run_reports import SHOWN, RunReport, Strangers
from pooling.services.run_storage import SIDES, Known, known_items

GIGABYTE = 1024**3


class _Moved(File):
    """A file that a storage on this disk moves, where it would copy others."""

    def temporary_file_path(self) -> str:
        """Where it is now."""
        return str(self.file.name)


def writer(*, run: Run) -> MatrixWriter:
    """What takes the blocks of a run's matrix while its file is read."""
    return MatrixWriter(Path(settings.MEDIA_ROOT) / "matrices", room=_room(run))


def refusal(error: TooLarge, *, run: Run) -> str:
    """Why a matrix is not taken."""
    limit, left = settings.MATRICES_MAX_BYTES / GIGABYTE, max(_room(run), 0) / GIGABYTE
    return (
        f"The matrix takes {error.n_bytes / GIGABYTE:.2f} GB; a collection's matrices may take {limit:.2f} GB "
        f"together, of which {left:.2f} are left. Save it as float16, upload the best of each row as a TREC run, or "
        "ask the operator for a larger MATRICES_MAX_MB."
    )


def store_matrix(*, run: Run, written: Written | None, report: RunReport) -> None:
    """Keep a run's matrix in place of the one it had, and say in its report what the cells name. In a transaction."""
    forget_matrix(run=run)
    if written is None:
        return
    sources, targets = (known_items(run, side) for side in SIDES[Direction(run.direction)])
    matrix = Matrix(
        run=run,
        n_bytes=written.n_bytes,
        sha256=written.sha256,
        n_absent=written.n_absent,
        rows=_keys(sources, written.rows).tolist(),
        columns=_keys(targets, written.columns).tolist(),
    )
    with written.path.open("rb") as stream:
        matrix.file.save(f"{run.pk}-{written.sha256[:16]}.npy", _Moved(stream), save=False)
    matrix.save()
    _report(report, sources, targets, written)


def forget_matrix(*, run: Run) -> None:
    """Delete a run's matrix, its file once that is committed."""
    for matrix in Matrix.objects.filter(run=run):
        transaction.on_commit(partial(matrix.file.storage.delete, matrix.file.name), robust=True)
        matrix.delete()


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
    n_rows = int(np.count_nonzero(sources.counts[row]))
    unknown = column < 0
    report.n_rows = len(row) * len(column)
    report.n_kept = n_rows * int(np.count_nonzero(targets.counts[column]))
    report.n_unknown = n_rows * int(np.count_nonzero(unknown))
    report.n_dropped = int(np.count_nonzero(row >= 0)) * len(column) - report.n_kept - report.n_unknown
    first = [each.decode() for each in written.columns[unknown][:SHOWN].tolist()]
    report.unknown_targets = Strangers(n=int(np.count_nonzero(unknown)), first=first)
    report.matrix = [len(row), len(column)]
