"""Evaluation of files: aligns a run, or a similarity matrix, with qrels for the measures."""

import zipfile
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, quoted
from metrics.core.measures.alignment import LabelledPairs, RankedGrades, align
from metrics.core.measures.matrices import Cells, from_ranks, row_ranks
from pooling.core.files.binary.matrices import (
    ID_NAMES,
    MATRIX,
    MatrixBlock,
    checked_ids,
    refuse_undefined,
)
from pooling.core.files.text.ids import lookup
from pooling.core.files.text.runs import QrelsFile, RunFile, canonical_order, read_run
from pooling.core.likeness.rankings import Rankings


class RunEvaluation(NamedTuple):
    """A run against qrels, over all queries of the qrels.

    queries : (Q,) ids, in the qrels' order
    rankings : ranks and grades, as metrics.core.measures.measures takes them
    name : the run's tag, or the file's name for a matrix
    n_missing : queries of the qrels the run does not have; they count 0
    n_extra : queries of the run the qrels do not have; they are left out
    n_tied : rows whose rank only the document id decides
    """

    queries: NDArray[np.bytes_]
    rankings: RankedGrades
    name: str
    n_missing: int
    n_extra: int
    n_tied: int


class SimilarityMatrix(NamedTuple):
    """A similarity matrix with the ids of its rows (queries) and columns (documents)."""

    scores: NDArray[np.floating]
    rows: NDArray[np.bytes_]
    columns: NDArray[np.bytes_]


def evaluate_file(
    stream: BinaryIO,
    qrels: QrelsFile,
    *,
    name: str,
    score_type: str = "float32",
    use_ranks: bool = False,
) -> RunEvaluation:
    """Evaluate a run file (TREC form, gzip or plain) or a matrix (.npz) against qrels.

    The first bytes tell a run from a matrix. Raises FormatError, also where the two share no query.
    """
    magic = stream.read(2)
    stream.seek(-len(magic), 1)
    if magic == b"PK":
        matrix = read_matrix(stream, name=name)
        _refuse_unrelated_queries(matrix.rows, qrels, name=name)
        return evaluate_matrix(matrix, qrels, name=name, score_type=score_type)
    run = read_run(stream, name=name)
    _refuse_unrelated_queries(run.queries, qrels, name=name)
    return evaluate_run(run, qrels, name=name, score_type=score_type, use_ranks=use_ranks)


def _refuse_unrelated_queries(queries: NDArray[np.bytes_], qrels: QrelsFile, *, name: str) -> None:
    """Raise FormatError where a run and the labels share no query: each score would be 0."""
    labelled_queries = qrels.queries[np.unique(qrels.query)]
    if not len(queries) or not len(labelled_queries) or np.isin(queries, labelled_queries).any():
        return
    run_text, label_text = (
        f"{len(ids):,}, such as {quoted(ids[0].decode(errors='replace'))}"
        for ids in (queries, labelled_queries)
    )
    direction_hint = (
        " It may be a run of the other direction: its queries are documents of the labels."
    )
    hint = direction_hint if np.isin(queries, qrels.docs).any() else ""
    message = (
        f"The run and the labels share no query: it has {run_text}; they have {label_text}.{hint}"
    )
    raise FormatError(name, None, "", message)


def evaluate_run(
    run: RunFile,
    qrels: QrelsFile,
    *,
    name: str = "",
    score_type: str = "float32",
    use_ranks: bool = False,
) -> RunEvaluation:
    """Evaluate a run, in canonical order, against qrels."""
    canonical_run = canonical_order(run, score_type=score_type, use_ranks=use_ranks, name=name)
    distinct_docs, label_doc = np.unique(qrels.docs, return_inverse=True)
    of_query = lookup(qrels.queries, run.queries)
    is_present = of_query >= 0
    depth = np.zeros(len(qrels.queries), dtype=np.int64)
    depth[is_present] = np.diff(canonical_run.indptr)[of_query[is_present]]
    indptr = np.append(0, np.cumsum(depth))
    start = np.zeros(len(qrels.queries), dtype=np.int64)
    start[is_present] = canonical_run.indptr[of_query[is_present]]
    rows = canonical_run.order[np.arange(indptr[-1]) + np.repeat(start - indptr[:-1], depth)]
    docs = lookup(run.docs[rows], distinct_docs).astype(np.int64)
    labels = LabelledPairs(qrels.query.astype(np.int64), label_doc.astype(np.int64), qrels.grades)
    return RunEvaluation(
        queries=qrels.queries,
        rankings=align(Rankings(indptr, docs), labels)._replace(stratum=qrels.stratum),
        name=run.tag,
        n_missing=int(np.count_nonzero(~is_present)),
        n_extra=len(run.queries) - int(np.count_nonzero(is_present)),
        n_tied=canonical_run.n_tied,
    )


def evaluate_matrix(
    matrix: SimilarityMatrix, qrels: QrelsFile, *, name: str, score_type: str = "float32"
) -> RunEvaluation:
    """Evaluate a similarity matrix against qrels: all cells are retrieved but those of -inf."""
    row_of_query = lookup(qrels.queries, matrix.rows)
    row = row_of_query[qrels.query].astype(np.int64)
    column = lookup(qrels.docs, matrix.columns).astype(np.int64)
    is_inside = (row >= 0) & (column >= 0)
    precedence = np.empty(len(matrix.columns), dtype=np.int64)
    precedence[np.argsort(matrix.columns)[::-1]] = np.arange(len(matrix.columns))
    cells = Cells(row[is_inside], column[is_inside], qrels.grades[is_inside])
    # labels of targets outside the matrix count in R all the same
    ranks = np.zeros(len(qrels.query), dtype=np.int64)
    try:
        ranks[is_inside] = row_ranks(
            matrix.scores, cells, precedence=precedence, score_type=score_type
        )
    except ValueError as error:
        raise FormatError(name, None, MATRIX, str(error)) from error
    ranks[is_inside] *= matrix.scores[row[is_inside], column[is_inside]] != -np.inf
    shape = len(qrels.queries), len(matrix.columns)
    rankings = from_ranks(qrels.query.astype(np.int64), ranks, qrels.grades, shape=shape)
    is_present = row_of_query >= 0
    n_retrieved = np.append(np.count_nonzero(matrix.scores != -np.inf, axis=1), 0)
    return RunEvaluation(
        queries=qrels.queries,
        rankings=rankings._replace(depth=n_retrieved[row_of_query], stratum=qrels.stratum),
        name=name,
        n_missing=int(np.count_nonzero(~is_present)),
        n_extra=len(matrix.rows) - int(np.count_nonzero(is_present)),
        n_tied=0,
    )


def read_matrix(stream: BinaryIO, *, name: str) -> SimilarityMatrix:
    """Read a .npz file with `sim_mat` and its row and column ids under a pair of ID_NAMES."""
    try:
        with np.load(stream, allow_pickle=False) as archive:
            members = set(archive.files)
            id_names = next((names for names in ID_NAMES if members.issuperset(names)), None)
            if MATRIX not in members or id_names is None:
                id_pairs = ", or ".join(" and ".join(pair) for pair in ID_NAMES)
                message = (
                    f"The .npz file must hold {MATRIX} and the ids of its rows and columns: "
                    f"{id_pairs}."
                )
                raise FormatError(name, None, MATRIX, message)
            scores = archive[MATRIX]
            rows, columns = (
                checked_ids(archive[member].tolist(), member, name) for member in id_names
            )
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise FormatError(
            name, None, "", "The .npz file is damaged or cut short; save it again."
        ) from error
    if scores.shape != (len(rows), len(columns)):
        message = (
            f"{MATRIX} is {scores.shape}, but there are {len(rows)} row ids and {len(columns)} "
            "column ids."
        )
        raise FormatError(name, None, MATRIX, message)
    refuse_undefined(MatrixBlock(rows, columns, 0, scores), name)
    return SimilarityMatrix(scores, rows, columns)


def evaluate_files(
    paths: list[str],
    qrels: QrelsFile,
    *,
    queries_path: str = "",
    score_type: str = "float32",
    use_ranks: bool = False,
) -> Iterator[RunEvaluation]:
    """Evaluate run files against the same labels, one by one. Raises FormatError and OSError.

    queries_path : a file of query ids, one a line, that count even where the qrels do not name them
    """
    if queries_path:
        with open(queries_path, "rb") as stream:
            listed_queries = np.unique(np.array(stream.read().split(), dtype=np.bytes_))
        qrels = qrels._replace(
            queries=np.concatenate([qrels.queries, np.setdiff1d(listed_queries, qrels.queries)])
        )
    for path in paths:
        with open(path, "rb") as stream:
            yield evaluate_file(
                stream, qrels, name=path, score_type=score_type, use_ranks=use_ranks
            )
