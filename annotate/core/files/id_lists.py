"""Lists of ids: text, one a line, or the keys of one JSON object."""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, ClassVar, NamedTuple

from annotate.core.files import text_files
from annotate.core.files.archives.file_heads import HeadSource
from annotate.core.files.file_previews import MAX_SHOWN, FilePreview
from annotate.core.files.formats import FormatError, Problems, id_fault, quoted
from annotate.core.files.json_files import json_members
from annotate.core.phrases import count_of


class ListedId(NamedTuple):
    """One id of a list and its line."""

    id: str
    line: int


@dataclass
class IdPreview(FilePreview):
    """A list of ids as it is understood: its first ids, and those that are not there.

    side : of the items that it names, query or document; nouns : their plural
    ids : those of the head; unknown_ids : those that the collection lacks
    """

    side: str = "query"
    nouns: str = "queries"
    ids: list[str] = field(default_factory=list)
    unknown_ids: list[str] = field(default_factory=list)

    caption: ClassVar = "The first ids"

    @property
    def counts(self) -> str:
        """The number of ids in the file, or of those read before reading stopped."""
        count = count_of(len(self.ids), self.nouns)
        if self.is_cut:
            return f"Only the ids of the first {count} were read."
        return f"The whole file was read: the ids of {count}."

    @property
    def unknown_items(self) -> str:
        """The sentence on ids that the collection lacks, with the first; "" without any."""
        if not self.unknown_ids:
            return ""
        count = count_of(len(self.unknown_ids), self.nouns)
        return (
            f"Not in this collection: {count}, first {self.unknown_ids[0]}. "
            "With an id that it lacks nothing is loaded."
        )

    @property
    def columns(self) -> list[str]:
        """The title of the only column."""
        return [self.side.capitalize()]

    @property
    def cells(self) -> list[str]:
        """The side of the items in the only column."""
        return [self.side]

    @property
    def rows(self) -> list[list[str]]:
        """The first ids, one a row."""
        return [[item_id] for item_id in self.ids[:MAX_SHOWN]]

    def match(self, queries: Container[str], documents: Container[str]) -> None:
        """Tell which ids the collection lacks on the side that is named."""
        present_ids = queries if self.side == "query" else documents
        self.unknown_ids = [item_id for item_id in self.ids if item_id not in present_ids]


def preview_ids(source: HeadSource, *, side: str, nouns: str) -> IdPreview:
    """Read the head of a list of ids. Raises AbsentBytes where pieces of it are to be sent."""
    preview = IdPreview(source.name, side=side, nouns=nouns)
    names = source.names()
    if len(names) != 1:
        preview.fault = f"{source.name} holds {len(names):,} files; give the one to read."
        return preview
    stream = source.open(names[0])
    is_json = text_files.begins_with(stream, b"{")
    preview.format = "the keys of a JSON object" if is_json else "a list of ids, one a line"
    ids = read_ids(stream, names[0], preview.problems)
    preview.ids = [listed_id.id for listed_id in preview.head_rows(source, ids)]
    if not (preview.ids or preview.problems):
        preview.fault = f"{source.name} lists no ids."
    return preview


def read_ids(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ListedId]:
    """Yield a file's ids in its order, gzip or plain; faulty and repeated ids become problems.

    Raises FormatError where the file cannot be read.
    """
    first_lines: dict[str, int] = {}
    for listed_id in _listed_ids(stream, name):
        if fault := id_fault(listed_id.id):
            problems.add_or_stop(FormatError(name, listed_id.line, "id", f"the id {fault}."))
        elif listed_id.id in first_lines:
            message = (
                f"the id {quoted(listed_id.id)} stands already in line "
                f"{first_lines[listed_id.id]}; keep one of them."
            )
            problems.add_or_stop(FormatError(name, listed_id.line, "id", message))
        else:
            first_lines[listed_id.id] = listed_id.line
            yield listed_id


def _listed_ids(stream: BinaryIO, name: str) -> Iterator[ListedId]:
    if text_files.begins_with(stream, b"{"):
        yield from (ListedId(member.key, member.line) for member in json_members(stream, name))
    else:
        yield from (
            ListedId(text.strip(" \t"), line)
            for line, text in text_files.lines(stream, name)
            if text.strip()
        )
