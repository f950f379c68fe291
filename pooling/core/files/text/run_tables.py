"""Runs as JSON lines, and as tables with a header."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from annotate.core.files.formats import FormatError, Problems, finite_number, id_fault, quoted
from annotate.core.files.text_files import header_of, json_objects, numbered_header, table_rows

NO_HEADER = "Of a table without a header give the numbers of its columns."
LARGEST_RANK = 2**31 - 1
COLUMNS = {
    "query": ("query", "query_id", "query-id", "qid", "q_id", "source"),
    "document": (
        "document",
        "document_id",
        "doc_id",
        "docid",
        "docno",
        "corpus-id",
        "corpus_id",
        "target",
        "pid",
    ),
    "score": ("score", "similarity"),
    "rank": ("rank",),
}


class RunFileRow(NamedTuple):
    """One row of a run: its line, two ids, a finite score, and the file's rank, 0 for none."""

    line: int
    source: str
    target: str
    score: float
    rank: int


def read_jsonl(stream: BinaryIO, name: str, problems: Problems) -> Iterator[RunFileRow]:
    """Rows of JSON lines: a row or a ranking a line.

    {"query", "document", "score"} or {"query", "ranking": [[document, score], ...]}.

    Ids are texts or whole numbers. A fault in a line becomes a problem.
    """
    return sound_rows(
        _json_rows(json_objects(stream, name, problems), name, problems), name, problems
    )


def _json_rows(
    records: Iterable[tuple[int, dict[str, Any]]], name: str, problems: Problems
) -> Iterator[tuple[Any, ...]]:
    for line, record in records:
        ranking = record.get("ranking")
        if "ranking" not in record:
            fields = record.get("document"), record.get("score"), record.get("rank")
            yield line, record.get("query"), *fields
        elif isinstance(ranking, list) and all(
            isinstance(pair, list) and len(pair) == 2 for pair in ranking
        ):
            for rank, (document, score) in enumerate(ranking, start=1):
                yield line, record.get("query"), document, score, rank
        else:
            message = "ranking is not a list of [document, score] pairs."
            problems.add_or_stop(FormatError(name, line, "ranking", message))


def read_table(
    stream: BinaryIO, name: str, problems: Problems, numbers: Mapping[str, int] | None = None
) -> Iterator[RunFileRow]:
    """Rows of a table: columns query, document, score or rank or both; commas or tabs.

    numbers : of a table without a header: the numbers of these columns, from 1

    A fault in a row becomes a problem. Raises FormatError for a header that lacks a column, or a
    number beyond the first line's columns.
    """
    if numbers:
        columns = dict.fromkeys(COLUMNS, "") | numbered_header(stream, name, numbers)
    else:
        columns = columns_of(header_of(stream, name), name, may_be_ranks=True)
    rows = table_rows(stream, name, problems, has_header=not numbers)
    return sound_rows(_cells(rows, columns), name, problems)


def columns_of(header: Sequence[str], name: str, *, may_be_ranks: bool = False) -> dict[str, str]:
    """Find the names of query, document, score and rank in a header.

    "" for a score or a rank it lacks.

    may_be_ranks : whether a rank may stand for the score
    Raises FormatError if it names no query, no document or no score.
    """
    columns = {
        field: next((alias for alias in aliases if alias in header), "")
        for field, aliases in COLUMNS.items()
    }
    for field in ("query", "document", "score"):
        if not columns[field] and not (field == "score" and may_be_ranks and columns["rank"]):
            expected = "the first line should read query,document,score"
            message = f"the header names no column {field}; {expected}. {NO_HEADER}"
            raise FormatError(name, 1, field, message)
    return columns


def _cells(
    rows: Iterable[tuple[int, dict[str, str]]], columns: dict[str, str]
) -> Iterator[tuple[Any, ...]]:
    query, document, score, rank = (
        columns[field] for field in ("query", "document", "score", "rank")
    )
    for line, cells in rows:
        rank_text = cells[rank].strip(" \t") if rank else ""
        rank_number = (
            int(rank_text)
            if rank_text.isascii() and rank_text.isdigit() and len(rank_text) <= 10
            else None
        )
        # a table of ranks alone is ordered by them
        score_value = cells[score].strip(" \t") if score else -rank_number if rank_number else None
        yield (
            line,
            cells[query].strip(" \t"),
            cells[document].strip(" \t"),
            score_value,
            rank_number if score or rank_number else rank_text,
        )


def sound_rows(
    rows: Iterable[tuple[Any, ...]], name: str, problems: Problems
) -> Iterator[RunFileRow]:
    """Yield the rows that are sound; the others become problems."""
    sound: set[str] = set()  # ids that were checked already: most stand in many rows
    for line, source, target, score, rank in rows:
        try:
            query, document = (
                _id(value, field, line, name, sound)
                for value, field in ((source, "query"), (target, "document"))
            )
        except FormatError as error:
            problems.add_or_stop(error)
            continue
        number = finite_number(score)
        if number is None:
            message = f"the score {quoted(str(score))} is not a finite number."
            if isinstance(rank, str):  # it was to be used as the score
                message = f"the rank {quoted(rank)} is no whole number from 1 on."
            problems.add_or_stop(
                FormatError(name, line, "rank" if isinstance(rank, str) else "score", message)
            )
            continue
        is_rank = isinstance(rank, int) and not isinstance(rank, bool) and 0 < rank < LARGEST_RANK
        yield RunFileRow(line, query, document, number, rank if is_rank else 0)


def _id(value: object, field: str, line: int, name: str, sound: set[str]) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        raise FormatError(name, line, field, f"{field} is missing or no text; every row needs one.")
    if text not in sound:
        if fault := id_fault(text):
            raise FormatError(name, line, field, f"the {field} id {fault}.")
        sound.add(text)
    return text
