"""Reference sets: the labels a collection came with, as grades of its scheme."""

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO

from django.db import transaction

from annotate.core.formats import Blanks, FormatError, Problems, guarded, name_fault, shown
from annotate.core.orientation import oriented
from annotate.core.reference_formats import ReferenceRow, read_reference
from annotate.core.tallies import Tallies
from annotate.models import Collection, Item, ReferenceLabel, ReferenceSet, Side, Undrawn, User
from annotate.services.background.progress import Tell, counted, tell_nobody
from annotate.services.background.workers import take_turn
from annotate.services.seating import note_changes

log = logging.getLogger(__name__)

CHUNK = 5_000
Labels = dict[tuple[str, str], int]
TOLD_ONCE = 5  # labels of unknown items: of so many, and no others, one sentence says it instead of one a line
NEGATIVE = {-1: "in the pool, not judged", -2: "junk"}  # what TREC's files mean by them


class Rejected(Exception):
    """The file has faults; nothing was loaded.

    problems : the first of them, with their lines
    report : what was found in the file nevertheless, if the reader tells
    """

    def __init__(self, problems: Problems, report: object = None) -> None:
        super().__init__(str(problems))
        self.problems = problems
        self.report = report


class ReferenceExists(Exception):
    """The collection has another reference set of this name; nothing was loaded."""


@dataclass
class ReferenceReport(Tallies):
    """What loading a file of reference labels did.

    n_unjudged : rows with a negative grade, TREC's mark for "not judged", left out; negatives : how many of each
    n_undrawn : of these, targets of a sampled pool that were not drawn: kept for xinfAP, as no labels
    n_blank : rows without a grade, left out
    n_below : rows left out because their grade is below the smallest one asked for
    n_unknown : rows left out because the collection has no such query or document
    """

    name: str
    n_rows: int = 0
    n_labels: int = 0
    n_unjudged: int = 0
    n_undrawn: int = 0
    negatives: Counter[int] = field(default_factory=Counter)
    n_blank: int = 0
    n_below: int = 0
    n_unknown: int = 0
    is_new: bool = True

    def figures(self) -> list[tuple[str, int]]:
        """What the report of an import shows first, in order."""
        return [
            ("Rows", self.n_rows),
            ("Labels stored", self.n_labels if self.is_new else 0),
            *((f"Grade {grade} ({NEGATIVE.get(grade, 'not judged')}), no label", n) for grade, n in self._negatives()),
            *([("Rows without a grade left out", self.n_blank)] if self.n_blank else []),
            ("Too small grades left out", self.n_below),
            ("Labels of unknown items left out", self.n_unknown),
        ]

    def __str__(self) -> str:
        if not self.is_new:
            return f'Reference set "{self.name}" holds these {self.n_labels:,} labels already. Nothing changed.'
        left_out = f"{self.n_unjudged:,} negative and {self.n_below:,} too small grades left out"
        told = [f"{n:,} of grade {grade}: {NEGATIVE.get(grade, 'not judged')}" for grade, n in self._negatives()]
        left_out += f" ({'; '.join(told)})" if told else ""
        if self.n_blank:
            left_out += f", {self.n_blank:,} without a grade"
        if self.n_unknown:
            left_out += f", {self.n_unknown:,} of unknown items"
        labels, rows = (f"{n:,} {what}{'s'[: n != 1]}" for n, what in ((self.n_labels, "label"), (self.n_rows, "row")))
        return f'Reference set "{self.name}": {labels} from {rows}; {left_out}, {self.repeats.n:,} repeated.'

    def _negatives(self) -> list[tuple[int, int]]:
        return sorted(self.negatives.items(), reverse=True)


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
    columns: Mapping[str, int] | None = None,
    tell: Tell = tell_nobody,
) -> ReferenceReport:
    """Store a file's labels as a reference set of this name.

    grade_map : which grade of the scheme each of the file's grades becomes; one it does not name stays as it is
    min_grade : rows with a smaller grade, as the file gives it, are left out
    skip_unknown : rows of items the collection does not have are left out and counted; else they are faults
    skip_blank : the same of rows of a table without a grade
    of_items : whether the items came from the same file, so that lists in it are of captions
    columns : see `read_reference`
    The same labels under the same name again change nothing. Raises Rejected, ReferenceExists.
    """
    name, problems = name.strip(), Problems()
    report = ReferenceReport(name)
    _require_name(name, file_name, problems, report)
    take_turn("loading", collection=collection)
    reader = _Reader(Collection.objects.get(pk=collection.pk), file_name, problems, report)
    reader.require_items()
    reader.grade_map, reader.min_grade, reader.skip_unknown = grade_map or {}, min_grade, skip_unknown
    blanks = Blanks(are_left_out=skip_blank)
    found = read_reference(stream, file_name, problems, blanks, of_items=of_items, columns=columns)
    found = oriented(found, reader.queries, reader.documents)
    labels = reader.read(counted(guarded(found, problems), tell))
    report.n_blank = blanks.n if skip_blank else 0
    report.n_rows += report.n_blank
    if not labels and not problems:
        problems.add(_no_labels(file_name, report))
    if problems and not reader.n_known and report.n_unknown >= TOLD_ONCE:
        problems = Problems()
        problems.add(_all_unknown(file_name, report.n_unknown))
    if problems:
        raise Rejected(problems, report)
    _store(collection, labels, reader, tell)
    log.info("%s loaded %s into %s: %s", by, file_name, collection.slug, report)
    return report


def _store(collection: Collection, labels: Labels, reader: "_Reader", tell: Tell) -> None:
    """Make the set, unless it is there. Raises ReferenceExists."""
    name, digest = reader.report.name, checksum(labels, reader.strata)
    made, created = ReferenceSet.objects.get_or_create(collection=collection, name=name, defaults={"sha256": digest})
    if not created and made.sha256 != digest:
        raise ReferenceExists(f'Reference set "{name}" already exists with other labels; choose another name.')
    reader.report.n_labels, reader.report.is_new = len(labels), created
    if created:
        _write(made, labels, reader, tell)
        note_changes(collection_id=collection.pk, pair_ids=[None])


class _Anything:
    """Holds every id."""

    def __contains__(self, external_id: object) -> bool:
        return True


def lacking_documents(
    *,
    collection: Collection,
    stream: BinaryIO,
    file_name: str,
    min_grade: int = 0,
    columns: Mapping[str, int] | None = None,
) -> list[str]:
    """The documents that a file's labels name and the collection lacks, each once, in the file's order.

    Rows that become no label make none: those of queries that the collection lacks, of smaller grades than
    `min_grade`, and negative ones but for those of a sample with strata. Raises Rejected.
    """
    problems = Problems()
    queries, documents = item_ids(collection, Side.QUERY), item_ids(collection, Side.DOCUMENT)
    found = read_reference(stream, file_name, problems, Blanks(are_left_out=True), columns=columns)
    rows = guarded(oriented(found, queries, _Anything()), problems)  # queries alone tell lists' sides: documents lack
    lacking = {
        row.document: None
        for row in rows
        if row.query in queries and row.document not in documents
        if row.grade >= min_grade or (row.grade < 0 and row.stratum is not None)
    }
    if problems:
        raise Rejected(problems)
    return list(lacking)


def _require_name(name: str, file_name: str, problems: Problems, report: ReferenceReport) -> None:
    if fault := name_fault(name, longest=ReferenceSet.MAX_NAME):
        problems.add(FormatError(file_name, None, "name", f"a reference set's name {fault}."))
        raise Rejected(problems, report)


def _no_labels(file_name: str, report: ReferenceReport) -> FormatError:
    of_known = " of items that the collection has" if report.n_unknown else ""
    blank = f"; {report.n_blank:,} rows without a grade were left out" if report.n_blank else ""
    return FormatError(file_name, None, "", f"{file_name} holds no labels{of_known}{blank}.")


def _all_unknown(file_name: str, n: int) -> FormatError:
    message = (
        f"none of its {n:,} labels is of a query and a document that this collection has. Load the items first, or, "
        "where documents alone are missing, let these labels make them."
    )
    return FormatError(file_name, None, "", message)


def checksum(labels: Labels, strata: Labels | None = None) -> str:
    """The SHA-256 of a set of labels, whatever the order and format of the file.

    strata : of the pairs that have one, those without a label too
    """
    digest = hashlib.sha256()
    for pairs in (labels, strata or {}):
        for (query, document), number in sorted(pairs.items()):
            digest.update(f"{query}\t{document}\t{number}\n".encode())
    return digest.hexdigest()


class _Reader:
    """Turns rows into labels of the collection's items and levels."""

    grade_map: Mapping[int, int] = {}
    min_grade = 0
    skip_unknown = False
    n_known = 0  # rows of which both items are there

    def __init__(self, collection: Collection, file: str, problems: Problems, report: ReferenceReport) -> None:
        self.file = file
        self.problems = problems
        self.report = report
        self.line_of: dict[tuple[str, str], int] = {}
        self.strata: Labels = {}
        self.queries = item_ids(collection, Side.QUERY)
        self.documents = item_ids(collection, Side.DOCUMENT)
        self.grades = set(collection.levels.values_list("grade", flat=True))
        self.listed_grade = min((grade for grade in self.grades if grade >= collection.positive_from), default=1)

    def require_items(self) -> None:
        """Raise Rejected where there is nothing yet that labels could be of: once said, not line by line."""
        missing = [name for name, known in (("queries", self.queries), ("documents", self.documents)) if not known]
        if missing:
            or_make = ", or let these labels make them" if missing == ["documents"] else ""
            message = f"the collection has no {' and no '.join(missing)} yet; load items first{or_make}."
            self.problems.add(FormatError(self.file, None, "", message))
            raise Rejected(self.problems, self.report)

    def read(self, rows: Iterable[ReferenceRow]) -> Labels:
        """The labels by the ids of the file; faults go to the problems, figures to the report."""
        labels: Labels = {}
        for row in rows:
            self.report.n_rows += 1
            if row.grade < 0:
                self._leave_out(row)
            elif row.grade < self.min_grade:
                self.report.n_below += 1
            elif self._knows(row):
                self._take(row, labels)
        return labels

    def _leave_out(self, row: ReferenceRow) -> None:
        self.report.n_unjudged += 1
        self.report.negatives[row.grade] += 1
        if row.stratum is not None and self._knows(row):
            self._place(row)

    def _place(self, row: ReferenceRow) -> None:
        """Keep the pair's stratum; a second one is a fault."""
        before = self.strata.setdefault((row.query, row.document), row.stratum or 0)
        if before != row.stratum:
            self._fault(row, "stratum", f"another line has this pair in stratum {before}; keep one of them.")

    def _knows(self, row: ReferenceRow) -> bool:
        """Whether the collection has both items; a fault, or a row to leave out, if not."""
        is_known = True
        for side, external_id, known, strangers in (
            ("query", row.query, self.queries, self.report.unknown_queries),
            ("document", row.document, self.documents, self.report.unknown_documents),
        ):
            if external_id not in known:
                is_known = False
                strangers.add(external_id)
                if not self.skip_unknown:
                    what = "load it, or have such labels left out"
                    self._fault(row, side, f"the collection has no {side} {shown(external_id)}; {what}.")
        self.report.n_unknown += not is_known
        self.n_known += is_known
        return is_known

    def _take(self, row: ReferenceRow, labels: Labels) -> None:
        grade = self.grade_map.get(row.grade, self.listed_grade if row.listed else row.grade)
        if row.stratum is not None:
            self._place(row)
        if grade not in self.grades:
            known = ", ".join(map(str, sorted(self.grades)))
            self._fault(row, "grade", f"grade {grade} is not in the scheme ({known}); map it to one of these.")
        pair = (row.query, row.document)
        if pair not in labels:
            labels[pair] = grade
            self.line_of[pair] = row.line
            return
        earlier = self.line_of[pair]
        self.report.repeats.add(row.line, earlier, f"{row.query} {row.document}")
        if labels[pair] != grade:
            self._fault(row, "grade", f"line {earlier} gives this pair grade {labels[pair]}; keep one of them.")

    def _fault(self, row: ReferenceRow, field: str, message: str) -> None:
        self.problems.add(FormatError(row.file or self.file, row.line, field, message))


def item_ids(collection: Collection, side: Side) -> dict[str, int]:
    """The items of one side, by the ids of the files."""
    return dict(Item.objects.filter(collection=collection, side=side).values_list("external_id", "pk"))


def _write(made: ReferenceSet, labels: Labels, reader: _Reader, tell: Tell) -> None:
    rows = (
        ReferenceLabel(
            reference_set=made, query_id=reader.queries[query], document_id=reader.documents[document], grade=grade,
            stratum=reader.strata.get((query, document)),
        )
        for (query, document), grade in labels.items()
    )  # fmt: skip
    undrawn = [
        Undrawn(
            reference_set=made, query_id=reader.queries[query], document_id=reader.documents[document], stratum=stratum
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
        tell(n_stored, len(labels), "labels stored")
