"""Lists of captions, many of one video or image: as MSR-VTT or Flickr30k have them, {id: [captions]}, or a table."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from annotate.core import reading
from annotate.core.formats import FormatError, Problems, add_faults, id_fault, shown
from annotate.core.json_files import first_element, json_members, opens_object_of_objects
from annotate.core.media_types import media_type

COLUMNS = {  # the names in use; which of the first are there says what the captions are of
    "video": ("video_id", "video"),
    "image": ("image_id", "image", "image_name"),
    "caption": ("caption", "sentence", "comment"),
    "id": ("caption_id", "sen_id", "sentence_id", "key"),
}
ITEM_FIELDS = frozenset({"side", "id", "parts"})  # a line of JSON lines may begin with an item's parts
SINGLE_WORDS = 20
LISTS = frozenset({"videos", "images", "sentences", "annotations"})


class Caption(NamedTuple):
    """One caption and the id of what it describes."""

    id: str
    of: str
    text: str
    line: int


class Described(NamedTuple):
    """A video or image that captions are of.

    kind : video or image; "" where the file does not say. path : "" where it names none. start, end : seconds, or None
    """

    id: str
    kind: str
    path: str
    split: str
    start: object
    end: object
    line: int


def is_caption_header(first: str) -> bool:
    """Whether the first line of a table says that it lists captions."""
    cells = [cell.strip().strip('"') for cell in first.replace("\t", ",").split(",")]
    has = {field: any(cell in names for cell in cells) for field, names in COLUMNS.items()}
    return has["caption"] and (has["video"] or has["image"]) and not {"side", "query", "query-id"} & {*cells}


def is_caption_list(first_key: str | None) -> bool:
    """Whether the first key of a JSON object is one of a caption list's; MSR-VTT's files begin with "info"."""
    return first_key in {*LISTS, "info"}


def lists_captions(stream: BinaryIO, name: str, *, of_items: bool = False) -> bool:
    """Whether a file is one JSON object {id: [captions]}.

    of_items : that it holds items is known; else its first text must have a blank in it, or it may be an id: lists of
        positives look the same
    """
    first_key = opens_object_of_objects(stream, name)
    if first_key is None or is_caption_list(first_key) or first_key in ITEM_FIELDS:
        return False
    first = first_element(stream, name)
    return first is not None and (of_items or len(first.split()) > 1)


def read_captions(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Caption | Described]:
    """What a caption list describes, each once and before its captions in a table, and its captions.

    A caption without an id of its own is called by what it describes: video7#0, video7#1...
    """
    if lists_captions(stream, name, of_items=True):
        yield from _Lists(name, problems).read(stream)
    elif reading.begins_with(stream, b"{"):
        yield from _Json(name, problems).read(stream)
    else:
        yield from _Table(name, problems).read(stream)


class _Reader:
    """Checks captions and numbers those without an id."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name, self.problems = name, problems
        self._numbers: Counter[str] = Counter()

    def caption(self, of: object, text: object, own_id: object, line: int, place: str = "") -> Iterator[Caption]:
        """The caption, or nothing and its faults added to the problems.

        place : where it stands, for files in which the line does not say it: " 2 of video7"
        """
        described, given = as_id(of), as_id(own_id)
        faults = {"id": id_fault(described)}
        if not isinstance(text, str) or not text.strip():
            faults[f"caption{place}"] = "is missing or blank"
        if given:
            faults[f"the id of caption{place}" if place else "caption id"] = id_fault(given)
        add_faults(faults, line, self.name, self.problems)
        if not any(faults.values()):
            called = given or f"{described}#{self._numbers[described]}"
            self._numbers[described] += 1
            yield Caption(called, described, str(text), line)


class _Json(_Reader):
    """{"videos": [{"video_id", "split", "path", ...}], "sentences": [{"video_id", "caption", "sen_id"}]}."""

    def read(self, stream: BinaryIO) -> Iterator[Caption | Described]:
        """All members of the lists, in the file's order."""
        for line, key, entry in json_members(stream, self.name, spread=LISTS):
            if key not in LISTS:
                continue
            if not isinstance(entry, dict):
                self.problems.note(FormatError(self.name, line, key, f"an entry of {key} is no object."))
            elif key in ("videos", "images"):
                yield from self._described(entry, key[:-1], line)
            else:
                of = first_of(entry, (*COLUMNS["video"], *COLUMNS["image"]))
                text, own_id = first_of(entry, COLUMNS["caption"]), first_of(entry, (*COLUMNS["id"], "id"))
                yield from self.caption(of, text, own_id, line)

    def _described(self, entry: Mapping[str, Any], kind: str, line: int) -> Iterator[Described]:
        called = as_id(first_of(entry, (*COLUMNS[kind], "id")))
        path, split = first_of(entry, ("path", "file_name", "file")), entry.get("split")
        faults = {"id": id_fault(called)}
        faults |= {field: "must be text" for field, value in (("path", path), ("split", split)) if not _is_text(value)}
        add_faults(faults, line, self.name, self.problems)
        if not any(faults.values()):
            times = entry.get("start time"), entry.get("end time")
            yield Described(called, kind, path or "", split or "test", *times, line)


class _Lists(_Reader):
    """{"video7": ["a man sings", "somebody sings"]}, as MSVD, VATEX and COCO are handed on, perhaps in one line."""

    _n_read = 0
    _has_words = False

    def read(self, stream: BinaryIO) -> Iterator[Caption | Described]:
        """Each key, and then its captions; one of several may be an object with a field for the text."""
        for line, key, value in json_members(stream, self.name):
            path = key if media_type(key) else ""
            fault = id_fault(key) or ("" if isinstance(value, list) else "must have a list of captions")
            add_faults({"id" if id_fault(key) else f"id {shown(key)}": fault}, line, self.name, self.problems)
            if fault:
                continue
            yield Described(key, media_type(key).kind if path else "", path, "test", None, None, line)
            for number, entry in enumerate(value, start=1):
                place = f" {number} of {shown(key)}"
                if isinstance(entry, dict):
                    own_id = first_of(entry, (*COLUMNS["id"], "id"))
                    found = self.caption(key, first_of(entry, COLUMNS["caption"]), own_id, line, place)
                else:
                    found = self.caption(key, entry, None, line, place)
                for caption in found:
                    self._require_words(caption)
                    yield caption

    def _require_words(self, caption: Caption) -> None:
        """Raise FormatError where the first captions are all single words of plain letters, as ids are."""
        self._n_read += 1
        self._has_words |= len(caption.text.split()) > 1 or not caption.text.isascii()
        if self._n_read == SINGLE_WORDS and not self._has_words:
            message = (
                f"the first {SINGLE_WORDS} texts are single words, so they look like ids: lists of positives are "
                "loaded as reference labels, a run is uploaded as a run."
            )
            raise FormatError(self.name, caption.line, "", message)


class _Table(_Reader):
    """Columns video_id (or image...), caption, and perhaps an id of the caption."""

    def read(self, stream: BinaryIO) -> Iterator[Caption | Described]:
        """Each row's caption, behind what it describes where that is new."""
        header = reading.header_of(stream, self.name)
        found = {field: next((each for each in header if each in names), "") for field, names in COLUMNS.items()}
        kind = "video" if found["video"] else "image"
        seen: set[str] = set()
        for number, cells in reading.table_rows(stream, self.name, self.problems):
            of, own_id = cells[found[kind]].strip(), cells[found["id"]].strip() if found["id"] else ""
            for caption in self.caption(of, cells[found["caption"]], own_id, number):
                if of not in seen:
                    seen.add(of)
                    path = of if media_type(of) else ""
                    yield Described(of, kind, path, "test", None, None, number)
                yield caption


def first_of(entry: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of these fields that is there."""
    return next((entry[name] for name in names if entry.get(name) is not None), None)


def as_id(value: object) -> str:
    """A text or whole number as an id; "" for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)
