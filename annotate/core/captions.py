"""Lists of captions, many of one video or image, in JSON as the field hands them on, or in a table."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from annotate.core import reading
from annotate.core.formats import FormatError, Problems, add_faults, id_fault, shown
from annotate.core.json_files import (
    first_element,
    json_elements,
    json_members,
    keys_of_first,
    keys_of_lists,
    opens_object_of_objects,
)
from annotate.core.media_types import media_type

COLUMNS = {  # the names in use; which of the first are there says what the captions are of
    "video": ("video_id", "video", "videoID"),
    "image": ("image_id", "image", "image_name"),
    "caption": ("caption", "sentence", "comment"),
    "id": ("caption_id", "sen_id", "sentence_id", "key"),
}
TEXTS = (*COLUMNS["caption"], "captions", "sentences", "enCap")  # VATEX's English ones; it has Chinese ones beside them
ITEM_FIELDS = frozenset({"side", "id", "parts"})  # a line of JSON lines may begin with an item's parts
SINGLE_WORDS = 20
LISTS = frozenset({"videos", "images", "sentences", "annotations"})


class Caption(NamedTuple):
    """One caption and the id of what it describes, whose split is its own."""

    id: str
    of: str
    text: str
    line: int
    split: str = "test"


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
    """Whether a file is one JSON object {id: [captions]}, or an array [{"image": id, "caption": ...}].

    of_items : that it holds items is known; else its first text must have a blank in it, or it may be an id: lists of
        positives look the same
    """
    if _is_array(stream, name):
        return True
    first_key = opens_object_of_objects(stream, name)
    if first_key is None or is_caption_list(first_key) or first_key in ITEM_FIELDS:
        return False
    if keys_of_lists(stream, name) & {*COLUMNS["caption"]}:
        return True
    first = first_element(stream, name)
    return first is not None and (of_items or len(first.split()) > 1)


def _is_array(stream: BinaryIO, name: str) -> bool:
    keys = keys_of_first(stream, name)
    return bool(keys & {*COLUMNS["video"], *COLUMNS["image"]}) and bool(keys & {*TEXTS})


def read_captions(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Caption | Described]:
    """What a caption list describes, each once and before its captions in a table, and its captions.

    A caption without an id of its own is called by what it describes: video7#0, video7#1...
    """
    if _is_array(stream, name):
        yield from _Array(name, problems).read(stream)
    elif lists_captions(stream, name, of_items=True):
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
        self._splits: dict[str, str] = {}  # of what is not of split test

    def described(self, called: str, kind: str, line: int, split: str = "test") -> Described:
        """What captions are of, shown by the file that it is called by, if it is called so."""
        if split != "test":
            self._splits[called] = split
        return Described(called, kind, called if media_type(called) else "", split, None, None, line)

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
            yield Caption(called, described, str(text), line, self._splits.get(described, "test"))


class _Json(_Reader):
    """{"videos": [{"video_id", "split", "path", ...}], "sentences": [{"video_id", "caption", "sen_id"}]}.

    Or {"images": [{"filename", "split", "sentences": [{"raw", "sentid"}]}]}, as Karpathy and Fei-Fei (2015) split COCO.
    """

    def read(self, stream: BinaryIO) -> Iterator[Caption | Described]:
        """All members of the lists, in the file's order."""
        for line, key, entry in json_members(stream, self.name, spread=LISTS):
            if key not in LISTS:
                continue
            if not isinstance(entry, dict):
                self.problems.note(FormatError(self.name, line, key, f"an entry of {key} is no object."))
            elif key in ("videos", "images"):
                for described in self._described(entry, key[:-1], line):
                    yield described
                    yield from self._own(described, entry.get("sentences"), line)
            else:
                of = first_of(entry, (*COLUMNS["video"], *COLUMNS["image"]))
                text, own_id = first_of(entry, COLUMNS["caption"]), first_of(entry, (*COLUMNS["id"], "id"))
                yield from self.caption(of, text, own_id, line)

    def _described(self, entry: Mapping[str, Any], kind: str, line: int) -> Iterator[Described]:
        called = as_id(first_of(entry, (*COLUMNS[kind], "id", "cocoid", "filename")))
        path, split = first_of(entry, ("path", "file_name", "file", "filename")), entry.get("split")
        faults = {"id": id_fault(called)}
        faults |= {field: "must be text" for field, value in (("path", path), ("split", split)) if not _is_text(value)}
        add_faults(faults, line, self.name, self.problems)
        if not any(faults.values()):
            times = entry.get("start time"), entry.get("end time")
            found = self.described(called, kind, line, split or "test")
            yield found._replace(path=path or "", start=times[0], end=times[1])

    def _own(self, described: Described, sentences: object, line: int) -> Iterator[Caption]:
        """The captions that stand in the entry of what they are of."""
        for number, entry in enumerate(sentences if isinstance(sentences, list) else (), start=1):
            place = f" {number} of {shown(described.id)}"
            said = entry if isinstance(entry, dict) else {}
            text, own_id = first_of(said, ("raw", *COLUMNS["caption"])), first_of(said, ("sentid", *COLUMNS["id"]))
            yield from self.caption(described.id, text, own_id, line, place)


class _Lists(_Reader):
    """{"video7": ["a man sings", "somebody sings"]}, as MSVD, VATEX and COCO are handed on, perhaps in one line."""

    _n_read = 0
    _has_words = False

    def read(self, stream: BinaryIO) -> Iterator[Caption | Described]:
        """Each key, and then its captions; one of several may be an object with a field for the text."""
        for line, key, value in json_members(stream, self.name):
            fault = id_fault(key) or ("" if isinstance(value, list) else "must have a list of captions")
            add_faults({"id" if id_fault(key) else f"id {shown(key)}": fault}, line, self.name, self.problems)
            if fault:
                continue
            yield self.described(key, kind.kind if (kind := media_type(key)) else "", line)
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


class _Array(_Reader):
    """[{"videoID": "v1", "enCap": ["a man sings"]}], or an entry a caption: [{"image": "1.jpg", "caption": "cat"}]."""

    def read(self, stream: BinaryIO) -> Iterator[Caption | Described]:
        """Each entry's captions, behind what they describe where that is new."""
        seen: set[str] = set()
        for line, _, entry in json_elements(stream, self.name):
            said = entry if isinstance(entry, dict) else {}
            kind = "video" if first_of(said, COLUMNS["video"]) is not None else "image"
            of, texts, split = as_id(first_of(said, COLUMNS[kind])), first_of(said, TEXTS), said.get("split")
            faults = {"id": id_fault(of), "split": "" if _is_text(split) else "must be text"}
            add_faults(faults, line, self.name, self.problems)
            if any(faults.values()):
                continue
            if of not in seen:
                seen.add(of)
                path = next((said[each] for each in COLUMNS[kind] if media_type(str(said.get(each)))), "")
                yield self.described(of, kind, line, split or "test")._replace(path=path)
            own_id = None if isinstance(texts, list) else first_of(said, (*COLUMNS["id"], "id"))
            for number, text in enumerate(texts if isinstance(texts, list) else [texts], start=1):
                yield from self.caption(of, text, own_id, line, f" {number} of {shown(of)}")


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
                    yield self.described(of, kind, number)
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
