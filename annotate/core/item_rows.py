"""One item as a file gives it, checked field by field."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from annotate.core.cards import MediaSource
from annotate.core.formats import FormatError, Problems, finite_number, id_fault, shown, text_fault
from annotate.core.media_types import endings, media_type
from annotate.core.sources import path_fault

SIDES = ("query", "document")
MEDIA = ("image", "video", "audio")
PLAYED = ("video", "audio")
PAGE_ENDS = (".html", ".htm", ".xhtml")
FLAT = ("text", "html", *MEDIA)
FIELDS = ("side", "id", "split", "warning", "group", *FLAT, "also", "start", "end")
PART_FIELDS = ("kind", "text", "path", "type", "also", "start", "end")
SOURCE_FIELDS = ("path", "type")
MOST_ALSO = 8
LONGEST = {"split": 20, "warning": 200, "group": 255, "path": 500, "type": 120, "text": 500_000, "html": 500_000}
_TYPE = re.compile(r'(video|audio)/[a-z0-9.+-]+(; ?codecs="?[A-Za-z0-9., -]+"?)?')
Wrong = Callable[[str, str], None]


class PartRow(NamedTuple):
    """One text, page or medium: its kind, the text or the path (or http address), and perhaps where it starts and ends.

    A page of HTML that is a file has its path here, and once it is read its text instead.
    type : what a clip or recording elsewhere is, as the file says it; what is uploaded is looked into instead
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
        """The files and addresses that it names, in their order."""
        return [path for path in (self.path, *(source.path for source in self.also)) if path]

    @property
    def content(self) -> tuple[object, ...]:
        """What makes it the same as another one: all but types, which may be found out later."""
        return self.kind, self.text, self.path, self.start, self.end, tuple(source.path for source in self.also)


class ItemRow(NamedTuple):
    """One item as a file gives it, and the place where it stands.

    may_lack_files : whether it is known by its id alone where the files that it names are not given
    group : what it belongs to with others of its side; "" where the file does not say
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


def check_item(record: Mapping[str, Any], name: str, number: int, problems: Problems) -> Iterator[ItemRow]:
    """The item of one record, or nothing and its faults added to the problems."""
    before = problems.n

    def wrong(field: str, message: str) -> None:
        problems.note(FormatError(name, number, field, f"{field} {message}."))

    row = _item(record, name, number, wrong)
    if problems.n == before:
        yield row


def _item(record: Mapping[str, Any], name: str, number: int, wrong: Wrong) -> ItemRow:
    for field in record.keys() - {*FIELDS, "parts"}:
        wrong(shown(str(field)), f"is no field known here; known are {_listed([*FIELDS, 'parts'])}")
    side = record.get("side")
    if side not in SIDES:
        wrong("side", f'must be "query" or "document", not {shown(str(side))}')
    item_id = _as_text(record.get("id"))
    if not isinstance(item_id, str):
        wrong("id", "is missing or no text")
    elif fault := id_fault(item_id):
        wrong("id", fault)
    split = _text(record, "split", wrong) or "test"
    if not split.replace("-", "").replace("_", "").isalnum():
        wrong("split", f"must be one word, not {shown(split)}")
    warning = _text(record, "warning", wrong)
    # Blanks, which nobody counts, would part what belongs together.
    group = " ".join(_text({"group": _as_text(record.get("group"))}, "group", wrong).split())
    return ItemRow(str(side), str(item_id), split, warning, _parts(record, wrong), name, number, group=group)


def _as_text(value: object) -> object:
    """A whole number as text, since files write ids as either; anything else as it is."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _parts(record: Mapping[str, Any], wrong: Wrong) -> tuple[PartRow, ...]:
    """The parts as a list gives them, or one for each of the flat fields text, html, image, video and audio.

    An empty list is allowed, since it is written on purpose: the item is shown by its id.
    """
    given = record.get("parts")
    if given is None:
        given = _flat_parts(record)
        if record.get("also") is not None and sum(record.get(kind) is not None for kind in PLAYED) != 1:
            wrong("also", "stands beside one video or one audio; give parts where there are several")
        if not given:
            wrong("item", "has nothing to show; give it a text, a page of html, an image, a video or audio")
    elif any(record.get(field) is not None for field in (*FLAT, "also", "start", "end")):
        wrong("parts", "stands beside text, html, image, video, audio, also, start or end; give one or the other")
    if not isinstance(given, list):
        wrong("parts", "is no list")
        return ()
    parts = [_part(part, f"part {place}", wrong) for place, part in enumerate(given, start=1)]
    return tuple(part for part in parts if part is not None)


def _flat_parts(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    more = {field: record[field] for field in ("start", "end", "also") if record.get(field) is not None}
    parts = [{"kind": "text", "text": record["text"]}] if record.get("text") is not None else []
    if (page := record.get("html")) is not None:
        is_file = isinstance(page, str) and "<" not in page and page.lower().endswith(PAGE_ENDS)
        parts.append({"kind": "html", "path" if is_file else "text": page})
    return parts + [
        {"kind": kind, "path": record[kind], **(more if kind in PLAYED else {})}
        for kind in MEDIA
        if record.get(kind) is not None
    ]


def _part(part: object, place: str, wrong: Wrong) -> PartRow | None:
    if not isinstance(part, dict) or part.get("kind") not in FLAT:
        wrong(place, f"must be an object whose kind is one of {_listed(FLAT)}")
        return None
    for field in part.keys() - {*PART_FIELDS}:
        wrong(place, f"has a field {shown(str(field))}; known are {_listed(PART_FIELDS)}")
    start, end = _seconds(part, "start", place, wrong), _seconds(part, "end", place, wrong)
    if start is not None and end is not None and end <= start:
        wrong(place, "must end after it starts")
    if part["kind"] not in PLAYED and (part.get("also") is not None or part.get("type") is not None):
        wrong(place, "has also or type, which are for video and audio")
        return None
    if part["kind"] == "text" or (part["kind"] == "html" and part.get("path") is None):
        text = _text(part, "text", wrong)
        if not text.strip():
            wrong(place, "has no text")
        return PartRow(part["kind"], text, "", start, end)
    path = _text(part, "path", wrong)
    if fault := _path_fault(path, part["kind"]):
        wrong(place, fault)
    return PartRow(part["kind"], "", path, start, end, _type(part, path, place, wrong), _also(part, place, wrong))


def _also(part: Mapping[str, Any], place: str, wrong: Wrong) -> tuple[MediaSource, ...]:
    """Further sources: a list, or one, of paths and addresses, or of objects that give a path and a type."""
    given = part.get("also")
    if given is None:
        return ()
    entries = given if isinstance(given, list) else [given]
    if len(entries) > MOST_ALSO:
        wrong(place, f"has more than {MOST_ALSO} further sources")
        return ()
    found = []
    for entry in entries:
        source = {"path": entry} if isinstance(entry, str) else entry
        if not isinstance(source, dict) or source.keys() - {*SOURCE_FIELDS} or not source.get("path"):
            wrong(place, "has an entry in also that is neither a path nor an object with path and perhaps type")
            return ()
        path = _text(source, "path", wrong)
        if fault := _path_fault(path, part["kind"]):
            wrong(place, fault)
        found.append(MediaSource(path, _type(source, path, place, wrong)))
    if len({part.get("path"), *(source.path for source in found)}) < len(found) + 1:
        wrong(place, "names the same source twice")
    return tuple(found)


def _type(source: Mapping[str, Any], path: str, place: str, wrong: Wrong) -> str:
    mime = _text(source, "type", wrong)
    if mime and not is_address(path):
        wrong(place, "has a type beside the path of a file; files are looked into")
    elif mime and not _TYPE.fullmatch(mime):
        wrong(place, f'has the type {shown(mime)}; write it as video/webm or video/webm; codecs="vp9, opus"')
    return mime


def _path_fault(path: str, kind: str) -> str:
    if kind == "html":
        return _page_fault(path)
    if is_address(path):
        if media_host(path) is None:
            return f"has the address {shown(path)}, which is no http or https address"
    elif fault := path_fault(path):
        return f"has the path {shown(path)}, which {fault}"
    known = media_type(path.partition("?")[0])
    if known is None or known.kind != kind:
        return f"is {shown(path)}, whose ending belongs to no {kind} known here; known are {_listed(endings(kind))}"
    return ""


def _page_fault(path: str) -> str:
    if is_address(path):
        return f"has the address {shown(path)}; a page elsewhere is not fetched, give its file"
    if fault := path_fault(path):
        return f"has the path {shown(path)}, which {fault}"
    return "" if path.lower().endswith(PAGE_ENDS) else f"is {shown(path)}; a page's file ends in {_listed(PAGE_ENDS)}"


def read_page(part: PartRow, stream: BinaryIO) -> PartRow | str:
    """The part with the text of its file, or what is wrong with that in words."""
    longest = LONGEST["html"]
    raw = stream.read(4 * longest + 4)  # no character takes more than four bytes
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "is no UTF-8; save the file as UTF-8"
    if len(text) > longest:
        return f"is longer than {longest:,} characters"
    return text_fault(text) or (part._replace(text=text, path="") if text.strip() else "is empty")


def is_address(path: str) -> bool:
    """Whether a part's path is an address on the web instead of a file of the collection's media folder."""
    return "://" in path


def media_host(address: str) -> str | None:
    """The host of an http or https address, with its port; None for anything else."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    fine = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc and address.isprintable()
    return f"{parts.hostname}{port}" if fine and " " not in address else None


def _text(record: Mapping[str, Any], field: str, wrong: Wrong) -> str:
    value = record.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        wrong(field, "must be text")
        return ""
    if fault := text_fault(value):
        wrong(field, fault)
    if len(value) > LONGEST[field]:
        wrong(field, f"is longer than {LONGEST[field]} characters")
    return value


def _seconds(part: Mapping[str, Any], field: str, place: str, wrong: Wrong) -> float | None:
    value = part.get(field)
    if value is None:
        return None
    seconds = finite_number(value)
    if seconds is None or seconds < 0:
        wrong(place, f"has a {field} of {shown(str(value))}; it must be a number of seconds")
        return None
    return seconds


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
