"""Files of items: JSON lines, tables, BEIR folders. A new format is a reader and one entry of FORMATS."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from annotate.core import reading
from annotate.core.formats import FormatError, Problems
from annotate.core.item_rows import ItemRow, check_item
from annotate.core.reference_formats import read_reference
from annotate.core.sources import Source

TABLE_ENDS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
JSON_ENDS = (".jsonl", ".jsonl.gz", ".ndjson")


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
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise FormatError(source.name, None, "", f"{source.name} is empty or in no format known here ({names}).")


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
        for number, cells in reading.table_rows(stream, name, problems):
            yield from check_item({field: cell for field, cell in cells.items() if cell}, name, number, problems)


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


def reference_name(name: str) -> str:
    """What a label file's reference set is called: "original" for the test split, else the split."""
    return "original" if _stem(name) == "test" else _stem(name)


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]


def _beir(source: Source, stem: str) -> str:
    return next((name for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz") if source.holds(name)), "")


def is_beir(source: Source) -> bool:
    """Whether these are the files of a BEIR folder."""
    return bool(_beir(source, "corpus") and _beir(source, "queries"))


def _is_json(source: Source) -> bool:
    return _first(source, JSON_ENDS).lstrip().startswith("{")


def _is_table(source: Source) -> bool:
    return bool(_first(source, TABLE_ENDS))


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


FORMATS = (
    Format("BEIR folder", is_beir, _read_beir),
    Format("JSON lines", _is_json, _read_json),
    Format("CSV or TSV", _is_table, _read_table),
)
