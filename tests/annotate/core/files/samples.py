"""Small files for the tests of readers, made in memory."""

import gzip
import io
import json
import zipfile
from collections.abc import Mapping

from annotate.core.files.archives.sources import FileSource, Source, ZipSource
from annotate.core.files.formats import Problems
from annotate.core.files.items.item_formats import read_items
from annotate.core.files.items.item_rows import ItemRow


def file(*lines: str) -> io.BytesIO:
    """A plain text file."""
    return io.BytesIO("".join(line + "\n" for line in lines).encode())


def line(id_: str, side: str = "document", **fields: object) -> str:
    """One line of a file of items; it has a text, unless the fields give other content."""
    return json.dumps({"side": side, "id": id_, **(fields or {"text": f"text of {id_}"})})


def packed(*lines: str) -> io.BytesIO:
    """The same file through gzip."""
    return io.BytesIO(gzip.compress(file(*lines).getvalue(), mtime=0))


def archive(members: Mapping[str, bytes], **options: int) -> io.BytesIO:
    """A zip archive, the same whenever it is made."""
    stream = io.BytesIO()
    with zipfile.ZipFile(
        stream, "w", **{"compression": zipfile.ZIP_DEFLATED, **options}
    ) as packed_file:
        for name, content in members.items():
            packed_file.writestr(zipfile.ZipInfo(name), content, packed_file.compression)
    stream.seek(0)
    return stream


def zipped(members: Mapping[str, str]) -> ZipSource:
    """An archive of texts, as a source."""
    return ZipSource(archive({name: text.encode() for name, text in members.items()}), "set.zip")


def items(*lines: str, name: str = "collection.jsonl") -> tuple[list[ItemRow], list[str]]:
    """The items and the faults of a file of items."""
    return items_of(FileSource(file(*lines), name))


def items_of(source: Source) -> tuple[list[ItemRow], list[str]]:
    """The items and the faults of a source."""
    problems = Problems()
    return list(read_items(source, problems)), problems.lines()
