"""Judgments made elsewhere: imported whole or not at all, and the same file twice changes nothing.

What one annotator said of one pair is a chain: a repeated line supersedes the one before, within a file and from one
file to the next. A file whose lines are the end of the chain stored already adds nothing.
"""

import logging
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from django.db import transaction

from annotate.core.chains import before, microseconds, number_groups
from annotate.core.formats import Blanks, FormatError, Problems, guarded, shown
from annotate.core.judgment_formats import JudgmentColumns, JudgmentRow, read_judgments
from annotate.core.tallies import Tallies
from annotate.models import ClockTimestamp, Collection, Policy, Round, Side, User
from annotate.services.background.progress import Tell, counted, tell_nobody
from annotate.services.chain_store import ChainStore, FileLabels, Keys
from annotate.services.collections import change_policy
from annotate.services.references import Rejected, item_ids

log = logging.getLogger(__name__)


@dataclass
class JudgmentsReport(Tallies):
    """What an import of judgments did.

    n_labels : labels in the file
    n_new : judgments stored; the others were known
    n_blank : cells or rows without a grade, left out
    """

    n_labels: int = 0
    n_new: int = 0
    n_pairs: int = 0
    n_annotators: int = 0
    n_blank: int = 0

    def figures(self) -> list[tuple[str, int]]:
        """What the report of an import shows first, in order."""
        return [
            ("Labels in the file", self.n_labels),
            ("Judgments stored", self.n_new),
            ("Known before", self.n_labels - self.n_new),
            ("Pairs", self.n_pairs),
            ("Annotators", self.n_annotators),
            *([("Without a grade, left out", self.n_blank)] if self.n_blank else []),
        ]

    def __str__(self) -> str:
        said = f"{self.n_labels:,} labels of {self.n_pairs:,} pairs by {self.n_annotators:,} annotators"
        known = f"{self.n_labels - self.n_new:,} known before"
        unchanged = "" if self.n_new else " Nothing changed."
        repeated = f"{self.repeats.n:,} superseded by a later line"
        blank = f", {self.n_blank:,} without a grade left out" if self.n_blank else ""
        return f"{said}: {self.n_new:,} new judgments, {known}; {repeated}{blank}.{unchanged}"


@transaction.atomic
def import_judgments(
    *,
    collection: Collection,
    stream: BinaryIO,
    file_name: str,
    columns: JudgmentColumns,
    name: str,
    by: User | None = None,
    policy: Policy | None = None,
    skip_blank: bool = False,
    tell: Tell = tell_nobody,
) -> JudgmentsReport:
    """Store a file's labels as judgments of imported annotators, in a closed round of this name.

    skip_blank : rows without a grade are left out and counted; else they are faults
    policy : how pairs labelled here alone are resolved; default: the collection's newest version
    Raises Rejected with the first 50 faults; then nothing is stored.
    """
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    problems = Problems()
    report = JudgmentsReport()
    reader = _Reader(locked, file_name, problems, report)
    blanks = Blanks(are_left_out=skip_blank or bool(columns.annotators))
    rows = read_judgments(stream, file_name, columns, problems, blanks)
    labels = reader.read(counted(guarded(rows, problems), tell))
    report.n_blank = blanks.n if blanks.are_left_out else 0
    if not len(labels) and not problems:
        blank = f"; {report.n_blank:,} without a grade were left out" if report.n_blank else ""
        problems.add(FormatError(file_name, None, "", f"{file_name} holds no labels{blank}."))
    if problems:
        raise Rejected(problems, report)
    store = ChainStore(locked, labels, tell)
    new = store.find_new()
    if len(new):
        store.write(new, _round(locked, name, policy), reader.external_ids())
    report.n_labels, report.n_new, report.n_annotators = len(labels), len(new), len(labels.names)
    report.n_pairs = int(number_groups(labels.query, labels.document).max()) + 1
    log.info("%s imported %s into %s: %s", by, file_name, locked.slug, report)
    return report


def policy_for(*, collection: Collection, rule: str, tie: str, by: User | None) -> Policy:
    """The collection's newest policy, in a new version if it resolves pairs by another rule. Raises BadPolicy."""
    changes = {field: value for field, value in (("rule", rule), ("tie", tie)) if value}
    return change_policy(collection=collection, by=by, **changes)


def _round(collection: Collection, name: str, policy: Policy | None) -> Round:
    made, _ = Round.objects.get_or_create(
        collection=collection,
        kind=Round.Kind.IMPORT,
        name=name,
        defaults={
            "policy": policy or collection.policies.latest("version"),
            "state": Round.State.CLOSED,
            "closed_at": ClockTimestamp(),
        },
    )
    return made


class _Reader:
    """Turns a file's rows into labels on the collection's items, in arrays: a file may hold half a million."""

    def __init__(self, collection: Collection, file: str, problems: Problems, report: JudgmentsReport) -> None:
        self.file = file
        self.problems = problems
        self.report = report
        self.queries = item_ids(collection, Side.QUERY)
        self.documents = item_ids(collection, Side.DOCUMENT)
        self.levels = dict(collection.levels.values_list("grade", "pk"))

    def read(self, rows: Iterable[JudgmentRow]) -> FileLabels:
        """The labels without fault, in the file's order; repeated ones are counted."""
        names: dict[str, int] = {}
        columns = [array("q") for _ in range(6)]
        for row in rows:
            query, document = self.queries.get(row.query), self.documents.get(row.document)
            level = self.levels.get(row.grade)
            if query is None or document is None or level is None:
                self._note_faults(row, query, document, level)
                continue
            who = names.setdefault(row.annotator, len(names))
            cells = (row.line, who, query, document, level, microseconds(row.at))
            for column, cell in zip(columns, cells, strict=True):
                column.append(cell)
        line, *said = (np.array(column, dtype=np.int64) for column in columns)
        labels = FileLabels(list(names), *said)
        self._count_repeats(labels, line)
        return labels

    def _note_faults(self, row: JudgmentRow, query: int | None, document: int | None, level: int | None) -> None:
        if query is None:
            self.report.unknown_queries.add(row.query)
            self._fault(row, "query", f"the collection has no query {shown(row.query)}.")
        if document is None:
            self.report.unknown_documents.add(row.document)
            self._fault(row, "document", f"the collection has no document {shown(row.document)}.")
        if level is None:
            known = ", ".join(map(str, sorted(self.levels)))
            self._fault(row, "grade", f"grade {row.grade} is not in the scheme ({known}).")

    def _count_repeats(self, labels: FileLabels, line: Keys) -> None:
        earlier = before(number_groups(labels.who, labels.query, labels.document))
        external = self.external_ids()
        for row in np.flatnonzero(earlier >= 0).tolist():
            what = f"{labels.names[labels.who[row]]} {external[labels.query[row]]} {external[labels.document[row]]}"
            self.report.repeats.add(int(line[row]), int(line[earlier[row]]), what)

    def external_ids(self) -> dict[int, str]:
        """The items' ids in files, by their keys."""
        return {pk: text for ids in (self.queries, self.documents) for text, pk in ids.items()}

    def _fault(self, row: JudgmentRow, field: str, message: str) -> None:
        self.problems.add(FormatError(self.file, row.line, field, message))
