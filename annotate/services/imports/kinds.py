"""Kinds of import, each with its loader.

A new kind is a class, its line in KINDS, and its choice in the model. A kind whose file belongs to
an application above adds its own line there.

The fields of a class are the parameters of its form, its command and the API; they are stored with
the import as JSON.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from annotate.core.files.archives.sources import Source
from annotate.core.files.file_tallies import FileTallies
from annotate.core.files.formats import FormatError
from annotate.core.files.items.item_columns import ItemColumns
from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.core.files.references.reference_formats import ReferenceColumns
from annotate.models import Collection, Import, User
from annotate.services.background.progress import ProgressCallback
from annotate.services.collection import query_sets, references
from annotate.services.imports import items, judgments


class ImportInputs(NamedTuple):
    """A file to load, its media, the collection, the user, and the listener of its progress."""

    collection: Collection
    source: Source
    media_source: Source | None
    by: User | None
    on_progress: ProgressCallback


class ImportRequest(Protocol):
    """A request to load a file: its kind and parameters."""

    kind: ClassVar[Import.Kind]

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the request of stored parameters."""

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as they are stored."""

    def load(self, inputs: ImportInputs) -> Sequence[FileTallies]:
        """Load the file, all or nothing; raises the errors of IMPORT_FAULTS."""


@dataclass(frozen=True)
class ItemsImport:
    """Items, perhaps with the labels of a BEIR folder.

    columns : what the columns of a file in another shape are taken for, see ItemColumns
    """

    columns: ItemColumns = field(default_factory=dict)

    kind: ClassVar = Import.Kind.ITEMS

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the request of stored parameters."""
        return cls(**parameters)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as they are stored; {} for a file whose format tells all."""
        return {"columns": dict(self.columns)} if self.columns else {}

    def load(self, inputs: ImportInputs) -> Sequence[FileTallies]:
        """Load the items, then the labels in the same source."""
        report = items.load_collection(
            collection=inputs.collection,
            source=inputs.source,
            by=inputs.by,
            media_source=inputs.media_source,
            columns=self.columns,
            on_progress=inputs.on_progress,
        )
        return [report, *report.references]


@dataclass(frozen=True)
class ReferenceImport:
    """A reference set; see `load_reference`."""

    name: str
    grades: Mapping[int, int] = field(default_factory=dict)
    min_grade: int = 0
    skip_unknown: bool = False
    skip_blank: bool = False
    columns: ReferenceColumns = field(default_factory=dict)
    make_documents: bool = False

    kind: ClassVar = Import.Kind.REFERENCE

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the request of stored parameters: JSON has no numbers for keys."""
        grades = {int(file_grade): grade for file_grade, grade in parameters["grades"].items()}
        return cls(**{**parameters, "grades": grades})

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as they are stored."""
        return {
            **vars(self),
            "grades": {str(file_grade): grade for file_grade, grade in self.grades.items()},
        }

    def load(self, inputs: ImportInputs) -> Sequence[FileTallies]:
        """Load the labels; before them, with `make_documents`, the documents only they name."""
        name = one_file(inputs.source)
        with inputs.source.open(name) as stream:
            reports = []
            if self.make_documents:
                ids = references.lacking_documents(
                    collection=inputs.collection,
                    stream=stream,
                    file_name=name,
                    min_grade=self.min_grade,
                    columns=self.columns,
                )
                reports = [
                    items.load_documents(
                        collection=inputs.collection,
                        ids=ids,
                        file_name=name,
                        by=inputs.by,
                        on_progress=inputs.on_progress,
                    )
                ]
            report = references.load_reference(
                collection=inputs.collection,
                stream=stream,
                file_name=name,
                name=self.name,
                by=inputs.by,
                grade_map=self.grades,
                min_grade=self.min_grade,
                skip_unknown=self.skip_unknown,
                skip_blank=self.skip_blank,
                columns=self.columns,
                on_progress=inputs.on_progress,
            )
        return [*reports, report]


@dataclass(frozen=True)
class JudgmentsImport:
    """Judgments made elsewhere (see `store_judgments`); rule and tie make a new policy version."""

    name: str
    columns: JudgmentColumns = field(default_factory=JudgmentColumns)
    rule: str = ""
    tie: str = ""
    skip_blank: bool = False

    kind: ClassVar = Import.Kind.JUDGMENTS

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the request of stored parameters."""
        columns = JudgmentColumns(**parameters["columns"])
        return cls(
            **{**parameters, "columns": columns._replace(annotators=tuple(columns.annotators))}
        )

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as they are stored."""
        columns = {**self.columns._asdict(), "annotators": list(self.columns.annotators)}
        return {**vars(self), "columns": columns}

    def load(self, inputs: ImportInputs) -> Sequence[FileTallies]:
        """Import the judgments."""
        name = one_file(inputs.source)
        with inputs.source.open(name) as stream:
            report = judgments.store_judgments(
                collection=inputs.collection,
                stream=stream,
                file_name=name,
                columns=self.columns,
                name=self.name,
                by=inputs.by,
                skip_blank=self.skip_blank,
                rule=self.rule,
                tie=self.tie,
                on_progress=inputs.on_progress,
            )
        return [report]


@dataclass(frozen=True)
class QuerySetImport:
    """A query set; see `load_query_set`."""

    name: str
    direction: str

    kind: ClassVar = Import.Kind.QUERY_SET

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the request of stored parameters."""
        return cls(**parameters)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as they are stored."""
        return asdict(self)

    def load(self, inputs: ImportInputs) -> Sequence[FileTallies]:
        """Load the list of ids."""
        name = one_file(inputs.source)
        with inputs.source.open(name) as stream:
            report = query_sets.load_query_set(
                collection=inputs.collection,
                stream=stream,
                file_name=name,
                name=self.name,
                direction=self.direction,
                by=inputs.by,
                on_progress=inputs.on_progress,
            )
        return [report]


def one_file(source: Source) -> str:
    """Return the name of a source's only file. Raises FormatError where there are more or none."""
    names = source.names()
    if len(names) != 1:
        raise FormatError(
            source.name,
            None,
            "",
            f"{source.name} holds {len(names):,} files; give the one to read.",
        )
    return names[0]


KINDS: dict[Import.Kind, type[ImportRequest]] = {
    Import.Kind.ITEMS: ItemsImport,
    Import.Kind.REFERENCE: ReferenceImport,
    Import.Kind.JUDGMENTS: JudgmentsImport,
    Import.Kind.QUERY_SET: QuerySetImport,
}
