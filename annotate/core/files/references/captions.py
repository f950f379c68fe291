"""Lists of captions, many of one video or image: in the JSON forms of the field, or in a table."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from annotate.core.files import text_files
from annotate.core.files.formats import FormatError, Problems, add_faults, id_fault, quoted
from annotate.core.files.json_files import (
    first_element,
    json_elements,
    json_members,
    keys_of_first,
    keys_of_lists,
    opens_object_of_objects,
)
from annotate.core.files.media_types import media_type

COLUMNS = {  # names in use; a video or image column says which of the two the captions describe
    "video": ("video_id", "video", "videoID"),
    "image": ("image_id", "image", "image_name"),
    "caption": ("caption", "sentence", "comment"),
    "id": ("caption_id", "sen_id", "sentence_id", "key"),
}
# VATEX's English ones; it has Chinese ones beside them
TEXTS = (*COLUMNS["caption"], "captions", "sentences", "enCap")
# a line of JSON lines may begin with an item's parts
ITEM_FIELDS = frozenset({"side", "id", "parts"})
SINGLE_WORDS = 20
LISTS = frozenset({"videos", "images", "sentences", "annotations"})


class Caption(NamedTuple):
    """One caption and the id of the video or image it describes, whose split it shares."""

    id: str
    media_id: str
    text: str
    line: int
    split: str = "test"


class CaptionedMedium(NamedTuple):
    """A video or image with captions.

    kind : video or image; "" where the file does not say. path : "" where the file names none.
    start, end : seconds, or None
    """

    id: str
    kind: str
    path: str
    split: str
    start: object
    end: object
    line: int


def is_caption_header(first_line: str) -> bool:
    """True if the first line of a table is the header of a caption list."""
    cells = [cell.strip().strip('"') for cell in first_line.replace("\t", ",").split(",")]
    has_column = {field: any(cell in names for cell in cells) for field, names in COLUMNS.items()}
    return (
        has_column["caption"]
        and (has_column["video"] or has_column["image"])
        and not {"side", "query", "query-id"} & {*cells}
    )


def is_caption_list(first_key: str | None) -> bool:
    """True if a JSON object's first key is a caption list's; MSR-VTT's files begin with "info"."""
    return first_key in {*LISTS, "info"}


def lists_captions(stream: BinaryIO, name: str, *, of_items: bool = False) -> bool:
    """True if a file is an object {id: [captions]} or an array [{"image": id, "caption": ...}].

    of_items : True where the file is known to hold items; else its first text must have a blank in
        it, because a list of positives looks the same with ids instead of texts
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


def read_captions(
    stream: BinaryIO, name: str, problems: Problems
) -> Iterator[Caption | CaptionedMedium]:
    """Yield the media and the captions of a caption list; a medium comes once, before its captions.

    A caption without an id is named after its medium: video7#0, video7#1...
    """
    if _is_array(stream, name):
        yield from _CaptionArray(name, problems).read(stream)
    elif lists_captions(stream, name, of_items=True):
        yield from _CaptionLists(name, problems).read(stream)
    elif text_files.begins_with(stream, b"{"):
        yield from _CaptionJson(name, problems).read(stream)
    else:
        yield from _CaptionTable(name, problems).read(stream)


class _CaptionReader:
    """Checks captions and numbers those without an id."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name, self.problems = name, problems
        self._numbers: Counter[str] = Counter()
        self._splits: dict[str, str] = {}  # of media whose split is not "test"

    def medium(self, media_id: str, kind: str, line: int, split: str = "test") -> CaptionedMedium:
        """The captioned medium; an id that is a media file's name is its path and tells its kind.

        kind : as the file's words have it; columns of images are called video too
        """
        if split != "test":
            self._splits[media_id] = split
        known_type = media_type(media_id)
        path, kind = (media_id, known_type.kind) if known_type else ("", kind)
        return CaptionedMedium(media_id, kind, path, split, None, None, line)

    def caption(
        self, raw_id: object, text: object, own_id: object, line: int, position: str = ""
    ) -> Iterator[Caption]:
        """Yield the caption, or nothing and add its faults to the problems.

        position : its position, such as " 2 of video7", for files where the line does not tell it
        """
        media_id, given_id = as_id(raw_id), as_id(own_id)
        faults = {"id": id_fault(media_id)}
        if not isinstance(text, str) or not text.strip():
            faults[f"caption{position}"] = "is missing or blank"
        if given_id:
            faults[f"the id of caption{position}" if position else "caption id"] = id_fault(
                given_id
            )
        add_faults(faults, line, self.name, self.problems)
        if not any(faults.values()):
            caption_id = given_id or f"{media_id}#{self._numbers[media_id]}"
            self._numbers[media_id] += 1
            yield Caption(caption_id, media_id, str(text), line, self._splits.get(media_id, "test"))


class _CaptionJson(_CaptionReader):
    """{"videos": [{"video_id", "split"...}], "sentences": [{"video_id", "caption", "sen_id"}]}.

    Or {"images": [{"filename", "split", "sentences": [{"raw", "sentid"}]}]}, as Karpathy and
    Fei-Fei (2015) split COCO.
    """

    def read(self, stream: BinaryIO) -> Iterator[Caption | CaptionedMedium]:
        """Yield the media and captions of all lists, in the file's order."""
        for line, key, entry in json_members(stream, self.name, spread=LISTS):
            if key not in LISTS:
                continue
            if not isinstance(entry, dict):
                self.problems.add_or_stop(
                    FormatError(self.name, line, key, f"an entry of {key} is no object.")
                )
            elif key in ("videos", "images"):
                for medium in self._media(entry, key[:-1], line):
                    yield medium
                    yield from self._captions_in_entry(medium, entry.get("sentences"), line)
            else:
                media_id = first_of(entry, (*COLUMNS["video"], *COLUMNS["image"]))
                text = first_of(entry, COLUMNS["caption"])
                own_id = first_of(entry, (*COLUMNS["id"], "id"))
                yield from self.caption(media_id, text, own_id, line)

    def _media(self, entry: Mapping[str, Any], kind: str, line: int) -> Iterator[CaptionedMedium]:
        media_id = as_id(first_of(entry, (*COLUMNS[kind], "id", "cocoid", "filename")))
        path, split = first_of(entry, ("path", "file_name", "file", "filename")), entry.get("split")
        faults = {"id": id_fault(media_id)}
        faults |= {
            field: "must be text"
            for field, value in (("path", path), ("split", split))
            if not _is_text(value)
        }
        add_faults(faults, line, self.name, self.problems)
        if not any(faults.values()):
            times = entry.get("start time"), entry.get("end time")
            medium = self.medium(media_id, kind, line, split or "test")
            yield medium._replace(path=path or "", start=times[0], end=times[1])

    def _captions_in_entry(
        self, medium: CaptionedMedium, sentences: object, line: int
    ) -> Iterator[Caption]:
        """Yield the captions inside the entry of their medium."""
        for number, entry in enumerate(sentences if isinstance(sentences, list) else (), start=1):
            position = f" {number} of {quoted(medium.id)}"
            fields = entry if isinstance(entry, dict) else {}
            text = first_of(fields, ("raw", *COLUMNS["caption"]))
            own_id = first_of(fields, ("sentid", *COLUMNS["id"]))
            yield from self.caption(medium.id, text, own_id, line, position)


class _CaptionLists(_CaptionReader):
    """{"video7": ["a man sings", "somebody sings"]}, as in MSVD, VATEX and COCO, often one line."""

    _n_read = 0
    _has_words = False

    def read(self, stream: BinaryIO) -> Iterator[Caption | CaptionedMedium]:
        """Yield each key's medium, then its captions; one may be an object with a text field."""
        for line, key, captions in json_members(stream, self.name):
            fault = id_fault(key) or (
                "" if isinstance(captions, list) else "must have a list of captions"
            )
            add_faults(
                {"id" if id_fault(key) else f"id {quoted(key)}": fault},
                line,
                self.name,
                self.problems,
            )
            if fault:
                continue
            yield self.medium(key, kind.kind if (kind := media_type(key)) else "", line)
            for number, entry in enumerate(captions, start=1):
                position = f" {number} of {quoted(key)}"
                if isinstance(entry, dict):
                    own_id = first_of(entry, (*COLUMNS["id"], "id"))
                    entry_captions = self.caption(
                        key, first_of(entry, COLUMNS["caption"]), own_id, line, position
                    )
                else:
                    entry_captions = self.caption(key, entry, None, line, position)
                for caption in entry_captions:
                    self._require_words(caption)
                    yield caption

    def _require_words(self, caption: Caption) -> None:
        """Raise FormatError where the first captions are all single ASCII words, as ids are."""
        self._n_read += 1
        self._has_words |= len(caption.text.split()) > 1 or not caption.text.isascii()
        if self._n_read == SINGLE_WORDS and not self._has_words:
            message = (
                f"the first {SINGLE_WORDS} texts are single words, so they look like ids: lists of "
                "positives are loaded as reference labels, a run is uploaded as a run."
            )
            raise FormatError(self.name, caption.line, "", message)


class _CaptionArray(_CaptionReader):
    """[{"videoID": "v1", "enCap": ["a man sings"]}], or an entry per caption.

    Then it is [{"image": "1.jpg", "caption": "cat"}].
    """

    def read(self, stream: BinaryIO) -> Iterator[Caption | CaptionedMedium]:
        """Yield each entry's captions, after their medium where it is new."""
        media_ids: set[str] = set()
        for line, _, entry in json_elements(stream, self.name):
            fields = entry if isinstance(entry, dict) else {}
            kind = "video" if first_of(fields, COLUMNS["video"]) is not None else "image"
            media_id = as_id(first_of(fields, COLUMNS[kind]))
            texts = first_of(fields, TEXTS)
            split = fields.get("split")
            faults = {"id": id_fault(media_id), "split": "" if _is_text(split) else "must be text"}
            add_faults(faults, line, self.name, self.problems)
            if any(faults.values()):
                continue
            if media_id not in media_ids:
                media_ids.add(media_id)
                path = next(
                    (
                        fields[column]
                        for column in COLUMNS[kind]
                        if media_type(str(fields.get(column)))
                    ),
                    "",
                )
                yield self.medium(media_id, kind, line, split or "test")._replace(path=path)
            own_id = None if isinstance(texts, list) else first_of(fields, (*COLUMNS["id"], "id"))
            for number, text in enumerate(texts if isinstance(texts, list) else [texts], start=1):
                yield from self.caption(
                    media_id, text, own_id, line, f" {number} of {quoted(media_id)}"
                )


class _CaptionTable(_CaptionReader):
    """Columns video_id (or image...), caption, and perhaps an id of the caption."""

    def read(self, stream: BinaryIO) -> Iterator[Caption | CaptionedMedium]:
        """Yield each row's caption, after its medium where it is new."""
        header = text_files.header_of(stream, self.name)
        columns = {
            field: next((column for column in header if column in names), "")
            for field, names in COLUMNS.items()
        }
        kind = "video" if columns["video"] else "image"
        media_ids: set[str] = set()
        for number, cells in text_files.table_rows(stream, self.name, self.problems):
            media_id = cells[columns[kind]].strip()
            own_id = cells[columns["id"]].strip() if columns["id"] else ""
            for caption in self.caption(media_id, cells[columns["caption"]], own_id, number):
                if media_id not in media_ids:
                    media_ids.add(media_id)
                    yield self.medium(media_id, kind, number)
                yield caption


def first_of(entry: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the value of the first of these fields that is present, else None."""
    return next((entry[name] for name in names if entry.get(name) is not None), None)


def as_id(value: object) -> str:
    """A text or whole number as an id; "" for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)
