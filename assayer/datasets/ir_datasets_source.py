"""Data sets of the package ir_datasets, by their ids."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from annotate.core.files.formats import Problems
from annotate.core.files.references.reference_formats import ReferenceRow, table_labels
from assayer.datasets.data_sets import (
    QUERY,
    DataItem,
    SourceFault,
    media_parts,
    optional_module,
    text_parts,
)

LABELS = "test"
TOPIC_FIELDS = ("title", "description", "narrative")  # shown one beneath the other, as of topics


class IrDataset:
    """A data set by its id, read by its iterators alone: no store is built.

    definitions : a Python file that registers it, such as `ir_datasets_release.py`
    Raises SourceFault where there is no such id, or nothing to search with.
    """

    all_queries_count = True
    positive_from = 0

    def __init__(self, name: str, definitions: Path | None = None) -> None:
        ir_datasets = optional_module("ir_datasets", "ir-datasets", "--ir-datasets")
        if definitions:
            load_definitions(definitions)
        try:
            self.dataset: Any = ir_datasets.load(name)
        except KeyError as error:
            raise SourceFault(
                f"ir_datasets knows no {name}; its ids are at https://ir-datasets.com/, those of a "
                "file of definitions need --definitions FILE."
            ) from error
        if not self.dataset.has_queries():
            raise SourceFault(f"{name} has no queries; take an id with queries, such as {name}/...")
        self.name = name
        self.has_documents = bool(self.dataset.has_docs())
        has_labels = self.dataset.has_qrels()
        self.splits: Sequence[str] = (LABELS,) if has_labels else ()
        definitions_by_grade: Mapping[Any, Any] = self.dataset.qrels_defs() if has_labels else {}
        self.levels: Mapping[int, str] = {
            grade: str(words)
            for grade, words in (definitions_by_grade or {}).items()
            if isinstance(grade, int)
        }

    def items(self, side: str, problems: Problems) -> Iterator[DataItem]:
        """Yield its queries, or its docs."""
        if side == QUERY:
            rows, id_field = self.dataset.queries_iter(), "query_id"
        else:
            rows, id_field = (self.dataset.docs_iter() if self.has_documents else ()), "doc_id"
        for number, row in enumerate(rows, start=1):
            parts = [*text_parts(*texts_of(row)), *media_parts(getattr(row, "metadata", None))]
            yield DataItem(side, getattr(row, id_field), parts, self.name, number)

    def labels(self, split: str, problems: Problems) -> Iterator[ReferenceRow]:
        """Yield its qrels; those by subtopic have several for a pair, which the import refuses."""
        rows = (
            (number, {"query": row.query_id, "document": row.doc_id, "grade": str(row.relevance)})
            for number, row in enumerate(self.dataset.qrels_iter(), start=1)
        )
        return table_labels(rows, self.name, problems)


def texts_of(row: Any) -> tuple[str, ...]:
    """The texts of a query or doc: title, description and narrative, else title and what follows.

    A doc's own `default_text` says what follows; without one these are all its texts.
    """
    if all(hasattr(row, field) for field in TOPIC_FIELDS):
        return tuple(getattr(row, field) for field in TOPIC_FIELDS)
    if not hasattr(row, "default_text"):
        return tuple(value for value in row[1:] if isinstance(value, str))
    title, text = getattr(row, "title", "") or "", (row.default_text() or "").strip()
    if title and text.startswith(title):
        return title, text.removeprefix(title).lstrip()
    return (text,)


def load_definitions(path: Path) -> None:
    """Run a Python file that registers data sets. Raises SourceFault where there is none."""
    spec = spec_from_file_location(path.stem, path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise SourceFault(f"{path} is no Python file with definitions for ir_datasets.")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module  # its named tuples are looked up there
    spec.loader.exec_module(module)
