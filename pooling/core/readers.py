"""Runs as JSON lines, and as tables with a header."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from annotate.core.formats import FormatError, Problems, finite_number, id_fault, shown
from annotate.core.reading import header_of, json_objects, numbered_header, table_rows

NO_HEADER = "Of a table without a header give the numbers of its columns."
LARGEST_RANK = 2**31 - 1
COLUMNS = {
    "query": ("query", "query_id", "query-id", "qid", "q_id", "source"),
    "document": ("document", "document_id", "doc_id", "docid", "docno", "corpus-id", "corpus_id", "target", "pid"),
    "score": ("score", "similarity"),
    "rank": ("rank",),
}


class Row(NamedTuple):
    """One row of a run: its line, two ids, a finite score, and the rank the file gives, 0 where it gives none."""

    line: int
    source: str
    target: str
    score: float
    rank: int


def read_jsonl(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Row]:
    """Rows of JSON lines: {"query", "document", "score"} a row, or {"query", "ranking": [[document, score], ...]}.

    Ids are texts or whole numbers. What is wrong with a line becomes a problem.
    """
    return checked(_json_rows(json_objects(stream, name, problems), name, problems), name, problems)


def _json_rows(
    records: Iterable[tuple[int, dict[str, Any]]], name: str, problems: Problems
) -> Iterator[tuple[Any, ...]]:
    for number, record in records:
        ranking = record.get("ranking")
        if "ranking" not in record:
            found = record.get("document"), record.get("score"), record.get("rank")
            yield number, record.get("query"), *found
        elif isinstance(ranking, list) and all(isinstance(each, list) and len(each) == 2 for each in ranking):
            for rank, (document, score) in enumerate(ranking, start=1):
                yield number, record.get("query"), document, score, rank
        else:
            message = "ranking is not a list of [document, score] pairs."
            problems.note(FormatError(name, number, "ranking", message))


def read_table(
    stream: BinaryIO, name: str, problems: Problems, numbers: Mapping[str, int] | None = None
) -> Iterator[Row]:
    """Rows of a table: columns query, document, score or rank or both; commas or tabs.

    numbers : of a table without a header: the numbers of these columns, from 1
    What is wrong with a row becomes a problem. Raises FormatError for a header that lacks a column, or a number beyond
    the first line's columns.
    """
    if numbers:
        columns = dict.fromkeys(COLUMNS, "") | numbered_header(stream, name, numbers)
    else:
        columns = columns_of(header_of(stream, name), name, may_be_ranks=True)
    rows = table_rows(stream, name, problems, has_header=not numbers)
    return checked(_cells(rows, columns), name, problems)


def columns_of(header: Sequence[str], name: str, *, may_be_ranks: bool = False) -> dict[str, str]:
    """What query, document, score and rank are called in a header; "" for a score or a rank that it does not name.

    may_be_ranks : whether a rank may stand for the score
    Raises FormatError where it names no query, no document or no score.
    """
    columns = {field: next((each for each in names if each in header), "") for field, names in COLUMNS.items()}
    for field in ("query", "document", "score"):
        if not columns[field] and not (field == "score" and may_be_ranks and columns["rank"]):
            wanted = "the first line should read query,document,score"
            message = f"the header names no column {field}; {wanted}. {NO_HEADER}"
            raise FormatError(name, 1, field, message)
    return columns


def _cells(rows: Iterable[tuple[int, dict[str, str]]], columns: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    query, document, score, rank = (columns[field] for field in ("query", "document", "score", "rank"))
    for number, cells in rows:
        place = cells[rank].strip(" \t") if rank else ""
        known = int(place) if place.isascii() and place.isdigit() and len(place) <= 10 else None
        # a table of ranks alone is ordered by them
        value = cells[score].strip(" \t") if score else -known if known else None
        yield number, cells[query].strip(" \t"), cells[document].strip(" \t"), value, known if score or known else place


def checked(rows: Iterable[tuple[Any, ...]], name: str, problems: Problems) -> Iterator[Row]:
    """The rows that are sound; the others become problems."""
    sound: set[str] = set()  # ids that were looked at already: most stand in many rows
    for line, source, target, score, rank in rows:
        try:
            query, document = (
                _id(value, field, line, name, sound) for value, field in ((source, "query"), (target, "document"))
            )
        except FormatError as error:
            problems.note(error)
            continue
        number = finite_number(score)
        if number is None:
            message = f"the score {shown(str(score))} is not a finite number."
            if isinstance(rank, str):  # which was to stand for the score
                message = f"the rank {shown(rank)} is no whole number from 1 on."
            problems.note(FormatError(name, line, "rank" if isinstance(rank, str) else "score", message))
            continue
        known = isinstance(rank, int) and not isinstance(rank, bool) and 0 < rank < LARGEST_RANK
        yield Row(line, query, document, number, rank if known else 0)


def _id(value: object, field: str, line: int, name: str, sound: set[str]) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        raise FormatError(name, line, field, f"{field} is missing or no text; every row needs one.")
    if text not in sound:
        if fault := id_fault(text):
            raise FormatError(name, line, field, f"the {field} id {fault}.")
        sound.add(text)
    return text
