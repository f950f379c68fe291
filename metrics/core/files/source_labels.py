"""The labels of one label source, from files: people's qrels and any number of reference sets."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError
from metrics.core.files.strata import read_labels
from metrics.core.labels.label_sources import (
    Grades,
    LabelSource,
    no_grades,
    quote_name,
    sorted_grades,
)
from pooling.core.files.text.runs import QrelsFile

WITH_STRATA = (
    "Labels with strata go with no others: score the run with them alone, as --qrels or by "
    "none:NAME."
)


def read_source(
    *, people: str, references: Mapping[str, str], source: LabelSource | None
) -> QrelsFile:
    """Read qrels files and combine them into the labels of a source.

    people : the path of people's labels, "" without any; references : paths by the names of the
        sets
    source : None takes people's labels as they are
    Raises FormatError and OSError; ValueError where the source needs a file that is not named.
    """
    if source is None:
        return _read(people)
    if source.has_people and not people:
        raise ValueError(f'Label source "{source}" needs people\'s labels: name them by --qrels.')
    missing_sets = [name for name in source.sets if name not in references]
    if missing_sets:
        raise ValueError(
            f'Label source "{source}" needs --reference {quote_name(missing_sets[0])}=FILE.'
        )
    paths = ([people] if source.has_people else []) + [references[name] for name in source.sets]
    files = [_read(path) for path in paths]
    for path, file in zip(paths, files, strict=True):
        if file.stratum is not None:
            if len(files) == 1:
                return file
            raise FormatError(path, None, "", WITH_STRATA)
    return join_labels(files, source=source)


def join_labels(files: list[QrelsFile], *, source: LabelSource) -> QrelsFile:
    """Combine several files of labels: people's first, where they count, then each reference set's.

    The queries are those of all files, in the order in which they first occur. A negative grade is
    no grade.
    """
    queries, docs = _codes([file.queries for file in files]), _codes([file.docs for file in files])
    tables = [_grades(file, queries, docs) for file in files]
    people = tables.pop(0) if source.has_people else no_grades()
    labels = source.grades(people, tables)
    names = list(dict.fromkeys(query for file in files for query in file.queries.tolist()))
    query_number = np.empty(len(queries), dtype=np.int32)
    query_number[np.searchsorted(queries, np.array(names, dtype=queries.dtype))] = np.arange(
        len(names), dtype=np.int32
    )
    return QrelsFile(
        queries=queries[np.argsort(query_number)],
        query=query_number[labels.source],
        docs=docs[labels.target],
        grades=labels.grade,
    )


def _codes(columns: list[NDArray[np.bytes_]]) -> NDArray[np.bytes_]:
    return np.unique(np.concatenate(columns)) if columns else np.zeros(0, dtype="S1")


def _grades(file: QrelsFile, queries: NDArray[np.bytes_], docs: NDArray[np.bytes_]) -> Grades:
    is_judged = file.grades >= 0
    source = np.searchsorted(queries, file.queries)[file.query[is_judged]]
    target = np.searchsorted(docs, file.docs[is_judged])
    return sorted_grades(
        np.stack([source, target, file.grades[is_judged]], axis=1).astype(np.int64)
    )


def _read(path: str) -> QrelsFile:
    with open(path, "rb") as stream:
        return read_labels(stream, name=path)
