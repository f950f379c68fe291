"""Reference sets: the labels a collection came with, as grades of its scheme."""

import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from django.db import transaction

from annotate.core.formats import FormatError, Problems, guarded, shown
from annotate.core.reference_formats import ReferenceRow, read_reference
from annotate.models import Collection, Item, ReferenceLabel, ReferenceSet, Side, User
from annotate.services.seating import note_changes

log = logging.getLogger(__name__)

CHUNK = 5_000
Labels = dict[tuple[str, str], int]


class Rejected(Exception):
    """The file has faults; nothing was loaded. `problems` holds the first of them, with their lines."""

    def __init__(self, problems: Problems) -> None:
        super().__init__(str(problems))
        self.problems = problems


class ReferenceExists(Exception):
    """The collection has another reference set of this name; nothing was loaded."""


@dataclass
class ReferenceReport:
    """What loading a file of reference labels did.

    n_unjudged : rows with a negative grade, TREC's mark for "not judged", left out
    n_below : rows left out because their grade is below the smallest one asked for
    n_repeated : rows that say again what another row said
    """

    name: str
    n_rows: int = 0
    n_labels: int = 0
    n_unjudged: int = 0
    n_below: int = 0
    n_repeated: int = 0
    is_new: bool = True

    def __str__(self) -> str:
        if not self.is_new:
            return f'Reference set "{self.name}" holds these {self.n_labels:,} labels already. Nothing changed.'
        left_out = f"{self.n_unjudged:,} negative and {self.n_below:,} too small grades left out"
        return (
            f'Reference set "{self.name}": {self.n_labels:,} labels from {self.n_rows:,} rows; '
            f"{left_out}, {self.n_repeated:,} repeated."
        )


@transaction.atomic
def load_reference(
    *,
    collection: Collection,
    stream: BinaryIO,
    file_name: str,
    name: str,
    by: User | None = None,
    grade_map: Mapping[int, int] | None = None,
    min_grade: int = 0,
) -> ReferenceReport:
    """Store a file's labels as a reference set of this name.

    grade_map : which grade of the scheme each of the file's grades becomes; one it does not name stays as it is
    min_grade : rows with a smaller grade, as the file gives it, are left out
    The same labels under the same name again change nothing. Raises Rejected, ReferenceExists.
    """
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    problems = Problems()
    reader = _Reader(locked, file_name, grade_map or {}, min_grade, problems)
    report = ReferenceReport(name)
    labels = reader.read(guarded(read_reference(stream, file_name, problems), problems), report)
    if not labels and not problems:
        problems.add(FormatError(file_name, None, "", f"{file_name} holds no labels."))
    if problems:
        raise Rejected(problems)
    digest = checksum(labels)
    made, created = ReferenceSet.objects.get_or_create(collection=locked, name=name, defaults={"sha256": digest})
    if not created and made.sha256 != digest:
        raise ReferenceExists(f'Reference set "{name}" already exists with other labels; choose another name.')
    report.n_labels, report.is_new = len(labels), created
    if created:
        _write(made, labels, reader)
        note_changes(collection_id=locked.pk, pair_ids=[None])
    log.info("%s loaded %s into %s: %s", by, file_name, locked.slug, report)
    return report


def checksum(labels: Labels) -> str:
    """The SHA-256 of a set of labels, whatever the order and format of the file."""
    digest = hashlib.sha256()
    for (query, document), grade in sorted(labels.items()):
        digest.update(f"{query}\t{document}\t{grade}\n".encode())
    return digest.hexdigest()


class _Reader:
    """Turns rows into labels of the collection's items and levels."""

    def __init__(
        self, collection: Collection, file: str, grade_map: Mapping[int, int], min_grade: int, problems: Problems
    ) -> None:
        self.file = file
        self.grade_map = grade_map
        self.min_grade = min_grade
        self.problems = problems
        self.queries = item_ids(collection, Side.QUERY)
        self.documents = item_ids(collection, Side.DOCUMENT)
        self.grades = set(collection.levels.values_list("grade", flat=True))

    def read(self, rows: Iterable[ReferenceRow], report: ReferenceReport) -> Labels:
        """The labels by the ids of the file; faults go to the problems, figures to the report."""
        labels: Labels = {}
        for row in rows:
            report.n_rows += 1
            if row.grade < 0:
                report.n_unjudged += 1
            elif row.grade < self.min_grade:
                report.n_below += 1
            else:
                self._take(row, labels, report)
        return labels

    def _take(self, row: ReferenceRow, labels: Labels, report: ReferenceReport) -> None:
        grade = self.grade_map.get(row.grade, row.grade)
        if row.query not in self.queries:
            self._fault(row, "query", f"the collection has no query {shown(row.query)}.")
        if row.document not in self.documents:
            self._fault(row, "document", f"the collection has no document {shown(row.document)}.")
        if grade not in self.grades:
            known = ", ".join(map(str, sorted(self.grades)))
            self._fault(row, "grade", f"grade {grade} is not in the scheme ({known}); map it to one of these.")
        pair = (row.query, row.document)
        if pair not in labels:
            labels[pair] = grade
            return
        report.n_repeated += 1
        if labels[pair] != grade:
            self._fault(row, "grade", f"another line gives this pair grade {labels[pair]}; keep one of them.")

    def _fault(self, row: ReferenceRow, field: str, message: str) -> None:
        self.problems.add(FormatError(self.file, row.line, field, message))


def item_ids(collection: Collection, side: Side) -> dict[str, int]:
    """The items of one side, by the ids of the files."""
    return dict(Item.objects.filter(collection=collection, side=side).values_list("external_id", "pk"))


def _write(made: ReferenceSet, labels: Labels, reader: _Reader) -> None:
    ReferenceLabel.objects.bulk_create(
        (
            ReferenceLabel(
                reference_set=made,
                query_id=reader.queries[query],
                document_id=reader.documents[document],
                grade=grade,
            )
            for (query, document), grade in labels.items()
        ),
        batch_size=CHUNK,
    )
