"""Texts, pages and media without any table: each file is a document, named by its file name."""

import re
from collections.abc import Iterator

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError, Problems, quoted
from annotate.core.files.items.item_rows import (
    PAGE_ENDS,
    ItemRow,
    PartRow,
    check_item,
    read_page,
)
from annotate.core.files.media_types import media_type
from annotate.core.files.misplaced_files import guess_text

TEXT_ENDS = (".txt", ".md")


def are_loose_files(source: Source) -> bool:
    """True if all files are texts, pages and media, so that none of them lists the others.

    One text file alone may be a list of ids, or topics.
    """
    names = source.names()
    return all(is_shown(name) for name in names) and (
        len(names) > 1 or any(not name.lower().endswith(TEXT_ENDS) for name in names)
    )


def is_shown(name: str) -> bool:
    """True if a file can be shown by itself: a text, a page or a medium."""
    return name.lower().endswith((*TEXT_ENDS, *PAGE_ENDS)) or media_type(name) is not None


def read_loose_files(source: Source, problems: Problems) -> Iterator[ItemRow]:
    """Yield a document a file; its id is the file's path, with _ for blanks."""
    for number, name in enumerate(source.names(), start=1):
        part = _part(source, name)
        if isinstance(part, str):
            message = f"the file {quoted(name)} {part}."
            problems.add_or_stop(FormatError(name, None, "", message))
            continue
        document_id = re.sub(r"\s+", "_", name)
        fields = {"side": "document", "id": document_id, "parts": [part]}
        yield from check_item(fields, name, number, problems)


def _part(source: Source, name: str) -> dict[str, str] | str:
    """Return the part that shows a file, or the file's fault in words; pages are read later."""
    if known_type := media_type(name):
        return {"kind": known_type.kind, "path": name}
    if name.lower().endswith(PAGE_ENDS):
        return {"kind": "html", "path": name}
    with source.open(name) as stream:
        text = read_page(PartRow("text"), stream)
    if isinstance(text, str):
        return text
    likely_format = guess_text(text.text)
    return likely_format.claim if likely_format else {"kind": "text", "text": text.text}
