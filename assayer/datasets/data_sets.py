"""The shape of a data set: items of two sides and labels by split, each read as a stream."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import NamedTuple, Protocol

from annotate.core.files.formats import Problems
from annotate.core.files.references.reference_formats import ReferenceRow

QUERY, DOCUMENT = "query", "document"


class DataItem(NamedTuple):
    """An item, unchecked, with its place in the data set.

    parts : as those of a line of items; line : of the file; else the item's number
    """

    side: str
    id: object
    parts: list[dict[str, object]]
    file: str
    line: int
    split: str = "test"

    @property
    def record(self) -> dict[str, object]:
        """The line of items that an import takes."""
        return {"side": self.side, "id": self.id, "split": self.split, "parts": self.parts}


class DataSet(Protocol):
    """Queries, documents and labels that somebody else collected.

    splits : names of the sets of labels
    levels : what grades mean, where the data set says so; positive_from : the smallest grade that
        counts as relevant, 0 where it does not say
    has_documents : whether documents are there, not only their ids in labels
    all_queries_count : whether all queries are meant for evaluation, without a label too
    """

    name: str
    splits: Sequence[str]
    levels: Mapping[int, str]
    positive_from: int
    has_documents: bool
    all_queries_count: bool

    def items(self, side: str, problems: Problems) -> Iterator[DataItem]:
        """Yield the items of a side, which may be repeated or faulty."""

    def labels(self, split: str, problems: Problems) -> Iterator[ReferenceRow]:
        """Yield the labels of a split."""


class SourceFault(Exception):
    """A data set cannot be read or taken as it is; the message says why, and what to do."""


def text_parts(*texts: object) -> list[dict[str, object]]:
    """Parts of those that are texts and not blank; an item without any is shown by its id."""
    return [
        {"kind": "text", "text": text} for text in texts if isinstance(text, str) and text.strip()
    ]


def media_parts(metadata: object) -> list[dict[str, object]]:
    """Parts of the media that a release keeps in the metadata of an item; [] elsewhere."""
    media = metadata.get("media") if isinstance(metadata, Mapping) else None
    if not isinstance(media, list):
        return []
    return [dict(part) for part in media if isinstance(part, Mapping)]


def optional_module(name: str, package: str, purpose: str) -> ModuleType:
    """Load a package that is there for one format alone. Raises SourceFault without it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise SourceFault(
            f"{purpose} needs the package {package}: pip install {package}"
        ) from error
