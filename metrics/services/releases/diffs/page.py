"""The page of a diff, and its tables by name."""

import gzip
from base64 import b64decode
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.http import urlencode

from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import Kept
from annotate.services.background import kept
from annotate.services.background.kept import Inquiry
from metrics.charts.charts import Chart
from metrics.charts.result_files import as_csv
from metrics.charts.results import AnalysisResult
from metrics.models import Release
from metrics.services.releases.diffs.changed_labels import LINES
from metrics.services.releases.diffs.computation import DiffRequest
from metrics.services.releases.diffs.tables import DiffTables

LONG = 12  # rows of a table
# the tables that a diff keeps, by the names of their files
TABLES: dict[str, Callable[[DiffTables], AnalysisResult]] = {
    "grades": DiffTables.grades,
    "queries": DiffTables.queries,
    "people": DiffTables.people,
    "agreement": DiffTables.agreement,
    "scores": lambda tables: tables.of_scores.scores(),
    "swaps": lambda tables: tables.of_scores.swaps(),
}
FILES = {*TABLES, *LINES}


class DiffPanel(NamedTuple):
    """A table of the page, under a heading, with the addresses of files by their labels."""

    id: str
    heading: str
    result: AnalysisResult
    files: dict[str, str]

    @property
    def is_long(self) -> bool:
        """True if the table is long, and folded up on the page."""
        return self.result.spec is None and self.result.n_rows > LONG

    @property
    def chart(self) -> Chart:
        """The chart with its table; without a specification where it is a table alone."""
        return self.result.chart(id=self.id, caption=self.result.reading)


class DiffAnswer(NamedTuple):
    """A computed diff, or the reason why there is none.

    reason : empty where there are tables; is_stale : labels or scores have changed since
    """

    tables: DiffTables | None
    reason: str
    computed_at: datetime
    is_stale: bool


def look(diff: DiffRequest) -> DiffAnswer | None:
    """Look at a diff; None while it is computed for the first time."""
    inquiry = diff.inquiry()
    view = kept.look(inquiry=inquiry)
    if view.row is None:
        return None
    is_stale, reason = view.row.version != view.version, view.row.value.get("reason", "")
    tables = None if reason else tables_of(diff, view.row)
    return DiffAnswer(tables, reason, view.row.computed_at, is_stale)


class TableFile(NamedTuple):
    """A table as CSV, or the reason why there is none, which is else empty."""

    text: bytes
    reason: str


def inquiry_of_file(diff: DiffRequest, table: str) -> Inquiry:
    """The inquiry in whose value a file of FILES is; that of the diff itself for no such file."""
    return diff.inquiry(table if table in LINES else "")


def csv_of(diff: DiffRequest, table: str) -> TableFile | None:
    """A file of FILES; None while it is computed, also where labels or scores have changed since.

    A page says that it shows earlier numbers; a file is kept, and could not say so.
    """
    view = kept.look(inquiry=inquiry_of_file(diff, table))
    if view.row is None or view.row.version != view.version:
        return None
    value = view.row.value
    if reason := value.get("reason", ""):
        return TableFile(b"", reason)
    if table in LINES:
        return TableFile(gzip.decompress(b64decode(value["csv"])), "")
    return TableFile(as_csv(TABLES[table](tables_of(diff, view.row))).encode(), "")


def tables_of(diff: DiffRequest, row: Kept) -> DiffTables:
    """The tables of a kept diff, with the names that each side gives the levels."""
    level_names = [
        _level_names(diff.before),
        dict(diff.before.collection.levels.values_list("grade", "name"))
        if diff.after is None
        else _level_names(diff.after),
    ]
    return DiffTables(row.value, diff.sides, level_names, diff.source.label)


def _level_names(release: Release) -> dict[int, str]:
    rows = Release.objects.filter(pk=release.pk).values_list("manifest__levels", flat=True)
    return {row["grade"]: row["name"] for row in rows.get()}


def as_json(*, diff: DiffRequest, answer: DiffAnswer, tables: DiffTables) -> dict[str, Any]:
    """Both sides, and every kept table with a row as an object."""
    after = diff.after
    return {
        "before": {"version": diff.before.version, "as_of": timestamp(diff.before.as_of)},
        "after": {
            "version": after.version if after else None,
            "as_of": timestamp(after.as_of if after else answer.computed_at),
        },
        "label_source": diff.source.key,
        "computed_at": timestamp(answer.computed_at),
        "is_stale": answer.is_stale,
        "tables": {name: _table_json(table(tables)) for name, table in TABLES.items()},
    }


def _table_json(result: AnalysisResult) -> dict[str, Any]:
    keys = [column.key for column in result.columns]
    return {
        "headline": result.headline,
        "reading": result.reading,
        "notes": result.notes,
        "columns": [{"key": column.key, "title": column.title} for column in result.columns],
        "rows": [dict(zip(keys, row, strict=True)) for row in result.rows],
    }


class DiffPage:
    """The page of a diff that was computed.

    address : (slug, version) of the release that the page is of; parameters : of the diff
    board : as the address names it; the first where it names none that there is
    """

    def __init__(
        self,
        tables: DiffTables,
        *,
        address: tuple[str, str],
        parameters: dict[str, str],
        board: str = "",
    ) -> None:
        self._tables, self._address, self._parameters = tables, address, parameters
        self.boards = {" ".join(board): board for board in tables.of_scores.boards}
        self.board = board if board in self.boards else next(iter(self.boards), "")

    @cached_property
    def panels(self) -> list[DiffPanel]:
        """The tables: agreement and scores, then what became of grades and labels."""
        tables = self._tables
        panels = [self._panel("agreement", "Agreement", tables.agreement())]
        if self.board:
            board = tables.of_scores.board(self.boards[self.board])
            panels.append(self._panel("scores", "Scores", board, scores="CSV of all scores"))
        return [
            *panels,
            self._panel("swaps", "Systems that changed places", tables.of_scores.swaps()),
            self._panel("grades", "Grades of pairs", tables.grades(), pairs="CSV of the pairs"),
            self._panel("queries", "Grades by query", tables.queries()),
            self._panel(
                "people", "Labels by annotator", tables.people(), labels="CSV of the labels"
            ),
        ]

    def _panel(self, name: str, heading: str, result: AnalysisResult, **files: str) -> DiffPanel:
        labels = {name: "CSV", **files}
        addresses = {
            label: reverse("metrics:release-diff-table", args=[*self._address, table])
            for table, label in labels.items()
        }
        query = urlencode(self._parameters)
        return DiffPanel(
            name, heading, result, {label: f"{url}?{query}" for label, url in addresses.items()}
        )
