"""Judgments made elsewhere: imported whole or not at all, and the same file twice changes nothing.

What one annotator said of one pair is a chain: a repeated line supersedes the one before, within a file and from one
file to the next. A file whose lines are the end of the chain stored already adds nothing.
"""

import logging
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from django.db import connection, transaction

from annotate.core.chains import before, microseconds, number_groups
from annotate.core.formats import Blanks, FormatError, Problems, guarded, shown
from annotate.core.judgment_formats import JudgmentColumns, JudgmentRow, read_judgments
from annotate.core.tallies import Tallies
from annotate.models import ClockTimestamp, Collection, Round, Side, User
from annotate.services.background.progress import Tell, counted, tell_nobody
from annotate.services.background.workers import take_turn
from annotate.services.chain_store import ChainStore, FileLabels, Keys
from annotate.services.collections import change_policy, wanted_policy
from annotate.services.copying import stretches
from annotate.services.references import Rejected, item_ids
from annotate.services.seating import resolve_pairs

log = logging.getLogger(__name__)

_PAIRS = """
    SELECT DISTINCT pair_id FROM annotate_judgment
    WHERE id BETWEEN %s AND %s AND collection_id = %s AND purpose = 'import' ORDER BY pair_id
"""


@dataclass
class JudgmentsReport(Tallies):
    """What an import of judgments did.

    n_labels : labels in the file
    n_new : judgments stored; the others were known
    n_blank : cells or rows without a grade, left out
    stored : keys of the first and the last judgment stored, which has all between; None where there was nothing new
    """

    n_labels: int = 0
    n_new: int = 0
    n_pairs: int = 0
    n_annotators: int = 0
    n_blank: int = 0
    stored: tuple[int, int] | None = None

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
    tell: Tell = tell_nobody,
) -> JudgmentsReport:
    """Store a file's labels as judgments of imported annotators, in a closed round of this name.

    They count from then on. Their pairs are resolved afterwards, see `resolve_judgments`: people who judge the same
    pairs wait for no more of them at once.

    skip_blank : rows without a grade are left out and counted; else they are faults
    rule, tie : how pairs labelled here alone are resolved; default: as the collection's newest policy says
    Raises BadPolicy, and Rejected with the first 50 faults; then nothing is stored.
    """
    take_turn("loading", collection=collection)
    collection = Collection.objects.get(pk=collection.pk)
    changes = {field: value for field, value in (("rule", rule), ("tie", tie)) if value}
    if changes:
        wanted_policy(collection=collection, by=by, changes=changes)
    reader = _Reader(collection, file_name)
    labels = reader.read_all(stream, columns, skip_blank=skip_blank, tell=tell)
    store = ChainStore(collection, labels, tell)
    new = store.find_new()
    if len(new):
        round_, is_new = _round(collection, name)
        store.write(new, round_, reader.external_ids())
        reader.report.stored = int(new.judgment.min()), int(new.judgment.max())
        _freeze(collection, reader)
        if is_new and changes:
            policy = change_policy(collection=collection, by=by, **changes)
            Round.objects.filter(pk=round_.pk).update(policy=policy)
    report = reader.report
    report.n_labels, report.n_new, report.n_annotators = len(labels), len(new), len(labels.names)
    report.n_pairs = int(number_groups(labels.query, labels.document).max()) + 1
    log.info("%s imported %s into %s: %s", by, file_name, collection.slug, report)
    return report


def pairs_of(*, collection: Collection, first: int, last: int) -> Keys:
    """The pairs of a collection's imported judgments with these keys and those between, ascending."""
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, [first, last, collection.pk])
        return np.fromiter((key for (key,) in cursor.fetchall()), dtype=np.int64)


def resolve_judgments(*, pairs: Keys, stored: Callable[[int], None], tell: Tell = tell_nobody) -> None:
    """Bring the resolutions of pairs up to labels that an import stored; ascending keys.

    Stretch by stretch, each a transaction of its own, in which `stored` is told the last pair of it.
    """
    for stretch in stretches(len(pairs)):
        some = pairs[stretch]
        with transaction.atomic():
            resolve_pairs(pairs=some)
            stored(int(some[-1]))
        tell(stretch.stop, len(pairs), "pairs resolved")


def _freeze(collection: Collection, reader: "_Reader") -> None:
    """Let the scheme stay as it is from now on. The collection's row is locked from here to the end, a moment.

    Raises Rejected where its levels are not those any more that the file was read with.
    """
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if dict(locked.levels.values_list("grade", "pk")) != reader.levels:
        problems = Problems()
        message = "the levels of the scheme were changed while this file was read; import it again."
        problems.add(FormatError(reader.file, None, "", message))
        raise Rejected(problems, reader.report)
    Collection.objects.filter(pk=locked.pk, scheme_frozen_at=None).update(scheme_frozen_at=ClockTimestamp())


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


class _Reader:
    """Turns a file's rows into labels on the collection's items, in arrays: a file may hold half a million."""

    def __init__(self, collection: Collection, file: str) -> None:
        self.file = file
        self.problems = Problems()
        self.report = JudgmentsReport()
        self.queries = item_ids(collection, Side.QUERY)
        self.documents = item_ids(collection, Side.DOCUMENT)
        self.levels = dict(collection.levels.values_list("grade", "pk"))

    def read_all(self, stream: BinaryIO, columns: JudgmentColumns, *, skip_blank: bool, tell: Tell) -> FileLabels:
        """The labels of a file without fault. Raises Rejected."""
        blanks = Blanks(are_left_out=skip_blank or bool(columns.annotators))
        rows = read_judgments(stream, self.file, columns, self.problems, blanks)
        labels = self.read(counted(guarded(rows, self.problems), tell))
        self.report.n_blank = blanks.n if blanks.are_left_out else 0
        if not len(labels) and not self.problems:
            blank = f"; {self.report.n_blank:,} without a grade were left out" if self.report.n_blank else ""
            self.problems.add(FormatError(self.file, None, "", f"{self.file} holds no labels{blank}."))
        if self.problems:
            raise Rejected(self.problems, self.report)
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
