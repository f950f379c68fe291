"""The judgments of a release: the same in both files; their labels, counts and agreement."""

import json
from array import array
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import closing
from datetime import datetime
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError, quoted
from annotate.core.files.judgments.judgment_exports import SCHEMA
from annotate.core.phrases import counted
from metrics.core.agreement.agreement import MeasurementLevel, alpha_of_counts, percent_agreement
from metrics.core.agreement.counts import UnitCounts, group
from metrics.core.releases.manifest import Manifest
from metrics.core.releases.verification.findings import Findings
from metrics.core.releases.verification.release_folder import blocks_of, lines_of, open_table

TABLE, LINES = "judgments/judgments.parquet", "judgments/judgments.jsonl.gz"
MOMENTS = ("shown_at", "at")
COUNTS, LABEL_PURPOSES, PLANNED = "counts", ("label", "import"), ("first", "double")


class ReleasedLabels:
    """The labels that count, as they are read, and what manifest.json tells of judgments.

    pair, grade, is_planned : a number a label
    """

    def __init__(self) -> None:
        self.n_judgments = 0
        self.days: list[str] = []  # the first and the last of work done here
        self.pair, self.grade, self.is_planned = array("q"), array("q"), array("b")
        self.n_by_annotator: dict[str, Counter[str]] = {}
        self._pairs: dict[str, int] = {}

    def add(self, judgment: Mapping[str, Any]) -> None:
        """Count a row of the table of judgments."""
        self.n_judgments += 1
        if judgment["origin"] != "import" and judgment["at"] is not None:
            day = judgment["at"].date().isoformat()
            first, last = (*self.days, day, day)[:2]
            self.days = [min(first, day), max(last, day)]
        if judgment["status"] == COUNTS and judgment["purpose"] in LABEL_PURPOSES:
            key = f"{judgment['query']} {judgment['document']}"
            self.pair.append(self._pairs.setdefault(key, len(self._pairs)))
            self.grade.append(judgment["grade"])
            self.is_planned.append(judgment["why"] in PLANNED)
            counter = self.n_by_annotator.setdefault(judgment["origin"], Counter())
            counter[judgment["annotator"]] += 1

    @property
    def n_pairs(self) -> int:
        """The number of pairs with a label."""
        return len(self._pairs)

    def unit_counts(self, grades: NDArray[np.int64]) -> UnitCounts:
        """The planned labels of each pair; grades : of the scheme, ascending."""
        is_planned = np.array(self.is_planned, dtype=bool)
        column = np.searchsorted(grades, np.array(self.grade, dtype=np.int64)[is_planned])
        pair = np.array(self.pair, dtype=np.int64)[is_planned]
        shape = (self.n_pairs, len(grades))
        table = np.bincount(pair * len(grades) + column, minlength=shape[0] * shape[1])
        return group(table.reshape(shape), grades)


def check_judgments(source: Source, manifest: Manifest, findings: Findings) -> None:
    """Compare the two files row by row, and manifest.json with what they give."""
    labels = ReleasedLabels()
    grades = {level.grade for level in manifest.levels}
    is_whole = False
    with findings.reading(TABLE):
        for number, row in enumerate(_rows(source), start=1):
            if row["grade"] not in grades:
                message = f"Row {number:,}: the scheme has no grade {row['grade']}."
                raise FormatError(TABLE, None, "", message)
            labels.add(row)
        is_whole = True
    with findings.reading(LINES):
        _compare(source, findings)
    if is_whole:
        findings.results.append(f"{counted(labels.n_judgments, 'judgment')} read.")
        check_judgment_counts(labels, manifest, findings)
        check_agreement(labels, manifest, findings)


def _rows(source: Source) -> Generator[dict[str, Any], None, None]:
    # Moments stay in UTC without a table of time zones, which not each machine has.
    naive = pa.timestamp("ms")
    with open_table(source, TABLE, SCHEMA) as table:
        for block in blocks_of(table, SCHEMA.names):
            columns = [
                block.column(name).cast(naive) if name in MOMENTS else block.column(name)
                for name in SCHEMA.names
            ]
            for start in range(0, len(block), 5_000):
                cells = [column.slice(start, 5_000).to_pylist() for column in columns]
                for row in zip(*cells, strict=True):
                    yield dict(zip(SCHEMA.names, row, strict=True))


def _compare(source: Source, findings: Findings) -> None:
    """Compare the lines with the rows of the table, in their order."""
    n = 0
    with closing(_rows(source)) as rows:
        for number, text in lines_of(source, LINES):
            n = number
            row = next(rows, None)
            if row is None:
                findings.add(LINES, f"{TABLE} has no such row.", line=number)
                return
            judgment = judgment_of(number, text)
            name = next((name for name, cell in row.items() if judgment.get(name) != cell), None)
            if name is not None:
                findings.add(
                    LINES,
                    f"{name} is {_cell(judgment.get(name))}, and {TABLE} has {_cell(row[name])}.",
                    line=number,
                )
        if next(rows, None) is not None:
            findings.add(LINES, f"It ends after {counted(n, 'line')}, and {TABLE} has more.")


def judgment_of(number: int, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(LINES, number, "", f"it is no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise FormatError(LINES, number, "", "it is no JSON object.")
    for name in MOMENTS:
        moment = value.get(name)
        try:
            if moment is not None:
                value[name] = datetime.fromisoformat(moment).replace(tzinfo=None)
        except (TypeError, ValueError) as error:
            message = f"{quoted(str(moment))} is no moment."
            raise FormatError(LINES, number, "", message) from error
    return value


def _cell(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else json.dumps(value)


def check_judgment_counts(labels: ReleasedLabels, manifest: Manifest, findings: Findings) -> None:
    counts = manifest.counts
    findings.compare("counts.n_judgments", counts.n_judgments, labels.n_judgments, TABLE)
    findings.compare("counts.n_labels", counts.n_labels, len(labels.grade), TABLE)
    findings.compare("counts.n_pairs", counts.n_pairs, labels.n_pairs, TABLE)
    n_of_grade = Counter(labels.grade)
    for level in manifest.levels:
        name = f"levels, grade {level.grade}: n_labels"
        findings.compare(name, level.n_labels, n_of_grade[level.grade], TABLE)
    told_people = {people.origin: people for people in manifest.people}
    for origin in {*told_people, *labels.n_by_annotator}:
        numbers = sorted(labels.n_by_annotator.get(origin, Counter()).values())
        people, name = told_people.get(origin), f"people, {origin}"
        n_annotators, n_labels = (people.n_annotators, people.n_labels) if people else (0, 0)
        findings.compare(f"{name}: n_annotators", n_annotators, len(numbers), TABLE)
        findings.compare(f"{name}: n_labels", n_labels, sum(numbers), TABLE)
        if people and numbers:
            spread = (numbers[0], float(median(numbers)), numbers[-1])
            for manifest_number, number in zip(people.labels_each, spread, strict=True):
                findings.compare(f"{name}: labels_each", manifest_number, number, TABLE)
    days = tuple(labels.days) or (None, None)
    findings.n_numbers += 2
    told_days = (manifest.work.first_on, manifest.work.last_on)
    for name, told_day, day in zip(("first_on", "last_on"), told_days, days, strict=True):
        if told_day != day:
            findings.add("manifest.json", f"work.{name} is {told_day}, and {TABLE} gives {day}.")


def check_agreement(labels: ReleasedLabels, manifest: Manifest, findings: Findings) -> None:
    agreement = manifest.agreement
    if agreement.measurement not in list(MeasurementLevel):
        message = f"agreement.measurement is {quoted(agreement.measurement)}, which is no level."
        findings.add("manifest.json", message)
        return
    grades = np.array(sorted(level.grade for level in manifest.levels), dtype=np.int64)
    unit_counts = labels.unit_counts(grades)
    alpha = alpha_of_counts(unit_counts, level=agreement.measurement)
    same_grade = percent_agreement(unit_counts).mean_of_units
    findings.compare("agreement.alpha", agreement.alpha, alpha.value, TABLE)
    findings.compare("agreement.same_grade", agreement.same_grade, same_grade, TABLE)
    findings.compare("agreement.n_pairs", agreement.n_pairs, alpha.n_pairable_units, TABLE)
    findings.compare("agreement.n_labels", agreement.n_labels, alpha.n_pairable_labels, TABLE)
    value = "undefined" if alpha.value is None else f"{alpha.value:.4f}"
    findings.results.append(f"Krippendorff's alpha of the judgments: {value}.")
