"""Judgments made elsewhere: imported whole or not at all, and the same file twice changes nothing.

What one annotator said of one pair is a chain: a repeated line supersedes the one before, within a file and from one
file to the next. A file whose lines are the end of the chain stored already adds nothing.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from django.db import transaction

from annotate.core.chains import Said
from annotate.core.formats import FormatError, Problems, guarded, shown
from annotate.core.judgment_formats import JudgmentColumns, JudgmentRow, read_judgments
from annotate.models import ClockTimestamp, Collection, Policy, Round, Side, User
from annotate.services.chain_store import ChainStore, FileKey
from annotate.services.collections import change_policy
from annotate.services.references import Rejected, item_ids

log = logging.getLogger(__name__)


@dataclass
class ImportReport:
    """What an import did.

    n_labels : labels in the file
    n_new : judgments stored; the others were known
    n_superseded : labels of the file that a later line of it supersedes
    """

    n_labels: int = 0
    n_new: int = 0
    n_superseded: int = 0
    n_pairs: int = 0
    n_annotators: int = 0

    def __str__(self) -> str:
        said = f"{self.n_labels:,} labels of {self.n_pairs:,} pairs by {self.n_annotators:,} annotators"
        known = f"{self.n_labels - self.n_new:,} known before"
        unchanged = "" if self.n_new else " Nothing changed."
        repeated = f"{self.n_superseded:,} superseded by a later line"
        return f"{said}: {self.n_new:,} new judgments, {known}; {repeated}.{unchanged}"


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
) -> ImportReport:
    """Store a file's labels as judgments of imported annotators, in a closed round of this name.

    policy : how pairs labelled here alone are resolved; default: the collection's newest version
    Raises Rejected with the first 50 faults; then nothing is stored.
    """
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    problems = Problems()
    reader = _Reader(locked, file_name, problems)
    chains = reader.read(guarded(read_judgments(stream, file_name, columns, problems), problems))
    if not chains and not problems:
        problems.add(FormatError(file_name, None, "", f"{file_name} holds no labels."))
    if problems:
        raise Rejected(problems)
    store = ChainStore(locked, reader.external_ids())
    new = store.find_new(chains)
    if new:
        store.write(new, _round(locked, name, policy))
    report = ImportReport(
        n_labels=sum(map(len, chains.values())),
        n_new=len(new),
        n_superseded=sum(len(said) - 1 for said in chains.values()),
        n_pairs=len({key[1:] for key in chains}),
        n_annotators=len({key[0] for key in chains}),
    )
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
    """Turns a file's rows into chains of levels on the collection's items."""

    def __init__(self, collection: Collection, file: str, problems: Problems) -> None:
        self.file = file
        self.problems = problems
        self.queries = item_ids(collection, Side.QUERY)
        self.documents = item_ids(collection, Side.DOCUMENT)
        self.levels = dict(collection.levels.values_list("grade", "pk"))

    def read(self, rows: Iterable[JudgmentRow]) -> dict[FileKey, list[Said]]:
        """What each annotator said of each pair, in the file's order."""
        chains: dict[FileKey, list[Said]] = defaultdict(list)
        for row in rows:
            query, document = self.queries.get(row.query), self.documents.get(row.document)
            level = self.levels.get(row.grade)
            if query is None:
                self._fault(row, "query", f"the collection has no query {shown(row.query)}.")
            if document is None:
                self._fault(row, "document", f"the collection has no document {shown(row.document)}.")
            if level is None:
                known = ", ".join(map(str, sorted(self.levels)))
                self._fault(row, "grade", f"grade {row.grade} is not in the scheme ({known}).")
            if query is not None and document is not None and level is not None:
                chains[row.annotator, query, document].append(Said(level, row.at))
        return chains

    def external_ids(self) -> dict[int, str]:
        """The items' ids in files, by their keys."""
        return {pk: text for ids in (self.queries, self.documents) for text, pk in ids.items()}

    def _fault(self, row: JudgmentRow, field: str, message: str) -> None:
        self.problems.add(FormatError(self.file, row.line, field, message))
