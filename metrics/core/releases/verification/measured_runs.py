"""Runs of a release measured anew: its run files against its qrels, by the product's measures."""

from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError, quoted
from metrics.core.measures import measures
from metrics.core.measures.alignment import LabelledPairs, Rankings, align
from metrics.core.measures.incomplete import with_unjudged_as
from metrics.core.measures.measures import Measure
from metrics.core.releases.verification.findings import Findings
from metrics.core.releases.verification.release_folder import holds_nothing, opened
from pooling.core.files.spool import spooled_queries
from pooling.core.files.text.ids import lookup
from pooling.core.files.text.runs import RunFile, order_rows, read_qrels, repeats, run_parts

Ids = NDArray[np.bytes_]


class QuerySetLabels(NamedTuple):
    """The labels of a query set under each label source.

    sources : (Q,) ids of the queries; docs : (D,) those of the labelled targets
    pairs : by the key of the label source; a label's query is a position in `sources`, its doc one
        in `docs`
    """

    sources: Ids
    docs: Ids
    pairs: dict[str, LabelledPairs]

    def n_with_positive(self, label_source: str, threshold: int) -> int:
        """The number of queries with a positive target."""
        pairs = self.pairs[label_source]
        return len(np.unique(pairs.query[pairs.grade >= max(threshold, 0)]))


class LabelRequest(NamedTuple):
    """Labels to measure by: the key of a label source, and a threshold."""

    label_source: str
    threshold: int


class BoundedMeasure(NamedTuple):
    """A measure; has_best : whether its mean has an upper bound beside it."""

    measure: Measure
    has_best: bool


class RunValueTable(NamedTuple):
    """A run measured: (Q,) values by labels and the measure's name.

    best : of those with a bound, as if each unjudged target had the best grade
    n_missing : queries that it does not have
    """

    values: dict[tuple[LabelRequest, str], NDArray[np.float64]]
    best: dict[tuple[LabelRequest, str], NDArray[np.float64]]
    n_missing: int


def read_labels(
    source: Source, sources: Ids, paths: dict[str, str], findings: Findings
) -> QuerySetLabels:
    """Read the qrels of a query set; paths : by the keys of label sources.

    A label source whose file cannot be read, which is a fault, is left out.
    """
    qrels_files = {}
    for key, path in paths.items():
        with findings.reading(path), opened(source, path) as stream:
            is_blank = holds_nothing(stream)
            qrels_files[key] = None if is_blank else read_qrels(stream, name=path)
    docs = np.unique(
        np.concatenate(
            [np.zeros(0, "S1"), *(np.unique(qrels.docs) for qrels in qrels_files.values() if qrels)]
        )
    )
    pairs = {}
    for key, qrels in qrels_files.items():
        if qrels is None:
            nothing = np.zeros(0, np.int64)
            pairs[key] = LabelledPairs(nothing, nothing, nothing)
            continue
        position = lookup(qrels.queries, sources).astype(np.int64)
        if (position < 0).any():
            stranger = qrels.queries[np.argmin(position)].decode(errors="replace")
            findings.add(paths[key], f"{quoted(stranger)} is no query of its query set.")
        query = position[qrels.query]
        is_inside = query >= 0
        doc = lookup(qrels.docs, docs).astype(np.int64)
        pairs[key] = LabelledPairs(query[is_inside], doc[is_inside], qrels.grades[is_inside])
    return QuerySetLabels(sources, docs, pairs)


class RunMeasurement:
    """Measures a run some queries at a time, under each label source.

    requests : the measures by labels; best_grade : what an unjudged target could get at most
    """

    def __init__(
        self,
        labels: QuerySetLabels,
        requests: dict[LabelRequest, list[BoundedMeasure]],
        best_grade: int,
    ) -> None:
        self._labels = labels
        self._requests = requests
        self._best_grade = best_grade
        n_queries = len(labels.sources)
        self._values: dict[tuple[LabelRequest, str], NDArray[np.float64]] = {}
        self._best: dict[tuple[LabelRequest, str], NDArray[np.float64]] = {}
        for request, rows in requests.items():
            for measure, has_best in rows:
                self._values[request, measure.name] = np.zeros(n_queries)
                if has_best:
                    self._best[request, measure.name] = np.zeros(n_queries)
        self._is_measured = np.zeros(n_queries, dtype=bool)
        self._n_missing = 0

    def add(self, run: RunFile) -> None:
        """Measure whole queries of a run file; others than those of the query set are left out."""
        canonical_run = order_rows(run)
        position = lookup(run.queries, self._labels.sources).astype(np.int64)
        depth = np.diff(canonical_run.indptr)
        is_inside = position >= 0
        rows = canonical_run.order[np.repeat(is_inside, depth)]
        docs = lookup(run.docs[rows], self._labels.docs).astype(np.int64)
        indptr = np.append(0, np.cumsum(depth[is_inside]))
        self._measure(Rankings(indptr, docs), position[is_inside])

    def finish(self) -> RunValueTable:
        """Measure the queries that the run does not have, and return all."""
        positions = np.flatnonzero(~self._is_measured)
        if len(positions):
            indptr = np.zeros(len(positions) + 1, dtype=np.int64)
            self._measure(Rankings(indptr, np.zeros(0, dtype=np.int64)), positions)
        return RunValueTable(self._values, self._best, self._n_missing)

    def _measure(self, rankings: Rankings, positions: NDArray[np.int64]) -> None:
        if not len(positions):
            return
        local = np.full(len(self._labels.sources), -1, dtype=np.int64)
        local[positions] = np.arange(len(positions))
        self._is_measured[positions] = True
        self._n_missing += int(np.count_nonzero(rankings.depth == 0))
        for request, rows in self._requests.items():
            pairs = self._labels.pairs[request.label_source]
            query = local[pairs.query]
            is_here = query >= 0
            labels = LabelledPairs(query[is_here], pairs.doc[is_here], pairs.grade[is_here])
            ranked_grades = align(rankings, labels)
            scale = measures.with_scale([row.measure for row in rows], pairs.grade)
            for name, column in measures.evaluate(scale, ranked_grades, request.threshold).items():
                self._values[request, name][positions] = column
            bounded = [measure for measure, row in zip(scale, rows, strict=True) if row.has_best]
            if bounded:
                unjudged = with_unjudged_as(ranked_grades, self._best_grade)
                values = measures.evaluate(bounded, unjudged, request.threshold)
                for name, column in values.items():
                    self._best[request, name][positions] = column


def measure_run(
    stream: BinaryIO, path: str, measurement: RunMeasurement, findings: Findings
) -> RunValueTable:
    """Measure a run file, of any size. Raises FormatError, EOFError, OSError and zlib.error."""
    if not holds_nothing(stream):

        def report(n_done: int, total: int | None, unit: str) -> None:
            findings.report(f"{path}: {n_done:,} of {total or n_done:,} rows measured")

        for batch in spooled_queries(run_parts(stream, name=path), on_progress=report):
            for row, _ in repeats(batch.run.query, batch.run.docs):
                query = batch.run.queries[batch.run.query[row]].decode(errors="replace")
                document = batch.run.docs[row].decode(errors="replace")
                message = f"{quoted(document)} stands twice for {quoted(query)}."
                raise FormatError(path, int(batch.line[row]), "document", message)
            measurement.add(batch.run)
    return measurement.finish()


def as_ids(words: Iterable[str]) -> Ids:
    """Ids as bytes, ascending."""
    return np.array(sorted({word.encode() for word in words}) or [], dtype=np.bytes_)
