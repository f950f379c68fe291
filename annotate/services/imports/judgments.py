"""Judgments made elsewhere: imported whole or not at all, and the same file twice changes nothing.

The labels of one annotator for one pair are a chain: a repeated line supersedes the one before,
within a file and from one file to the next. A file whose lines are the end of the chain stored
already adds nothing.
"""

import logging
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from django.db import connection, transaction

from annotate.core.files.file_tallies import FileTallies
from annotate.core.files.formats import Blanks, FormatError, Problems, guarded, quoted
from annotate.core.files.judgments.judgment_formats import (
    JudgmentColumns,
    JudgmentRow,
    read_judgments,
)
from annotate.core.labels.chains import microseconds, number_groups, previous_in_group
from annotate.core.phrases import counted
from annotate.models import ClockTimestamp, Collection, Round, Side, User
from annotate.services.background.progress import ProgressCallback, ignore_progress, with_progress
from annotate.services.background.workers import lock_task
from annotate.services.collection.collections import change_policy, next_policy
from annotate.services.collection.references import FileRejected, item_ids
from annotate.services.imports.chain_store import ChainStore, FileLabels, Keys
from annotate.services.seating import resolve_pairs
from annotate.services.storage.bulk_copy import stretches

log = logging.getLogger(__name__)

_PAIRS = """
    SELECT DISTINCT pair_id FROM annotate_judgment
    WHERE id BETWEEN %s AND %s AND collection_id = %s AND purpose = 'import' ORDER BY pair_id
"""


@dataclass
class JudgmentsReport(FileTallies):
    """Result of an import of judgments.

    n_labels : labels in the file
    n_new : judgments stored; the other labels were stored before
    n_blank : cells or rows without a grade, left out
    stored_keys : keys of the first and the last judgment stored, with all between; None without any
    """

    n_labels: int = 0
    n_new: int = 0
    n_pairs: int = 0
    n_annotators: int = 0
    n_blank: int = 0
    stored_keys: tuple[int, int] | None = None

    def figures(self) -> list[tuple[str, int]]:
        """The first figures of an import's report, in order."""
        return [
            ("Labels in the file", self.n_labels),
            ("Judgments stored", self.n_new),
            ("Known before", self.n_labels - self.n_new),
            ("Pairs", self.n_pairs),
            ("Annotators", self.n_annotators),
            *([("Without a grade, left out", self.n_blank)] if self.n_blank else []),
        ]

    def __str__(self) -> str:
        people = counted(self.n_annotators, "annotator")
        labels = f"{counted(self.n_labels, 'label')} of {counted(self.n_pairs, 'pair')} by {people}"
        known_before = f"{self.n_labels - self.n_new:,} known before"
        unchanged_sentence = "" if self.n_new else " Nothing changed."
        repeats_text = f"{self.repeats.n:,} superseded by a later line"
        blank = f", {self.n_blank:,} without a grade left out" if self.n_blank else ""
        news = f"{counted(self.n_new, 'new judgment')}, {known_before}"
        return f"{labels}: {news}; {repeats_text}{blank}.{unchanged_sentence}"


@transaction.atomic
def store_judgments(
    *,
    collection: Collection,
    stream: BinaryIO,
    file_name: str,
    columns: JudgmentColumns,
    name: str,
    by: User | None = None,
    rule: str = "",
    tie: str = "",
    skip_blank: bool = False,
    on_progress: ProgressCallback = ignore_progress,
) -> JudgmentsReport:
    """Store a file's labels as judgments of imported annotators, in a closed round of this name.

    They count from then on. Their pairs are resolved afterwards, see `resolve_judgments`: people
    who judge the same pairs wait for no more of them at once.

    skip_blank : rows without a grade are left out and counted; else they are faults
    rule, tie : how pairs labelled here alone are resolved; by default as the newest policy says

    Raises BadPolicy, and FileRejected with the first 50 faults; then nothing is stored.
    """
    lock_task("loading", collection=collection)
    collection = Collection.objects.get(pk=collection.pk)
    changes = {field: value for field, value in (("rule", rule), ("tie", tie)) if value}
    if changes:
        next_policy(collection=collection, by=by, changes=changes)
    reader = _JudgmentReader(collection, file_name)
    labels = reader.read_all(stream, columns, skip_blank=skip_blank, on_progress=on_progress)
    store = ChainStore(collection, labels, on_progress)
    new_labels = store.find_new()
    if len(new_labels):
        round_, is_new = _round(collection, name)
        store.write(new_labels, round_, reader.external_ids())
        reader.report.stored_keys = int(new_labels.judgment.min()), int(new_labels.judgment.max())
        _freeze(collection, reader)
        if is_new and changes:
            policy = change_policy(collection=collection, by=by, **changes)
            Round.objects.filter(pk=round_.pk).update(policy=policy)
    report = reader.report
    report.n_labels, report.n_new, report.n_annotators = (
        len(labels),
        len(new_labels),
        len(labels.annotator_names),
    )
    report.n_pairs = int(number_groups(labels.query, labels.document).max()) + 1
    log.info("%s imported %s into %s: %s", by, file_name, collection.slug, report)
    return report


def pairs_of(*, collection: Collection, first_key: int, last_key: int) -> Keys:
    """Keys of the pairs of imported judgments from the first key to the last, ascending."""
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, [first_key, last_key, collection.pk])
        return np.fromiter((key for (key,) in cursor.fetchall()), dtype=np.int64)


def resolve_judgments(
    *,
    pairs: Keys,
    on_resolved: Callable[[int], None],
    on_progress: ProgressCallback = ignore_progress,
) -> None:
    """Bring the resolutions of pairs up to labels that an import stored; ascending keys.

    Stretch by stretch, each a transaction of its own, which calls `on_resolved` with its last pair.
    """
    for stretch in stretches(len(pairs)):
        stretch_pairs = pairs[stretch]
        with transaction.atomic():
            resolve_pairs(pairs=stretch_pairs)
            on_resolved(int(stretch_pairs[-1]))
        on_progress(stretch.stop, len(pairs), "pairs resolved")


def _freeze(collection: Collection, reader: "_JudgmentReader") -> None:
    """Freeze the scheme. The collection's row is locked from here to the end, a moment.

    Raises FileRejected where the levels were changed since the file was read.
    """
    locked_collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if dict(locked_collection.levels.values_list("grade", "pk")) != reader.levels:
        problems = Problems()
        message = "the levels of the scheme were changed while this file was read; import it again."
        problems.add(FormatError(reader.file, None, "", message))
        raise FileRejected(problems, reader.report)
    Collection.objects.filter(pk=locked_collection.pk, scheme_frozen_at=None).update(
        scheme_frozen_at=ClockTimestamp()
    )


def _round(collection: Collection, name: str) -> tuple[Round, bool]:
    return Round.objects.get_or_create(
        collection=collection,
        kind=Round.Kind.IMPORT,
        name=name,
        defaults={
            "policy": collection.policies.latest("version"),
            "state": Round.State.CLOSED,
            "closed_at": ClockTimestamp(),
        },
    )


class _JudgmentReader:
    """Turns a file's rows, perhaps half a million, into arrays of labels of stored items."""

    def __init__(self, collection: Collection, file: str) -> None:
        self.file = file
        self.problems = Problems()
        self.report = JudgmentsReport()
        self.queries = item_ids(collection, Side.QUERY)
        self.documents = item_ids(collection, Side.DOCUMENT)
        self.levels = dict(collection.levels.values_list("grade", "pk"))

    def read_all(
        self,
        stream: BinaryIO,
        columns: JudgmentColumns,
        *,
        skip_blank: bool,
        on_progress: ProgressCallback,
    ) -> FileLabels:
        """The labels of a file without fault. Raises FileRejected."""
        blanks = Blanks(are_left_out=skip_blank or bool(columns.annotators))
        rows = read_judgments(stream, self.file, columns, self.problems, blanks)
        labels = self.read(with_progress(guarded(rows, self.problems), on_progress))
        self.report.n_blank = blanks.n if blanks.are_left_out else 0
        if not len(labels) and not self.problems:
            blank = (
                f"; {self.report.n_blank:,} without a grade were left out"
                if self.report.n_blank
                else ""
            )
            self.problems.add(
                FormatError(self.file, None, "", f"{self.file} holds no labels{blank}.")
            )
        if self.problems:
            raise FileRejected(self.problems, self.report)
        return labels

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
            annotator = names.setdefault(row.annotator, len(names))
            cells = (row.line, annotator, query, document, level, microseconds(row.at))
            for column, cell in zip(columns, cells, strict=True):
                column.append(cell)
        line, *label_columns = (np.array(column, dtype=np.int64) for column in columns)
        labels = FileLabels(list(names), *label_columns)
        self._count_repeats(labels, line)
        return labels

    def _note_faults(
        self, row: JudgmentRow, query: int | None, document: int | None, level: int | None
    ) -> None:
        if query is None:
            self.report.unknown_queries.add(row.query)
            self._fault(row, "query", f"the collection has no query {quoted(row.query)}.")
        if document is None:
            self.report.unknown_documents.add(row.document)
            self._fault(row, "document", f"the collection has no document {quoted(row.document)}.")
        if level is None:
            known_grades = ", ".join(map(str, sorted(self.levels)))
            self._fault(row, "grade", f"grade {row.grade} is not in the scheme ({known_grades}).")

    def _count_repeats(self, labels: FileLabels, line: Keys) -> None:
        earlier_rows = previous_in_group(
            number_groups(labels.annotator, labels.query, labels.document)
        )
        external_ids = self.external_ids()
        for row in np.flatnonzero(earlier_rows >= 0).tolist():
            annotator = labels.annotator_names[labels.annotator[row]]
            query = external_ids[labels.query[row]]
            document = external_ids[labels.document[row]]
            label = f"{annotator} {query} {document}"
            self.report.repeats.add(int(line[row]), int(line[earlier_rows[row]]), label)

    def external_ids(self) -> dict[int, str]:
        """The items' ids in files, by their keys."""
        return {pk: text for ids in (self.queries, self.documents) for text, pk in ids.items()}

    def _fault(self, row: JudgmentRow, field: str, message: str) -> None:
        self.problems.add(FormatError(self.file, row.line, field, message))
