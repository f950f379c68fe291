"""Files of items: JSON lines, tables, BEIR folders, caption lists, topics, texts and media alone.

A new format is a reader and one entry of SPECIAL, or of GENERAL where its first line could be of
much else. A file of any other shape is read by columns that somebody chose.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from annotate.core.files import text_files
from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError, Problems, id_fault
from annotate.core.files.items import topics
from annotate.core.files.items.documents_by_id import read_documents
from annotate.core.files.items.item_columns import ItemColumns, are_captions
from annotate.core.files.items.item_rows import FIELDS, FLAT, ItemRow, check_item, is_address
from annotate.core.files.items.loose_files import are_loose_files, read_loose_files
from annotate.core.files.items.mapped_files import read_mapped_items
from annotate.core.files.json_files import (
    keys_of_first,
    opens_dictionaries,
    opens_object_of_objects,
)
from annotate.core.files.media_types import media_type
from annotate.core.files.misplaced_files import ITEMS, misplaced_sentence
from annotate.core.files.references import captions
from annotate.core.files.references.reference_formats import read_reference

MEDIA_KINDS = ("video", "image", "audio")
TABLE_ENDS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
JSON_ENDS = (".jsonl", ".jsonl.gz", ".ndjson")
CAPTION_ENDS = (".json", ".json.gz", *TABLE_ENDS)
MISPLACED_ENDS = (*JSON_ENDS, ".json", ".json.gz", ".txt", ".txt.gz", *TABLE_ENDS)
NO_ITEMS = (
    "this is one JSON object of objects, as labels {query: {document: grade}} and runs "
    "{query: {document: score}} have it. Load it as reference labels, or upload it as a run."
)
LIST_ENDS = (".txt", ".txt.gz", ".csv", ".csv.gz", ".tsv", ".tsv.gz")
TOPIC_ENDS = (".txt", ".txt.gz", ".xml", ".topics", ".tsv", ".tsv.gz")


class ItemFileFormat(NamedTuple):
    """A format of item files: its name, a test whether a source is in it, and its reader.

    sentence : what such a file holds, and what becomes of it
    has_columns : True if names of columns, or keys, say what is what
    """

    name: str
    sentence: str
    sniff: Callable[[Source], bool]
    read: Callable[[Source, Problems], Iterator[ItemRow]]
    has_columns: bool = False


def read_items(
    source: Source, problems: Problems, columns: ItemColumns | None = None
) -> Iterator[ItemRow]:
    """Yield the items of a file, folder or archive, whatever its format.

    columns : what the columns of the source's table are taken for; without them its format tells
    Faults of single rows go to `problems`. Raises FormatError for a source that is no collection.
    """
    if columns:
        name = mapped_file(source)
        with source.open(name) as stream:
            yield from read_mapped_items(stream, name, problems, columns)
        return
    yield from format_of(source).read(source, problems)


def mapped_file(source: Source) -> str:
    """Return the name of the table, JSON lines or JSON array whose columns can be chosen.

    Raises FormatError where the source has none, or several.
    """
    if name := _member(source, MISPLACED_ENDS):
        return name
    message = f"{source.name} holds no table, or several, so no columns can be chosen."
    raise FormatError(source.name, None, "columns", message)


def format_of(source: Source) -> ItemFileFormat:
    """Return the first format that fits the source. Raises FormatError if none fits."""
    for file_format in FORMATS:
        if file_format.sniff(source):
            if file_format in GENERAL and (sentence := _misplaced_sentence(source)):
                raise FormatError(source.name, 1, "", sentence)
            return file_format
    names = ", ".join(file_format.name for file_format in FORMATS)
    raise FormatError(
        source.name,
        None,
        "",
        f"{source.name} is empty or in no format known here ({names}). Of a table or JSON in "
        "another shape choose what its columns are.",
    )


def _misplaced_sentence(source: Source) -> str:
    """Return the sentence for a file of labels or results; "" for any other file."""
    name = _member(source, MISPLACED_ENDS)
    if not name:
        return ""
    with source.open(name) as stream:
        if keys := keys_of_first(stream, name):
            first_keys = ", ".join(sorted(keys)[:9])
            return (
                f"this is a JSON array whose first entry names {first_keys}. In a list of captions "
                "each entry names a video or image (video_id, videoID, image...) and its caption, "
                "or captions in a list; other items are JSON lines."
            )
        if opens_dictionaries(stream, name) and opens_object_of_objects(stream, name) not in (
            *FIELDS,
            "parts",
        ):
            return NO_ITEMS
    return misplaced_sentence(_first_line(source, MISPLACED_ENDS), expected=ITEMS)


def _read_json(source: Source, problems: Problems) -> Iterator[ItemRow]:
    name = _member(source, JSON_ENDS)
    with source.open(name) as stream:
        for number, record in text_files.json_objects(stream, name, problems):
            yield from check_item(record, name, number, problems)


def _read_table(source: Source, problems: Problems) -> Iterator[ItemRow]:
    name = _member(source, TABLE_ENDS)
    with source.open(name) as stream:
        header = text_files.header_of(stream, name)
        for column in ("side", "id"):
            if column not in header:
                raise FormatError(
                    name,
                    1,
                    column,
                    f'the header has no column "{column}"; it names {", ".join(header)}.',
                )
        # a table without a column to show holds items that are known by their ids alone
        default_fields: dict[str, object] = {} if {*FLAT} & {*header} else {"parts": []}
        for number, cells in text_files.table_rows(stream, name, problems):
            fields = {field: cell for field, cell in cells.items() if cell}
            yield from check_item(fields | default_fields, name, number, problems)


def _read_beir(source: Source, problems: Problems) -> Iterator[ItemRow]:
    """A query has the split of the first qrels file that names it; else its split is "unused"."""
    splits = _splits(source, problems)
    for name, side in (
        (_beir_file(source, "corpus"), "document"),
        (_beir_file(source, "queries"), "query"),
    ):
        with source.open(name) as stream:
            for number, record in text_files.json_objects(stream, name, problems):
                split = (
                    splits.get(str(record.get("_id")), "unused")
                    if side == "query" and splits
                    else "test"
                )
                parts = [
                    {"kind": "text", "text": record[field]}
                    for field in ("title", "text")
                    if isinstance(record.get(field), str) and record[field].strip()
                ]
                fields = {"side": side, "id": record.get("_id"), "split": split, "parts": parts}
                yield from check_item(fields, name, number, problems)


def _read_captions(source: Source, problems: Problems) -> Iterator[ItemRow]:
    """Captions are queries, their media documents, with the source's file of the same name."""
    name = caption_list(source)
    files = {
        (kind.kind, _bare_name(path)): path for path in source.names() if (kind := media_type(path))
    }
    with source.open(name) as stream:
        for row in captions.read_captions(stream, name, problems):
            if isinstance(row, captions.Caption):
                parts = [{"kind": "text", "text": row.text}]
                fields = {"side": "query", "id": row.id, "split": row.split, "parts": parts}
            else:
                fields = {
                    "side": "document",
                    "id": row.id,
                    "split": row.split,
                    "parts": _media_parts(row, files),
                }
            for item in check_item(fields, name, row.line, problems):
                yield item._replace(may_lack_files=True)


def _bare_name(path: str) -> str:
    """A file's name without folders, and without its ending if that is one of a medium."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] if media_type(name) else name


def _media_parts(
    row: captions.CaptionedMedium, files: Mapping[tuple[str, str], str]
) -> list[dict[str, object]]:
    """The one part of a medium: the file of its name, of any kind if none is given.

    Times apply to the file that the list names, not to a clip cut from it.
    """
    bare_name = _bare_name(row.path or row.id)
    kinds = [row.kind] if row.kind else list(MEDIA_KINDS)
    kind, path = next(
        ((kind, files[kind, bare_name]) for kind in kinds if (kind, bare_name) in files),
        (row.kind, row.path),
    )
    times = {"start": row.start, "end": row.end} if kind == "video" and path == row.path else {}
    return [{"kind": kind, "path": path, **times}] if media_type(path) or is_address(path) else []


def caption_list(source: Source) -> str:
    """The name of the caption list among the files; "" if there is none."""
    name = _member(source, CAPTION_ENDS)
    if not name:
        return ""
    with source.open(name) as stream:
        if captions.is_caption_list(opens_object_of_objects(stream, name)):
            return name
        if captions.lists_captions(stream, name, of_items=True):
            return name
    return name if captions.is_caption_header(_first_line(source, CAPTION_ENDS)) else ""


def _read_topics(source: Source, problems: Problems) -> Iterator[ItemRow]:
    name = _member(source, TOPIC_ENDS)
    read_topics = (
        topics.read_tagged
        if topics.is_tagged(_first_line(source, TOPIC_ENDS))
        else topics.read_listed
    )
    with source.open(name) as stream:
        for topic in read_topics(stream, name, problems):
            parts = [{"kind": "text", "text": text} for text in topic.texts]
            yield from check_item(
                {"side": "query", "id": topic.id, "parts": parts}, name, topic.line, problems
            )


def _splits(source: Source, problems: Problems) -> dict[str, str]:
    splits: dict[str, str] = {}
    # test first: a query in several files is a test query
    for name in sorted(beir_qrels(source), key=lambda name: (_stem(name) != "test", name)):
        with source.open(name) as stream:
            for row in read_reference(stream, name, problems):
                splits.setdefault(row.query, _stem(name)[:20])
    return splits


def beir_qrels(source: Source) -> list[str]:
    """The label files of a BEIR folder."""
    return [
        name
        for name in source.names()
        if name.startswith("qrels/") and name.endswith((".tsv", ".tsv.gz"))
    ]


def label_files(source: Source, columns: ItemColumns | None = None) -> list[str]:
    """Names of a collection's label files: those of a BEIR folder, or the caption list itself.

    columns : of a file read by them it is the file itself, if they tell labels
    """
    if columns:
        return [mapped_file(source)] if "grade" in columns or are_captions(columns) else []
    if is_beir(source):
        return beir_qrels(source)
    name = caption_list(source)
    return [name] if name else []


def reference_name(name: str) -> str:
    """Name of a label file's reference set: a BEIR split other than test, else "original"."""
    return _stem(name) if name.startswith("qrels/") and _stem(name) != "test" else "original"


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]


def _beir_file(source: Source, stem: str) -> str:
    return next((name for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz") if source.holds(name)), "")


def is_beir(source: Source) -> bool:
    """True if the source is a BEIR folder."""
    return bool(_beir_file(source, "corpus") and _beir_file(source, "queries"))


def is_topics(source: Source) -> bool:
    """True if the source is a text file of TREC topics."""
    first_line = _first_line(source, TOPIC_ENDS)
    return topics.is_tagged(first_line) or topics.is_id_and_text(first_line)


def _is_id_list(source: Source) -> bool:
    """True if a text file's first line is one word that may be an id, and so no table header."""
    if not _member(source, LIST_ENDS).endswith(LIST_ENDS):
        return False
    first_line = _first_line(source, LIST_ENDS).strip()
    return (
        bool(first_line)
        and not id_fault(first_line)
        and not first_line.startswith(("{", "[", "<"))
        and not set(first_line) & set(",;")
    )


def _read_ids(source: Source, problems: Problems) -> Iterator[ItemRow]:
    name = _member(source, LIST_ENDS)
    with source.open(name) as stream:
        yield from read_documents(stream, name, problems)


def _first_line(source: Source, endings: tuple[str, ...]) -> str:
    name = _member(source, endings)
    if not name:
        return ""
    with source.open(name) as stream:
        return text_files.first_line(stream, name)


def _member(source: Source, endings: tuple[str, ...]) -> str:
    """Name of the file of items: the only file, or the only top-level one with such an ending."""
    names = [name for name in source.names() if "/" not in name]
    if len(names) == 1:
        return names[0]
    candidates = [name for name in names if name.endswith(endings)]
    collections = [name for name in candidates if _stem(name) == "collection"]
    return (collections or candidates)[0] if len(collections or candidates) == 1 else ""


SPECIAL = (
    ItemFileFormat(
        "BEIR folder",
        "corpus.jsonl holds the documents, queries.jsonl the queries, qrels/ the reference labels.",
        is_beir,
        _read_beir,
    ),
    ItemFileFormat(
        "caption list",
        "Captions become the queries, the videos or images that they are of the documents, and "
        'each caption with its own one the reference set "original".',
        lambda source: bool(caption_list(source)),
        _read_captions,
        has_columns=True,
    ),
    ItemFileFormat(
        "TREC topics", "Topics become queries, with all their texts.", is_topics, _read_topics
    ),
    ItemFileFormat(
        "texts and media without a table",
        "Each file becomes a document, named by its file name.",
        are_loose_files,
        read_loose_files,
    ),
)
GENERAL = (
    ItemFileFormat(
        "JSON lines",
        "Each line is an item; its keys say what is what.",
        lambda source: _first_line(source, JSON_ENDS).lstrip().startswith("{"),
        _read_json,
        has_columns=True,
    ),
    ItemFileFormat(
        "list of document ids",
        "Each line is the id of a document.",
        _is_id_list,
        _read_ids,
    ),
    ItemFileFormat(
        "CSV or TSV",
        "Each row is an item; the names of the columns say what is what.",
        lambda source: bool(_first_line(source, TABLE_ENDS)),
        _read_table,
        has_columns=True,
    ),
)
FORMATS = (*SPECIAL, *GENERAL)
