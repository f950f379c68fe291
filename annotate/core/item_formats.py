"""Files of items: JSON lines, tables, BEIR folders, caption lists, topics.

A new format is a reader and one entry of SPECIAL, or of GENERAL where its first line could be of much else.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from annotate.core import captions, reading, topics
from annotate.core.formats import FormatError, Problems, id_fault
from annotate.core.id_lists import read_ids
from annotate.core.item_rows import FIELDS, FLAT, ItemRow, check_item, is_address
from annotate.core.json_files import keys_of_first, opens_dictionaries, opens_object_of_objects
from annotate.core.media_types import media_type
from annotate.core.mistaken import ITEMS, mistaken_for
from annotate.core.reference_formats import read_reference
from annotate.core.sources import Source

MEDIA_KINDS = ("video", "image", "audio")
TABLE_ENDS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
JSON_ENDS = (".jsonl", ".jsonl.gz", ".ndjson")
CAPTION_ENDS = (".json", ".json.gz", *TABLE_ENDS)
MISTAKEN_ENDS = (*JSON_ENDS, ".json", ".json.gz", ".txt", ".txt.gz", *TABLE_ENDS)
NO_ITEMS = (
    "this is one JSON object of objects, as labels {query: {document: grade}} and runs {query: {document: score}} have "
    "it. Load it as reference labels, or upload it as a run."
)
LIST_ENDS = (".txt", ".txt.gz", ".csv", ".csv.gz", ".tsv", ".tsv.gz")
ID_HEADERS = {
    "id", "ids", "doc_id", "docid", "docno", "document", "document_id", "corpus-id", "corpus_id", "item_id", "video_id",
    "videoid", "image_id", "imageid", "clip_id", "passage_id", "pid",
}  # fmt: skip
TOPIC_ENDS = (".txt", ".txt.gz", ".xml", ".topics", ".tsv", ".tsv.gz")


class Format(NamedTuple):
    """A kind of file: what it is called, whether a source is one, and its reader."""

    name: str
    sniff: Callable[[Source], bool]
    read: Callable[[Source, Problems], Iterator[ItemRow]]


def read_items(source: Source, problems: Problems) -> Iterator[ItemRow]:
    """The items of a file, folder or archive, whatever its format.

    What is wrong with single rows goes to `problems`. Raises FormatError for what is no collection at all.
    """
    yield from format_of(source).read(source, problems)


def format_of(source: Source) -> Format:
    """The first format of the table that the source is in. Raises FormatError when it is in none."""
    for known in FORMATS:
        if known.sniff(source):
            if known in GENERAL and (mistaken := _mistaken(source)):
                raise FormatError(source.name, 1, "", mistaken)
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise FormatError(source.name, None, "", f"{source.name} is empty or in no format known here ({names}).")


def _mistaken(source: Source) -> str:
    """The sentence for a file of labels or results; "" for any other."""
    name = _member(source, MISTAKEN_ENDS)
    if not name:
        return ""
    with source.open(name) as stream:
        if keys := keys_of_first(stream, name):
            named = ", ".join(sorted(keys)[:9])
            return (
                f"this is a JSON array whose first entry names {named}. In a list of captions each entry names a video "
                "or image (video_id, videoID, image...) and its caption, or captions in a list; other items are JSON "
                "lines."
            )
        if opens_dictionaries(stream, name) and opens_object_of_objects(stream, name) not in (*FIELDS, "parts"):
            return NO_ITEMS
    return mistaken_for(_first(source, MISTAKEN_ENDS), wanted=ITEMS)


def _read_json(source: Source, problems: Problems) -> Iterator[ItemRow]:
    name = _member(source, JSON_ENDS)
    with source.open(name) as stream:
        for number, record in reading.json_objects(stream, name, problems):
            yield from check_item(record, name, number, problems)


def _read_table(source: Source, problems: Problems) -> Iterator[ItemRow]:
    name = _member(source, TABLE_ENDS)
    with source.open(name) as stream:
        header = reading.header_of(stream, name)
        for column in ("side", "id"):
            if column not in header:
                raise FormatError(
                    name, 1, column, f'the header has no column "{column}"; it names {", ".join(header)}.'
                )
        # a table without a column for anything to show is of items that are known by their ids alone
        shown: dict[str, object] = {} if {*FLAT} & {*header} else {"parts": []}
        for number, cells in reading.table_rows(stream, name, problems):
            item = {field: cell for field, cell in cells.items() if cell}
            yield from check_item(item | shown, name, number, problems)


def _read_beir(source: Source, problems: Problems) -> Iterator[ItemRow]:
    """Queries get the split of the qrels file that names them first; those in none of them the split "unused"."""
    splits = _splits(source, problems)
    for name, side in ((_beir(source, "corpus"), "document"), (_beir(source, "queries"), "query")):
        with source.open(name) as stream:
            for number, record in reading.json_objects(stream, name, problems):
                split = splits.get(str(record.get("_id")), "unused") if side == "query" and splits else "test"
                parts = [
                    {"kind": "text", "text": record[field]}
                    for field in ("title", "text")
                    if isinstance(record.get(field), str) and record[field].strip()
                ]
                item = {"side": side, "id": record.get("_id"), "split": split, "parts": parts}
                yield from check_item(item, name, number, problems)


def _read_captions(source: Source, problems: Problems) -> Iterator[ItemRow]:
    """Captions are the queries, what they are of the documents: with the file of its name where the source has one."""
    name = caption_list(source)
    files = {(kind.kind, _bare(path)): path for path in source.names() if (kind := media_type(path))}
    with source.open(name) as stream:
        for row in captions.read_captions(stream, name, problems):
            if isinstance(row, captions.Caption):
                parts = [{"kind": "text", "text": row.text}]
                item = {"side": "query", "id": row.id, "split": row.split, "parts": parts}
            else:
                item = {"side": "document", "id": row.id, "split": row.split, "parts": _shown(_found(row, files), row)}
            for checked in check_item(item, name, row.line, problems):
                yield checked._replace(may_lack_files=True)


def _bare(path: str) -> str:
    """A file's name without folders and without its ending, where that is one of a medium."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] if media_type(name) else name


def _found(row: captions.Described, files: Mapping[tuple[str, str], str]) -> tuple[str, str]:
    """Kind and path of what captions are of: the file of its name, of any kind where the list does not say which."""
    bare = _bare(row.path or row.id)
    kinds = [row.kind] if row.kind else list(MEDIA_KINDS)
    return next(((kind, files[kind, bare]) for kind in kinds if (kind, bare) in files), (row.kind, row.path))


def _shown(found: tuple[str, str], row: captions.Described) -> list[dict[str, object]]:
    """The one part; its times are those of the file that the list names, not of a clip cut from it."""
    kind, path = found
    times = {"start": row.start, "end": row.end} if kind == "video" and path == row.path else {}
    return [{"kind": kind, "path": path, **times}] if media_type(path) or is_address(path) else []


def caption_list(source: Source) -> str:
    """The caption list among the files; "" where there is none."""
    name = _member(source, CAPTION_ENDS)
    if not name:
        return ""
    with source.open(name) as stream:
        if captions.is_caption_list(opens_object_of_objects(stream, name)):
            return name
        if captions.lists_captions(stream, name, of_items=True):
            return name
    return name if captions.is_caption_header(_first(source, CAPTION_ENDS)) else ""


def _read_topics(source: Source, problems: Problems) -> Iterator[ItemRow]:
    name = _member(source, TOPIC_ENDS)
    read = topics.read_tagged if topics.is_tagged(_first(source, TOPIC_ENDS)) else topics.read_listed
    with source.open(name) as stream:
        for topic in read(stream, name, problems):
            parts = [{"kind": "text", "text": text} for text in topic.texts]
            yield from check_item({"side": "query", "id": topic.id, "parts": parts}, name, topic.line, problems)


def _splits(source: Source, problems: Problems) -> dict[str, str]:
    splits: dict[str, str] = {}
    # test first: a query that is named by several files is there to be tested
    for name in sorted(beir_qrels(source), key=lambda name: (_stem(name) != "test", name)):
        with source.open(name) as stream:
            for row in read_reference(stream, name, problems):
                splits.setdefault(row.query, _stem(name)[:20])
    return splits


def beir_qrels(source: Source) -> list[str]:
    """The label files of a BEIR folder."""
    return [name for name in source.names() if name.startswith("qrels/") and name.endswith((".tsv", ".tsv.gz"))]


def label_files(source: Source) -> list[str]:
    """The files of a collection that hold labels: those of a BEIR folder, or the caption list itself."""
    if is_beir(source):
        return beir_qrels(source)
    name = caption_list(source)
    return [name] if name else []


def reference_name(name: str) -> str:
    """What a label file's reference set is called: "original", but for a BEIR folder's other splits than test."""
    return _stem(name) if name.startswith("qrels/") and _stem(name) != "test" else "original"


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]


def _beir(source: Source, stem: str) -> str:
    return next((name for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz") if source.holds(name)), "")


def is_beir(source: Source) -> bool:
    """Whether these are the files of a BEIR folder."""
    return bool(_beir(source, "corpus") and _beir(source, "queries"))


def _is_topics(source: Source) -> bool:
    first = _first(source, TOPIC_ENDS)
    return topics.is_tagged(first) or topics.is_listed(first)


def _is_json(source: Source) -> bool:
    return _first(source, JSON_ENDS).lstrip().startswith("{")


def _is_table(source: Source) -> bool:
    return bool(_first(source, TABLE_ENDS))


def _is_id_list(source: Source) -> bool:
    """Whether the first line of a text file is one word that could be an id, and so no header of a table."""
    if not _member(source, LIST_ENDS).endswith(LIST_ENDS):
        return False
    first = _first(source, LIST_ENDS).strip()
    return bool(first) and not id_fault(first) and not first.startswith(("{", "[", "<")) and not set(first) & set(",;")


def _read_ids(source: Source, problems: Problems) -> Iterator[ItemRow]:
    """Documents that are known by their ids alone, one a line; a first line that only names them is left out."""
    name = _member(source, LIST_ENDS)
    with source.open(name) as stream:
        for place, row in enumerate(read_ids(stream, name, problems)):
            # a table of one column may have its cells in quotes
            called = row.id[1:-1] if len(row.id) > 1 and row.id[0] == row.id[-1] == '"' else row.id
            if place or called.lower() not in ID_HEADERS:
                yield from check_item({"side": "document", "id": called, "parts": []}, name, row.line, problems)


def _first(source: Source, ends: tuple[str, ...]) -> str:
    name = _member(source, ends)
    if not name:
        return ""
    with source.open(name) as stream:
        return reading.first_line(stream, name)


def _member(source: Source, ends: tuple[str, ...]) -> str:
    """The one file of items: the only one there is, or the one at the top with such an ending."""
    names = [name for name in source.names() if "/" not in name]
    if len(names) == 1:
        return names[0]
    fitting = [name for name in names if name.endswith(ends)]
    called = [name for name in fitting if _stem(name) == "collection"]
    return (called or fitting)[0] if len(called or fitting) == 1 else ""


SPECIAL = (
    Format("BEIR folder", is_beir, _read_beir),
    Format("caption list", lambda source: bool(caption_list(source)), _read_captions),
    Format("TREC topics", _is_topics, _read_topics),
)
GENERAL = (
    Format("JSON lines", _is_json, _read_json),
    Format("list of document ids", _is_id_list, _read_ids),
    Format("CSV or TSV", _is_table, _read_table),
)
FORMATS = (*SPECIAL, *GENERAL)
