"""The checks of an item's record in a file, field by field."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from annotate.core.files.archives.sources import path_fault
from annotate.core.files.formats import (
    FormatError,
    Problems,
    finite_number,
    id_fault,
    quoted,
    text_fault,
)
from annotate.core.files.media_types import endings, media_type
from annotate.core.labels.cards import MediaSource

SIDES = ("query", "document")
MEDIA = ("image", "video", "audio")
PLAYED = ("video", "audio")
PAGE_ENDS = (".html", ".htm", ".xhtml")
FLAT = ("text", "html", *MEDIA)
FIELDS = ("side", "id", "split", "warning", "group", *FLAT, "also", "start", "end")
PART_FIELDS = ("kind", "text", "path", "type", "also", "start", "end")
SOURCE_FIELDS = ("path", "type")
MAX_ALSO = 8
MAX_LENGTHS = {
    "split": 20,
    "warning": 200,
    "group": 255,
    "path": 500,
    "type": 120,
    "text": 500_000,
    "html": 500_000,
}
_TYPE = re.compile(r'(video|audio)/[a-z0-9.+-]+(; ?codecs="?[A-Za-z0-9., -]+"?)?')
AddFault = Callable[[str, str], None]


class PartRow(NamedTuple):
    """One text, page or medium: its kind, text or path (or http address), and perhaps its times.

    An HTML page in a file has a path here, and once the file is read, its text instead.
    start, end : seconds
    type : MIME type of a clip or recording at an address, from the file; uploads are inspected
        instead
    also : further files or addresses of the same clip or recording
    """

    kind: str
    text: str = ""
    path: str = ""
    start: float | None = None
    end: float | None = None
    type: str = ""
    also: tuple[MediaSource, ...] = ()

    @property
    def paths(self) -> list[str]:
        """The part's files and addresses, in order."""
        return [path for path in (self.path, *(source.path for source in self.also)) if path]

    @property
    def content(self) -> tuple[object, ...]:
        """The fields that make two parts equal: all but types, which may be detected later."""
        return (
            self.kind,
            self.text,
            self.path,
            self.start,
            self.end,
            tuple(source.path for source in self.also),
        )


class ItemRow(NamedTuple):
    """One item of a file, with the file's name and line.

    may_lack_files : whether the item is known by its id alone if its files are missing
    group : the name of the item's group on its side; "" where the file names none
    """

    side: str
    id: str
    split: str
    warning: str
    parts: tuple[PartRow, ...]
    file: str
    line: int
    may_lack_files: bool = False
    group: str = ""


def check_item(
    record: Mapping[str, Any], name: str, number: int, problems: Problems
) -> Iterator[ItemRow]:
    """Yield the item of one record, or nothing and add its faults to the problems."""
    n_before = problems.n

    def add_fault(field: str, message: str) -> None:
        problems.add_or_stop(FormatError(name, number, field, f"{field} {message}."))

    row = _item(record, name, number, add_fault)
    if problems.n == n_before:
        yield row


def _item(record: Mapping[str, Any], name: str, number: int, add_fault: AddFault) -> ItemRow:
    for field in record.keys() - {*FIELDS, "parts"}:
        add_fault(
            quoted(str(field)),
            f"is no field known here; known are {_comma_list([*FIELDS, 'parts'])}",
        )
    side = record.get("side")
    if side not in SIDES:
        add_fault("side", f'must be "query" or "document", not {quoted(str(side))}')
    item_id = _id_text(record.get("id"))
    if not isinstance(item_id, str):
        add_fault("id", "is missing or no text")
    elif fault := id_fault(item_id):
        add_fault("id", fault)
    split = _text(record, "split", add_fault) or "test"
    if not split.replace("-", "").replace("_", "").isalnum():
        add_fault("split", f"must be one word, not {quoted(split)}")
    warning = _text(record, "warning", add_fault)
    # Different numbers of blanks would part a group.
    group = " ".join(_text({"group": _id_text(record.get("group"))}, "group", add_fault).split())
    return ItemRow(
        str(side),
        str(item_id),
        split,
        warning,
        _parts(record, add_fault),
        name,
        number,
        group=group,
    )


def _id_text(value: object) -> object:
    """A whole number as text, since files write ids as either; other values unchanged."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _parts(record: Mapping[str, Any], add_fault: AddFault) -> tuple[PartRow, ...]:
    """The parts of a record's list, or one for each flat field: text, html, image, video and audio.

    An empty list is allowed, since it is written on purpose: the item is shown by its id.
    """
    parts_field = record.get("parts")
    if parts_field is None:
        parts_field = flat_parts(record)
        if (
            record.get("also") is not None
            and sum(record.get(kind) is not None for kind in PLAYED) != 1
        ):
            add_fault(
                "also", "stands beside one video or one audio; give parts where there are several"
            )
        if not parts_field:
            add_fault(
                "item",
                "has nothing to show; give it a text, a page of html, an image, a video or audio",
            )
    elif any(record.get(field) is not None for field in (*FLAT, "also", "start", "end")):
        add_fault(
            "parts",
            "stands beside text, html, image, video, audio, also, start or end; give one or the "
            "other",
        )
    if not isinstance(parts_field, list):
        add_fault("parts", "is no list")
        return ()
    part_rows = [
        _part(part_field, f"part {number}", add_fault)
        for number, part_field in enumerate(parts_field, start=1)
    ]
    return tuple(part_field for part_field in part_rows if part_field is not None)


def flat_parts(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts that a record's flat fields are short for: text, html and media."""
    playback_fields = {
        field: record[field] for field in ("start", "end", "also") if record.get(field) is not None
    }
    parts = [{"kind": "text", "text": record["text"]}] if record.get("text") is not None else []
    if (page := record.get("html")) is not None:
        is_file = isinstance(page, str) and "<" not in page and page.lower().endswith(PAGE_ENDS)
        parts.append({"kind": "html", "path" if is_file else "text": page})
    return parts + [
        {"kind": kind, "path": record[kind], **(playback_fields if kind in PLAYED else {})}
        for kind in MEDIA
        if record.get(kind) is not None
    ]


def _part(part: object, part_name: str, add_fault: AddFault) -> PartRow | None:
    if not isinstance(part, dict) or part.get("kind") not in FLAT:
        add_fault(part_name, f"must be an object whose kind is one of {_comma_list(FLAT)}")
        return None
    for field in part.keys() - {*PART_FIELDS}:
        add_fault(
            part_name, f"has a field {quoted(str(field))}; known are {_comma_list(PART_FIELDS)}"
        )
    start = _seconds(part, "start", part_name, add_fault)
    end = _seconds(part, "end", part_name, add_fault)
    if start is not None and end is not None and end <= start:
        add_fault(part_name, "must end after it starts")
    if part["kind"] not in PLAYED and (
        part.get("also") is not None or part.get("type") is not None
    ):
        add_fault(part_name, "has also or type, which are for video and audio")
        return None
    if part["kind"] == "text" or (part["kind"] == "html" and part.get("path") is None):
        text = _text(part, "text", add_fault)
        if not text.strip():
            add_fault(part_name, "has no text")
        return PartRow(part["kind"], text, "", start, end)
    path = _text(part, "path", add_fault)
    if fault := _path_fault(path, part["kind"]):
        add_fault(part_name, fault)
    return PartRow(
        part["kind"],
        "",
        path,
        start,
        end,
        _type(part, path, part_name, add_fault),
        _also(part, part_name, add_fault),
    )


def _also(part: Mapping[str, Any], part_name: str, add_fault: AddFault) -> tuple[MediaSource, ...]:
    """Further sources: one or a list of paths and addresses, or of objects with path and type."""
    also_field = part.get("also")
    if also_field is None:
        return ()
    entries = also_field if isinstance(also_field, list) else [also_field]
    if len(entries) > MAX_ALSO:
        add_fault(part_name, f"has more than {MAX_ALSO} further sources")
        return ()
    sources = []
    for entry in entries:
        source = {"path": entry} if isinstance(entry, str) else entry
        if (
            not isinstance(source, dict)
            or source.keys() - {*SOURCE_FIELDS}
            or not source.get("path")
        ):
            add_fault(
                part_name,
                "has an entry in also that is neither a path nor an object with path and perhaps "
                "type",
            )
            return ()
        path = _text(source, "path", add_fault)
        if fault := _path_fault(path, part["kind"]):
            add_fault(part_name, fault)
        sources.append(MediaSource(path, _type(source, path, part_name, add_fault)))
    if len({part.get("path"), *(source.path for source in sources)}) < len(sources) + 1:
        add_fault(part_name, "names the same source twice")
    return tuple(sources)


def _type(source: Mapping[str, Any], path: str, part_name: str, add_fault: AddFault) -> str:
    mime = _text(source, "type", add_fault)
    if mime and not is_address(path):
        add_fault(part_name, "has a type beside the path of a file; files are looked into")
    elif mime and not _TYPE.fullmatch(mime):
        add_fault(
            part_name,
            f"has the type {quoted(mime)}; write it as video/webm or "
            'video/webm; codecs="vp9, opus"',
        )
    return mime


def _path_fault(path: str, kind: str) -> str:
    if kind == "html":
        return _page_fault(path)
    if is_address(path):
        if media_host(path) is None:
            return f"has the address {quoted(path)}, which is no http or https address"
    elif fault := path_fault(path):
        return f"has the path {quoted(path)}, which {fault}"
    known_type = media_type(path.partition("?")[0])
    if known_type is None or known_type.kind != kind:
        return (
            f"is {quoted(path)}, whose ending belongs to no {kind} known here; known are "
            f"{_comma_list(endings(kind))}"
        )
    return ""


def _page_fault(path: str) -> str:
    if is_address(path):
        return f"has the address {quoted(path)}; a page elsewhere is not fetched, give its file"
    if fault := path_fault(path):
        return f"has the path {quoted(path)}, which {fault}"
    return (
        ""
        if path.lower().endswith(PAGE_ENDS)
        else f"is {quoted(path)}; a page's file ends in {_comma_list(PAGE_ENDS)}"
    )


def read_page(part: PartRow, stream: BinaryIO) -> PartRow | str:
    """Return the part with the text of its file, or the file's fault in words."""
    longest = MAX_LENGTHS["html"]
    raw = stream.read(4 * longest + 4)  # no character takes more than four bytes
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "is no UTF-8; save the file as UTF-8"
    if len(text) > longest:
        return f"is longer than {longest:,} characters"
    return text_fault(text) or (part._replace(text=text, path="") if text.strip() else "is empty")


def is_address(path: str) -> bool:
    """True if a part's path is a web address, not a file of the collection's media folder."""
    return "://" in path


def media_host(address: str) -> str | None:
    """The host of an http or https address, with its port; None for any other text."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    is_web_address = (
        parts.scheme in ("http", "https")
        and parts.hostname
        and "@" not in parts.netloc
        and address.isprintable()
    )
    return f"{parts.hostname}{port}" if is_web_address and " " not in address else None


def _text(record: Mapping[str, Any], field: str, add_fault: AddFault) -> str:
    value = record.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        add_fault(field, "must be text")
        return ""
    if fault := text_fault(value):
        add_fault(field, fault)
    if len(value) > MAX_LENGTHS[field]:
        add_fault(field, f"is longer than {MAX_LENGTHS[field]} characters")
    return value


def _seconds(
    part: Mapping[str, Any], field: str, part_name: str, add_fault: AddFault
) -> float | None:
    value = part.get(field)
    if value is None:
        return None
    seconds = finite_number(value)
    if seconds is None or seconds < 0:
        add_fault(
            part_name, f"has a {field} of {quoted(str(value))}; it must be a number of seconds"
        )
        return None
    return seconds


def _comma_list(names: Iterable[str]) -> str:
    return ", ".join(names)
