"""The scores of a release, come out of its own files: means of values, values of runs and qrels."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import quoted
from annotate.core.phrases import count_of, counted, enumeration
from metrics.core.measures.measures import UnknownMeasure, parse_one
from metrics.core.releases.manifest import Manifest, QuerySetEntry, RunEntry, ScoreEntry
from metrics.core.releases.verification.findings import Findings, are_equal, shown, unequal_rows
from metrics.core.releases.verification.label_tables import SET_COLUMNS
from metrics.core.releases.verification.measured_runs import (
    BoundedMeasure,
    LabelRequest,
    QuerySetLabels,
    RunMeasurement,
    RunValueTable,
    as_ids,
    measure_run,
    read_labels,
)
from metrics.core.releases.verification.qrels_files import QrelsKey, qrels_paths
from metrics.core.releases.verification.query_values import (
    PER_QUERY,
    QueryValues,
    ScoreKey,
    query_values,
)
from metrics.core.releases.verification.release_folder import opened, rows_of
from metrics.core.releases.verification.score_tables import TABLE, check_score_tables
from metrics.core.statistics.intervals import mean_intervals

SetKey = tuple[str, str]  # the name of a query set, and its direction


class ScoreVerification:
    """Compares the scores of a release; in memory are one query set's labels, one run's values.

    The values of queries come run by run, and each run is measured once for its query set.
    """

    def __init__(self, source: Source, manifest: Manifest, findings: Findings) -> None:
        self.scores = check_score_tables(source, manifest, findings)
        self._source, self._manifest, self._findings = source, manifest, findings
        self._query_sets = {(entry.name, entry.direction): entry for entry in manifest.query_sets}
        self._runs = {entry.alias: entry for entry in manifest.runs}
        self._paths = qrels_paths(manifest)
        self._labels: tuple[SetKey, QuerySetLabels | None] | None = None
        self._measured: tuple[tuple[str, SetKey], RunValueTable | None] | None = None
        self._seen: set[ScoreKey] = set()
        self._without_file: Counter[str] = Counter()
        self._unmeasured: Counter[str] = Counter()  # scores by the reason
        self._counts: Counter[str] = Counter()

    def run(self) -> None:
        """Compare all."""
        findings, is_whole = self._findings, False
        self._check_names()
        with findings.reading(PER_QUERY):
            for values in query_values(self._source):
                findings.report(f"{values.key}")
                self._check(values)
            is_whole = True
        for key in sorted(self.scores.keys() - self._seen):
            if self.scores[key].n_queries:
                reason = "has no values of them" if is_whole else "cannot be read to its end"
                self._unmeasured[f"{PER_QUERY} {reason}"] += 1
                if is_whole:
                    findings.add(PER_QUERY, f"It has no values of {key}, which {TABLE} has.")
        counts = self._counts
        findings.results += [
            f"{count_of(counts['means'], 'means')} and intervals compared with {PER_QUERY}.",
            f"{count_of(counts['measured'], 'scores')} measured anew from runs and qrels, "
            f"{count_of(counts['values'], 'values')} of queries.",
        ]
        findings.unchecked += [
            f"{count_of(n, 'scores')} not measured anew: {reason}."
            for reason, n in self._unmeasured.items()
        ]
        if self._without_file:
            n_scores = sum(self._without_file.values())
            findings.unchecked.append(
                f"{count_of(n_scores, 'scores')} of {counted(len(self._without_file), 'run')} "
                "cannot be measured anew, as these are not in the release: "
                f"{'; '.join(self._reasons_without_file())}."
            )

    def _check_names(self) -> None:
        """Add a fault for each run and each label source that manifest.json does not have."""
        label_sources = {source.key for source in self._manifest.label_sources}
        kinds = (("run", "run", self._runs), ("label source", "label_source", label_sources))
        for kind, field, names in kinds:
            for name in sorted({getattr(key, field) for key in self.scores} - set(names)):
                message = f"It has scores of the {kind} {quoted(name)}, and manifest.json does not."
                self._findings.add(TABLE, message)

    def _reasons_without_file(self) -> Iterator[str]:
        """Yield the runs whose files are not there, by the reason that manifest.json has."""
        runs_by_reason: dict[str, list[str]] = {}
        for run in sorted(self._without_file):
            runs_by_reason.setdefault(self._runs[run].no_file, []).append(run)
        for reason, runs in runs_by_reason.items():
            yield f"{enumeration(runs)} ({reason.rstrip('.')})"

    def _check(self, values: QueryValues) -> None:
        """Compare the values of a score, and its row."""
        key, findings = values.key, self._findings
        entry = self.scores.get(key)
        rows = f"Rows {values.first_row:,} to {values.first_row + len(values.values) - 1:,}"
        if entry is None or key in self._seen:
            if entry is None:
                self._unmeasured[f"{TABLE} has no such scores"] += 1
            reason = f"{TABLE} has no such score" if entry is None else "they come again"
            findings.add(PER_QUERY, f"{rows} are of {key}: {reason}.")
            return
        self._seen.add(key)
        self._counts["means"] += 1
        self._compare(entry, "mean", values.mean, PER_QUERY)
        self._compare(entry, "n_queries", len(values.values), PER_QUERY)
        self._check_interval(entry, values)
        query_set = self._query_sets.get((key.query_set, key.direction))
        labels = None if query_set is None else self._labels_of(query_set)
        if query_set is None:
            self._unmeasured["manifest.json has no such query set"] += 1
            findings.add(PER_QUERY, f"{rows} are of {key}: manifest.json has no such query set.")
            return
        if labels is None:
            self._unmeasured[f"{query_set.file} cannot be read"] += 1
            return
        ids = np.array([query.encode() for query in values.queries], dtype=np.bytes_)
        order = np.argsort(ids, kind="stable")
        if not np.array_equal(ids[order], labels.sources):
            self._unmeasured[f"{query_set.file} has other queries than {PER_QUERY}"] += 1
            findings.add(
                PER_QUERY, f"{rows} are of {key}: their queries are not those of {query_set.file}."
            )
            return
        if key.label_source not in labels.pairs:
            path = self._paths.get(QrelsKey(key.label_source, key.query_set, key.direction))
            reason = f"{path} cannot be read" if path else "manifest.json has no qrels for them"
            self._unmeasured[reason] += 1
            return
        n_with_positive = labels.n_with_positive(key.label_source, key.threshold)
        self._compare(entry, "n_with_positive", n_with_positive, "its qrels")
        self._check_values(entry, values, order, query_set)

    def _compare(self, entry: ScoreEntry, name: str, number: float | None, origin: str) -> None:
        """Compare a number of a score's row with what other files give."""
        stored_number = getattr(entry, name)
        if not are_equal(stored_number, number):
            key = ScoreKey(*(getattr(entry, name) for name in ScoreKey._fields))
            message = (
                f"{name} of {key} is {shown(stored_number)}, and {origin} gives {shown(number)}."
            )
            self._findings.add(TABLE, message)

    def _check_interval(self, entry: ScoreEntry, values: QueryValues) -> None:
        try:
            measure = parse_one(entry.measure)
        except UnknownMeasure:
            return
        if len(values.values):
            (interval,) = mean_intervals(
                values.values[None, :], are_shares=measure.is_share, groups=values.query_groups
            )
            self._compare(entry, "low", interval.low, PER_QUERY)
            self._compare(entry, "high", interval.high, PER_QUERY)

    def _labels_of(self, query_set: QuerySetEntry) -> QuerySetLabels | None:
        """The labels of a query set; read once, while its scores follow one another.

        None where its file cannot be read.
        """
        set_key = query_set.name, query_set.direction
        if self._labels is None or self._labels[0] != set_key:
            paths = {
                key.label_source: path
                for key, path in self._paths.items()
                if (key.query_set, key.direction) == set_key
            }
            self._labels = set_key, None
            with self._findings.reading(query_set.file):
                rows = rows_of(self._source, query_set.file, SET_COLUMNS)
                sources = as_ids(row["item"] for _, row in rows if row["part"] == "source")
                labels = read_labels(self._source, sources, paths, self._findings)
                self._labels = set_key, labels
        return self._labels[1]

    def _check_values(
        self,
        entry: ScoreEntry,
        values: QueryValues,
        order: NDArray[np.int64],
        query_set: QuerySetEntry,
    ) -> None:
        """Compare values with those of the run, where its file is there.

        order : of the rows, by the ids of queries
        """
        measured_run = self._measured_run(entry, query_set)
        name = LabelRequest(entry.label_source, entry.threshold), entry.measure
        if measured_run is None:
            return
        if name not in measured_run.values:
            self._unmeasured["this version has no such measure"] += 1
            return
        self._counts["measured"] += 1
        self._counts["values"] += len(order)
        path = file_of(self._runs[entry.run], query_set)
        numbers = measured_run.values[name]
        stored_values = values.values[order]
        for position in unequal_rows(numbers, stored_values).tolist():
            row = int(order[position])
            self._findings.add(
                PER_QUERY,
                f"Row {values.first_row + row:,}: {values.key} is "
                f"{shown(float(stored_values[position]))} for query {values.queries[row]}, and "
                f"{path} with the qrels gives {shown(float(numbers[position]))}.",
            )
        self._compare(entry, "n_missing", measured_run.n_missing, path)
        if entry.best is not None:
            weight = values.weight[order]
            best = float(np.average(measured_run.best[name], weights=weight))
            self._compare(entry, "best", best, path)

    def _measured_run(self, entry: ScoreEntry, query_set: QuerySetEntry) -> RunValueTable | None:
        """The run of a score measured on its query set; None without a file that can be read."""
        run = self._runs.get(entry.run)
        if run is None:
            self._unmeasured["manifest.json has no such run"] += 1
            return None
        path = file_of(run, query_set)
        if not path:
            self._without_file[entry.run] += 1
            return None
        set_key = query_set.name, query_set.direction
        if self._measured is None or self._measured[0] != (entry.run, set_key):
            self._measured = (entry.run, set_key), None
            with self._findings.reading(path), opened(self._source, path) as stream:
                measurement = self._measurement(entry.run, set_key)
                measured_run = measure_run(stream, path, measurement, self._findings)
                self._measured = (entry.run, set_key), measured_run
        if self._measured[1] is None:
            self._unmeasured[f"{path} cannot be read"] += 1
        return self._measured[1]

    def _measurement(self, run: str, set_key: SetKey) -> RunMeasurement:
        """The measurement of all scores of a run on a query set."""
        labels = self._labels[1] if self._labels else None
        assert labels is not None, "the labels are read before"  # noqa: S101
        requests: dict[LabelRequest, list[BoundedMeasure]] = {}
        for key, entry in self.scores.items():
            if (key.run, (key.query_set, key.direction)) != (run, set_key):
                continue
            if key.label_source not in labels.pairs:
                continue
            try:
                measure = parse_one(key.measure)
            except UnknownMeasure:
                continue
            request = LabelRequest(key.label_source, key.threshold)
            row = BoundedMeasure(measure, entry.best is not None)
            requests.setdefault(request, []).append(row)
        positive_from = self._manifest.collection.positive_from
        best_grade = max([positive_from, *(level.grade for level in self._manifest.levels)])
        return RunMeasurement(labels, requests, best_grade)


def file_of(run: RunEntry, query_set: QuerySetEntry) -> str:
    """The path of a run as it was scored on a query set; empty where it is not in the release."""
    stem = query_set.file.removeprefix("query-sets/").removesuffix(".tsv")
    return run.gallery_files.get(stem, "") if query_set.n_gallery is not None else run.file
