"""Reference sets: the labels a collection came with, as grades of its scheme."""

import hashlib
import logging
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import BinaryIO

from django.db import transaction

from annotate.core.files.formats import Blanks, FormatError, Problems, guarded, name_fault, quoted
from annotate.core.files.items.item_columns import ItemColumns
from annotate.core.files.items.mapped_files import read_mapped_labels
from annotate.core.files.references.orientation import oriented
from annotate.core.files.references.reference_formats import (
    ReferenceColumns,
    ReferenceRow,
    read_reference,
)
from annotate.models import Collection, Item, ReferenceLabel, ReferenceSet, Side, Undrawn, User
from annotate.services.background.progress import ProgressCallback, ignore_progress, with_progress
from annotate.services.background.workers import lock_task
from annotate.services.collection.reference_reports import ReferenceReport
from annotate.services.seating import note_changes

log = logging.getLogger(__name__)

CHUNK = 5_000
PairGrades = dict[tuple[str, str], int]
# where all labels are of unknown items and are this many, one sentence replaces one a line
MANY_UNKNOWN = 5


class FileRejected(Exception):
    """The file has faults; nothing was loaded.

    problems : the first of them, with their lines
    report : the findings in the file nevertheless, if the reader has some
    """

    def __init__(self, problems: Problems, report: object = None) -> None:
        super().__init__(str(problems))
        self.problems = problems
        self.report = report


class ReferenceExists(Exception):
    """The collection has another reference set of this name; nothing was loaded."""


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
    skip_unknown: bool = False,
    skip_blank: bool = False,
    of_items: bool = False,
    columns: ReferenceColumns | None = None,
    item_columns: ItemColumns | None = None,
    on_progress: ProgressCallback = ignore_progress,
) -> ReferenceReport:
    """Store a file's labels as a reference set of this name.

    grade_map : which grade of the scheme each of the file's grades becomes; one it does not name
        stays as it is
    min_grade : rows with a smaller grade, as the file gives it, are left out
    skip_unknown : rows of items that the collection lacks are left out and counted, else faults
    skip_blank : rows of a table without a grade are left out and counted; else they are faults
    of_items : whether the items came from the same file, so that lists in it are of captions
    columns, item_columns : see `read_reference` and, of a file of items, `read_mapped_labels`

    The same labels under the same name again change nothing. Raises FileRejected, ReferenceExists.
    """
    name, problems = name.strip(), Problems()
    report = ReferenceReport(name)
    _require_name(name, file_name, problems, report)
    lock_task("loading", collection=collection)
    reader = _ReferenceReader(Collection.objects.get(pk=collection.pk), file_name, problems, report)
    reader.require_items()
    reader.grade_map, reader.min_grade = grade_map or {}, min_grade
    reader.skip_unknown = skip_unknown
    blanks = Blanks(are_left_out=skip_blank)
    if item_columns:
        rows = read_mapped_labels(stream, file_name, problems, item_columns)
    else:
        rows = read_reference(
            stream, file_name, problems, blanks, of_items=of_items, columns=columns
        )
    rows = oriented(rows, reader.queries, reader.documents)
    labels = reader.read(with_progress(guarded(rows, problems), on_progress))
    report.count_blanks(blanks.n if skip_blank else 0)
    _require_labels(labels, reader)
    _store(collection, labels, reader, on_progress)
    log.info("%s loaded %s into %s: %s", by, file_name, collection.slug, report)
    return report


def _require_name(name: str, file_name: str, problems: Problems, report: ReferenceReport) -> None:
    """Raise FileRejected for a text that cannot be a reference set's name."""
    if fault := name_fault(name, longest=ReferenceSet.MAX_NAME):
        problems.add(FormatError(file_name, None, "name", f"a reference set's name {fault}."))
        raise FileRejected(problems, report)


def _store(
    collection: Collection,
    labels: PairGrades,
    reader: "_ReferenceReader",
    on_progress: ProgressCallback,
) -> None:
    """Make the reference set, unless it is stored already. Raises ReferenceExists."""
    name, digest = reader.report.name, checksum(labels, reader.strata)
    reference_set, is_new = ReferenceSet.objects.get_or_create(
        collection=collection, name=name, defaults={"sha256": digest}
    )
    if not is_new and reference_set.sha256 != digest:
        raise ReferenceExists(
            f'Reference set "{name}" already exists with other labels; choose another name.'
        )
    reader.report.n_labels, reader.report.is_new = len(labels), is_new
    if is_new:
        _write(reference_set, labels, reader, on_progress)
        note_changes(collection_id=collection.pk, pair_ids=[None])


class _AnyId:
    """A container of every id."""

    def __contains__(self, external_id: object) -> bool:
        return True


def lacking_documents(
    *,
    collection: Collection,
    stream: BinaryIO,
    file_name: str,
    min_grade: int = 0,
    columns: ReferenceColumns | None = None,
) -> list[str]:
    """Ids of documents that a file's labels name and the collection lacks, in the file's order.

    Rows that become no label make none: those of queries that the collection lacks, of grades below
    `min_grade`, and negative ones but for those of a sample with strata. Raises FileRejected.
    """
    problems = Problems()
    queries, documents = item_ids(collection, Side.QUERY), item_ids(collection, Side.DOCUMENT)
    reference_rows = read_reference(
        stream, file_name, problems, Blanks(are_left_out=True), columns=columns
    )
    # queries alone tell lists' sides: documents lack
    rows = guarded(oriented(reference_rows, queries, _AnyId()), problems)
    new_documents = {
        row.document: None
        for row in rows
        if row.query in queries and row.document not in documents
        if row.grade >= min_grade or (row.grade < 0 and row.stratum is not None)
    }
    if problems:
        raise FileRejected(problems)
    return list(new_documents)


def _require_labels(labels: PairGrades, reader: "_ReferenceReader") -> None:
    """Raise FileRejected where the file has faults or holds no labels."""
    problems, report = reader.problems, reader.report
    if not labels and not problems:
        of_items = " of items that the collection has" if report.n_unknown else ""
        blank = f"; left out without a grade: {report.n_blank:,}" if report.n_blank else ""
        message = f"{reader.file} holds no labels{of_items}{blank}."
        problems.add(FormatError(reader.file, None, "", message))
    if problems and not reader.n_with_items and report.n_unknown >= MANY_UNKNOWN:
        problems = Problems()
        message = (
            f"none of its {report.n_unknown:,} labels is of a query and a document that this "
            "collection has. Load the items first, or, where documents alone are missing, let "
            "these labels make them."
        )
        problems.add(FormatError(reader.file, None, "", message))
    if problems:
        raise FileRejected(problems, report)


def checksum(labels: PairGrades, strata: PairGrades | None = None) -> str:
    """The SHA-256 of a set of labels, whatever the order and format of the file.

    strata : of the pairs that have one, those without a label too
    """
    digest = hashlib.sha256()
    for pairs in (labels, strata or {}):
        for (query, document), number in sorted(pairs.items()):
            digest.update(f"{query}\t{document}\t{number}\n".encode())
    return digest.hexdigest()


class _ReferenceReader:
    """Turns rows into labels of the collection's items and levels."""

    grade_map: Mapping[int, int] = {}
    min_grade = 0
    skip_unknown = False
    n_with_items = 0  # rows whose query and document the collection has

    def __init__(
        self, collection: Collection, file: str, problems: Problems, report: ReferenceReport
    ) -> None:
        self.file = file
        self.problems = problems
        self.report = report
        self.line_of: dict[tuple[str, str], int] = {}
        self.strata: PairGrades = {}
        self.queries = item_ids(collection, Side.QUERY)
        self.documents = item_ids(collection, Side.DOCUMENT)
        self.grades = set(collection.levels.values_list("grade", flat=True))
        self.listed_grade = min(
            (grade for grade in self.grades if grade >= collection.positive_from), default=1
        )

    def require_items(self) -> None:
        """Raise FileRejected where the collection has no queries or no documents."""
        missing_sides = [
            name
            for name, ids in (("queries", self.queries), ("documents", self.documents))
            if not ids
        ]
        if missing_sides:
            or_make = ", or let these labels make them" if missing_sides == ["documents"] else ""
            sides_text = " and no ".join(missing_sides)
            message = f"the collection has no {sides_text} yet; load items first{or_make}."
            self.problems.add(FormatError(self.file, None, "", message))
            raise FileRejected(self.problems, self.report)

    def read(self, rows: Iterable[ReferenceRow]) -> PairGrades:
        """The labels by the ids of the file; faults go to the problems, figures to the report."""
        labels: PairGrades = {}
        for row in rows:
            self.report.n_rows += 1
            if row.grade < 0:
                self.report.n_unjudged += 1
                self.report.negatives[row.grade] += 1
                if row.stratum is not None and self._has_both_items(row):
                    self._note_stratum(row)
            elif row.grade < self.min_grade:
                self.report.n_below += 1
            elif self._has_both_items(row):
                self._add_label(row, labels)
        return labels

    def _note_stratum(self, row: ReferenceRow) -> None:
        """Store the pair's stratum; a second one is a fault."""
        first_stratum = self.strata.setdefault((row.query, row.document), row.stratum or 0)
        if first_stratum != row.stratum:
            self._fault(
                row,
                "stratum",
                f"another line has this pair in stratum {first_stratum}; keep one of them.",
            )

    def _has_both_items(self, row: ReferenceRow) -> bool:
        """True if the collection has both items; if not, note a fault, or a row to leave out."""
        is_known = True
        for side, external_id, ids, unknown_ids in (
            ("query", row.query, self.queries, self.report.unknown_queries),
            ("document", row.document, self.documents, self.report.unknown_documents),
        ):
            if external_id not in ids:
                is_known = False
                unknown_ids.add(external_id)
                if not self.skip_unknown:
                    advice = "load it, or have such labels left out"
                    self._fault(
                        row, side, f"the collection has no {side} {quoted(external_id)}; {advice}."
                    )
        self.report.n_unknown += not is_known
        self.n_with_items += is_known
        return is_known

    def _add_label(self, row: ReferenceRow, labels: PairGrades) -> None:
        grade = self.grade_map.get(row.grade, self.listed_grade if row.is_listed else row.grade)
        if row.stratum is not None:
            self._note_stratum(row)
        if grade not in self.grades:
            known_grades = ", ".join(map(str, sorted(self.grades)))
            self._fault(
                row,
                "grade",
                f"grade {grade} is not in the scheme ({known_grades}); map it to one of these.",
            )
        pair = (row.query, row.document)
        if pair not in labels:
            labels[pair] = grade
            self.line_of[pair] = row.line
            return
        first_line = self.line_of[pair]
        self.report.repeats.add(row.line, first_line, f"{row.query} {row.document}")
        if labels[pair] != grade:
            self._fault(
                row,
                "grade",
                f"line {first_line} gives this pair grade {labels[pair]}; keep one of them.",
            )

    def _fault(self, row: ReferenceRow, field: str, message: str) -> None:
        self.problems.add(FormatError(row.file or self.file, row.line, field, message))


def item_ids(collection: Collection, side: Side) -> dict[str, int]:
    """Keys of the items of one side, by their ids in files."""
    return dict(
        Item.objects.filter(collection=collection, side=side).values_list("external_id", "pk")
    )


def known_ids(*, collection: Collection, ids: Iterable[str]) -> tuple[set[str], set[str]]:
    """Those of some ids that queries and documents of the collection have."""
    rows = Item.objects.filter(collection=collection, external_id__in=ids)
    item_ids_by_side: dict[str, set[str]] = {Side.QUERY: set(), Side.DOCUMENT: set()}
    for side, external_id in rows.values_list("side", "external_id"):
        item_ids_by_side[side].add(external_id)
    return item_ids_by_side[Side.QUERY], item_ids_by_side[Side.DOCUMENT]


def _write(
    reference_set: ReferenceSet,
    labels: PairGrades,
    reader: _ReferenceReader,
    on_progress: ProgressCallback,
) -> None:
    rows = (
        ReferenceLabel(
            reference_set=reference_set,
            query_id=reader.queries[query],
            document_id=reader.documents[document],
            grade=grade,
            stratum=reader.strata.get((query, document)),
        )
        for (query, document), grade in labels.items()
    )
    undrawn = [
        Undrawn(
            reference_set=reference_set,
            query_id=reader.queries[query],
            document_id=reader.documents[document],
            stratum=stratum,
        )
        for (query, document), stratum in reader.strata.items()
        if (query, document) not in labels
    ]
    Undrawn.objects.bulk_create(undrawn, batch_size=CHUNK)
    reader.report.n_undrawn = len(undrawn)
    n_stored = 0
    while chunk := list(islice(rows, CHUNK)):
        ReferenceLabel.objects.bulk_create(chunk)
        n_stored += len(chunk)
        on_progress(n_stored, len(labels), "labels stored")
