"""A first reading of a data set: its figures and first rows, and what an import would refuse."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from annotate.core.files.formats import FormatError, Problems, guarded, quoted
from annotate.core.files.items.item_rows import ItemRow, check_item, is_address
from annotate.core.files.references.reference_formats import ReferenceRow
from assayer.datasets.data_sets import DOCUMENT, QUERY
from assayer.datasets.id_digests import IdDigests
from assayer.datasets.selections import Selection

N_FIRST = 3
BLOCK = 10_000  # labels whose ids are looked up at once
SIDES = (QUERY, DOCUMENT)


@dataclass
class Survey:
    """The figures of a data set.

    n_items : by side; n_bare : without anything to show, by side; n_by_split : of queries
    n_with_files : items with media that are files, not addresses, by side
    grades : of each reference set, how many labels have a grade; negative ones are no labels
    n_unknown : labels of a query or document that the data set has not
    """

    problems: Problems = field(default_factory=Problems)
    n_items: Counter[str] = field(default_factory=Counter)
    n_bare: Counter[str] = field(default_factory=Counter)
    n_with_files: Counter[str] = field(default_factory=Counter)
    n_by_split: Counter[str] = field(default_factory=Counter)
    grades: dict[str, Counter[int]] = field(default_factory=dict)
    n_unknown: int = 0
    first_items: list[ItemRow] = field(default_factory=list)
    first_labels: list[ReferenceRow] = field(default_factory=list)

    def all_grades(self) -> list[int]:
        """The grades of all labels, the smallest first."""
        return sorted({grade for counts in self.grades.values() for grade in counts if grade >= 0})


def survey(selection: Selection, *, skip_unknown: bool = False) -> Survey:
    """Read everything once; only ids stay in memory, eight bytes each.

    skip_unknown : whether labels of items that are not there are counted; else they are faults
    Raises FormatError and SourceFault where the reading cannot go on.
    """
    figures = Survey()
    digests = {side: survey_items(selection, side, figures) for side in SIDES}
    for split in selection.splits:
        counts = figures.grades.setdefault(selection.set_name(split), Counter())
        rows = guarded(selection.labels(split, figures.problems), figures.problems)
        for row, fault in with_unknown(rows, digests, selection.dataset.has_documents):
            figures.first_labels += [row] * (len(figures.first_labels) < N_FIRST)
            counts[row.grade] += 1
            if fault:
                figures.n_unknown += 1
                if not skip_unknown:
                    figures.problems.add_or_stop(FormatError(row.file, row.line, "", fault))
    return figures


def survey_items(selection: Selection, side: str, figures: Survey) -> IdDigests:
    """Count and check the items of a side; return their ids."""
    digests = IdDigests()
    n_shown = 0
    for row in item_rows(selection, side, figures.problems):
        figures.n_items[side] += 1
        figures.n_bare[side] += not row.parts
        paths = [path for part in row.parts for path in part.paths]
        figures.n_with_files[side] += any(not is_address(path) for path in paths)
        figures.n_by_split[row.split] += side == QUERY
        digests.add(row.id)
        if n_shown < N_FIRST:
            figures.first_items.append(row)
            n_shown += 1
    if repeated_digests := digests.repeated_digests():
        lines: dict[str, int] = {}
        for row in item_rows(selection, side, Problems()):
            if hash(row.id) not in repeated_digests:
                continue
            if row.id in lines:
                message = (
                    f"the {side} {quoted(row.id)} stands already in line {lines[row.id]:,}; keep "
                    "one of them."
                )
                figures.problems.add_or_stop(FormatError(row.file, row.line, "id", message))
            lines.setdefault(row.id, row.line)
    return digests


def item_rows(selection: Selection, side: str, problems: Problems) -> Iterator[ItemRow]:
    """The items of a side as the import reads them; faults go to the problems."""
    for item in guarded(selection.items(side, problems), problems):
        yield from check_item(item.record, item.file, item.line, problems)


def with_unknown(
    rows: Iterable[ReferenceRow], digests: dict[str, IdDigests], has_documents: bool
) -> Iterator[tuple[ReferenceRow, str]]:
    """Yield labels, each with a sentence where its query or document is not there."""
    row_iterator = iter(rows)
    while block := list(islice(row_iterator, BLOCK)):
        knows_query = digests[QUERY].contain([row.query for row in block])
        knows_document = digests[DOCUMENT].contain([row.document for row in block])
        for row, has_query, has_document in zip(block, knows_query, knows_document, strict=True):
            fault = ""
            if not has_query:
                fault = f"there is no query {quoted(row.query)}; --skip-unknown leaves such out."
            elif has_documents and not has_document:
                name = quoted(row.document)
                fault = f"there is no document {name}; --skip-unknown leaves such out."
            yield row, fault
