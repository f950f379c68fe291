"""What each kind of import does with its file. A new kind is a class, its line in KINDS, and its choice in the model.

One whose file belongs to an application above adds its own line there.

The fields of a class are what its form, its command and the API ask for; they are stored with the import as JSON.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

from annotate.core.formats import FormatError
from annotate.core.judgment_formats import JudgmentColumns
from annotate.core.sources import Source
from annotate.core.tallies import Tallies
from annotate.models import Collection, Import, User
from annotate.services import importing, loading, query_sets, references
from annotate.services.background.progress import Tell


class ImportInputs(NamedTuple):
    """A file to load and the media it names, into what, by whom, and whom to tell how far it is."""

    collection: Collection
    source: Source
    media_source: Source | None
    by: User | None
    tell: Tell


class Asked(Protocol):
    """What somebody asked to do with a file."""

    kind: Import.Kind

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """As it was stored."""

    def parameters(self) -> dict[str, Any]:
        """As it is stored."""

    def load(self, inputs: ImportInputs) -> Sequence[Tallies]:
        """Do it, all or nothing; raises what the loading raises."""


class Items(NamedTuple):
    """Items, perhaps with the labels of a BEIR folder."""

    kind = Import.Kind.ITEMS

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """As it was stored."""
        return cls()

    def parameters(self) -> dict[str, Any]:
        """As it is stored."""
        return {}

    def load(self, inputs: ImportInputs) -> Sequence[Tallies]:
        """Load the items, then the labels that lie beside them."""
        report = loading.load_collection(
            collection=inputs.collection,
            source=inputs.source,
            by=inputs.by,
            media_source=inputs.media_source,
            tell=inputs.tell,
        )
        return [report, *report.references]


class Reference(NamedTuple):
    """A reference set; see `load_reference`."""

    name: str
    grades: Mapping[int, int] = {}
    min_grade: int = 0
    skip_unknown: bool = False
    skip_blank: bool = False
    columns: Mapping[str, int] = {}

    make_documents: bool = False

    kind = Import.Kind.REFERENCE

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """As it was stored: JSON has no numbers for keys."""
        grades = {int(said): grade for said, grade in parameters["grades"].items()}
        return cls(**{**parameters, "grades": grades})

    def parameters(self) -> dict[str, Any]:
        """As it is stored."""
        return {**self._asdict(), "grades": {str(said): grade for said, grade in self.grades.items()}}

    def load(self, inputs: ImportInputs) -> Sequence[Tallies]:
        """Load the labels, and before them the documents that only they name, if that is asked for."""
        name = one_file(inputs.source)
        with inputs.source.open(name) as stream:
            made = []
            if self.make_documents:
                ids = references.lacking_documents(
                    collection=inputs.collection,
                    stream=stream,
                    file_name=name,
                    min_grade=self.min_grade,
                    columns=self.columns,
                )
                made = [
                    loading.load_documents(
                        collection=inputs.collection, ids=ids, file_name=name, by=inputs.by, tell=inputs.tell
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
                tell=inputs.tell,
            )
        return [*made, report]


class Judgments(NamedTuple):
    """Judgments made elsewhere; see `store_judgments`. Rule and tie make a new version of the policy."""

    name: str
    columns: JudgmentColumns = JudgmentColumns()
    rule: str = ""
    tie: str = ""
    skip_blank: bool = False

    kind = Import.Kind.JUDGMENTS

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """As it was stored."""
        columns = JudgmentColumns(**parameters["columns"])
        return cls(**{**parameters, "columns": columns._replace(annotators=tuple(columns.annotators))})

    def parameters(self) -> dict[str, Any]:
        """As it is stored."""
        columns = {**self.columns._asdict(), "annotators": list(self.columns.annotators)}
        return {**self._asdict(), "columns": columns}

    def load(self, inputs: ImportInputs) -> Sequence[Tallies]:
        """Import the judgments."""
        name = one_file(inputs.source)
        with inputs.source.open(name) as stream:
            report = importing.store_judgments(
                collection=inputs.collection,
                stream=stream,
                file_name=name,
                columns=self.columns,
                name=self.name,
                by=inputs.by,
                skip_blank=self.skip_blank,
                rule=self.rule,
                tie=self.tie,
                tell=inputs.tell,
            )
        return [report]


class QuerySetIds(NamedTuple):
    """A query set; see `load_query_set`."""

    name: str
    direction: str

    kind = Import.Kind.QUERY_SET

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """As it was stored."""
        return cls(**parameters)

    def parameters(self) -> dict[str, Any]:
        """As it is stored."""
        return self._asdict()

    def load(self, inputs: ImportInputs) -> Sequence[Tallies]:
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
                tell=inputs.tell,
            )
        return [report]


def one_file(source: Source) -> str:
    """The one file of a source that is to hold nothing else. Raises FormatError."""
    names = source.names()
    if len(names) != 1:
        raise FormatError(source.name, None, "", f"{source.name} holds {len(names):,} files; give the one to read.")
    return names[0]


KINDS: dict[Import.Kind, type[Asked]] = {each.kind: each for each in (Items, Reference, Judgments, QuerySetIds)}
