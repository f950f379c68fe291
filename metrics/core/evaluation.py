"""From files to numbers: a run and qrels, or a similarity matrix and qrels, as what the measures take."""

import zipfile
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, shown
from metrics.core.alignment import Labels, RankedGrades, align
from metrics.core.matrices import Cells, from_ranks, row_ranks
from pooling.core.ids import lookup
from pooling.core.matrices import ID_NAMES, MATRIX, Block, checked_ids, refuse_undefined
from pooling.core.rankings import Rankings
from pooling.core.runs import QrelsFile, RunFile, canonical, read_run


class Evaluated(NamedTuple):
    """A run against qrels, over all queries of the qrels.

    queries : (Q,) ids, in the qrels' order
    ranked : what metrics.core.measures takes
    name : the run's tag, or the file's name for a matrix
    n_missing : queries of the qrels the run does not have; they count 0
    n_extra : queries of the run the qrels do not have; they are left out
    n_tied : rows whose place only the document id decides
    """

    queries: NDArray[np.bytes_]
    ranked: RankedGrades
    name: str
    n_missing: int
    n_extra: int
    n_tied: int


class Matrix(NamedTuple):
    """A similarity matrix with the ids of its rows (queries) and columns (documents)."""

    scores: NDArray[np.floating]
    rows: NDArray[np.bytes_]
    columns: NDArray[np.bytes_]


def evaluate_file(
    stream: BinaryIO, qrels: QrelsFile, *, name: str, score_type: str = "float32", use_ranks: bool = False
) -> Evaluated:
    """A run file (TREC form, gzip or plain) or a matrix (.npz) against qrels; its first bytes say which.

    Raises FormatError, also where the two share no query.
    """
    magic = stream.read(2)
    stream.seek(-len(magic), 1)
    if magic == b"PK":
        matrix = read_matrix(stream, name=name)
        _refuse_strangers(matrix.rows, qrels, name=name)
        return evaluate_matrix(matrix, qrels, name=name, score_type=score_type)
    run = read_run(stream, name=name)
    _refuse_strangers(run.queries, qrels, name=name)
    return evaluate_run(run, qrels, name=name, score_type=score_type, use_ranks=use_ranks)


def _refuse_strangers(queries: NDArray[np.bytes_], qrels: QrelsFile, *, name: str) -> None:
    """Raise FormatError where a run and the labels share no query: each score would be 0, and of nothing."""
    labelled = qrels.queries[np.unique(qrels.query)]
    if not len(queries) or not len(labelled) or np.isin(queries, labelled).any():
        return
    mine, theirs = (f"{len(ids):,}, such as {shown(ids[0].decode(errors='replace'))}" for ids in (queries, labelled))
    turned = " It may be a run of the other direction: its queries are documents of the labels."
    hint = turned if np.isin(queries, qrels.docs).any() else ""
    message = f"The run and the labels share no query: it has {mine}; they have {theirs}.{hint}"
    raise FormatError(name, None, "", message)


def evaluate_run(
    run: RunFile, qrels: QrelsFile, *, name: str = "", score_type: str = "float32", use_ranks: bool = False
) -> Evaluated:
    """A run in canonical order against qrels."""
    ordered = canonical(run, score_type=score_type, use_ranks=use_ranks, name=name)
    known, label_doc = np.unique(qrels.docs, return_inverse=True)
    of_query = lookup(qrels.queries, run.queries)
    present = of_query >= 0
    depth = np.zeros(len(qrels.queries), dtype=np.int64)
    depth[present] = np.diff(ordered.indptr)[of_query[present]]
    indptr = np.append(0, np.cumsum(depth))
    start = np.zeros(len(qrels.queries), dtype=np.int64)
    start[present] = ordered.indptr[of_query[present]]
    rows = ordered.order[np.arange(indptr[-1]) + np.repeat(start - indptr[:-1], depth)]
    docs = lookup(run.docs[rows], known)
    labels = Labels(qrels.query.astype(np.int64), label_doc.astype(np.int64), qrels.grades)
    return Evaluated(
        queries=qrels.queries,
        ranked=align(Rankings(indptr, docs), labels)._replace(stratum=qrels.stratum),
        name=run.tag,
        n_missing=int(np.count_nonzero(~present)),
        n_extra=len(run.queries) - int(np.count_nonzero(present)),
        n_tied=ordered.n_tied,
    )


def evaluate_matrix(matrix: Matrix, qrels: QrelsFile, *, name: str, score_type: str = "float32") -> Evaluated:
    """A similarity matrix against qrels: every column is retrieved for every row, but for cells that are -inf."""
    row_of_query = lookup(qrels.queries, matrix.rows)
    row, column = row_of_query[qrels.query], lookup(qrels.docs, matrix.columns)
    inside = (row >= 0) & (column >= 0)
    precedence = np.empty(len(matrix.columns), dtype=np.int64)
    precedence[np.argsort(matrix.columns)[::-1]] = np.arange(len(matrix.columns))
    cells = Cells(row[inside], column[inside], qrels.grades[inside])
    ranks = np.zeros(len(qrels.query), dtype=np.int64)  # labels of targets outside the matrix count in R all the same
    try:
        ranks[inside] = row_ranks(matrix.scores, cells, precedence=precedence, score_type=score_type)
    except ValueError as error:
        raise FormatError(name, None, MATRIX, str(error)) from error
    ranks[inside] *= matrix.scores[row[inside], column[inside]] != -np.inf
    shape = len(qrels.queries), len(matrix.columns)
    ranked = from_ranks(qrels.query.astype(np.int64), ranks, qrels.grades, shape=shape)
    present = row_of_query >= 0
    retrieved = np.append(np.count_nonzero(matrix.scores != -np.inf, axis=1), 0)
    return Evaluated(
        queries=qrels.queries,
        ranked=ranked._replace(depth=retrieved[row_of_query], stratum=qrels.stratum),
        name=name,
        n_missing=int(np.count_nonzero(~present)),
        n_extra=len(matrix.rows) - int(np.count_nonzero(present)),
        n_tied=0,
    )


def read_matrix(stream: BinaryIO, *, name: str) -> Matrix:
    """A .npz file with `sim_mat` and the ids of its rows and columns under one of the known pairs of names."""
    try:
        with np.load(stream, allow_pickle=False) as archive:
            members = set(archive.files)
            pair = next((names for names in ID_NAMES if members.issuperset(names)), None)
            if MATRIX not in members or pair is None:
                message = f"The .npz file must hold {MATRIX} and the ids of its rows and columns: {_pairs()}."
                raise FormatError(name, None, MATRIX, message)
            scores = archive[MATRIX]
            rows, columns = (checked_ids(archive[each].tolist(), each, name) for each in pair)
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise FormatError(name, None, "", "The .npz file is damaged or cut short; save it again.") from error
    if scores.shape != (len(rows), len(columns)):
        message = f"{MATRIX} is {scores.shape}, but there are {len(rows)} row ids and {len(columns)} column ids."
        raise FormatError(name, None, MATRIX, message)
    refuse_undefined(Block(rows, columns, 0, scores), name)
    return Matrix(scores, rows, columns)


def runs_of(
    paths: list[str], qrels: QrelsFile, *, queries_path: str = "", score_type: str = "float32", use_ranks: bool = False
) -> Iterator[Evaluated]:
    """Each run file against the same labels, one after the other. Raises FormatError and OSError.

    queries_path : a file of query ids, one a line, that count though the qrels may not name them
    """
    if queries_path:
        with open(queries_path, "rb") as stream:
            listed = np.unique(np.array(stream.read().split(), dtype=np.bytes_))
        qrels = qrels._replace(queries=np.concatenate([qrels.queries, np.setdiff1d(listed, qrels.queries)]))
    for path in paths:
        with open(path, "rb") as stream:
            yield evaluate_file(stream, qrels, name=path, score_type=score_type, use_ranks=use_ranks)


def _pairs() -> str:
    return ", or ".join(" and ".join(pair) for pair in ID_NAMES)
