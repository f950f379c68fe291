"""Runs as one JSON object, as ranx and pytrec_eval have them, or as columns of equal length.

The object is {query: {document: score}}.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, BinaryIO

from annotate.core.files.formats import FormatError, Problems, quoted
from annotate.core.files.json_files import Member, json_members, opens_object_of_objects
from pooling.core.files.text.run_tables import COLUMNS, RunFileRow, columns_of, sound_rows

COLUMN_NAMES = frozenset(name for names in COLUMNS.values() for name in names)
_MISSING = object()
RawRow = tuple[Any, ...]


def read_dictionary(stream: BinaryIO, name: str, problems: Problems) -> Iterator[RunFileRow]:
    """The rows of a run, each with the line in which its ranking begins.

    A ranking is {document: score}, or a list, best first, of [document, score], of {"document",
    "score"}, or of documents alone; those get the scores -1, -2... of their ranks. An object whose
    first key is the name of a column holds columns instead: {"query": [...], "document": [...],
    "score": [...]}, perhaps "rank".
    """
    if opens_object_of_objects(stream, name) in COLUMN_NAMES:
        return sound_rows(
            _columns(json_members(stream, name, spread=COLUMN_NAMES), name), name, problems
        )
    return sound_rows(_rankings(json_members(stream, name), name, problems), name, problems)


def _rankings(members: Iterator[Member], name: str, problems: Problems) -> Iterator[RawRow]:
    for line, query, ranking in members:
        if isinstance(ranking, dict):
            yield from ((line, query, document, score, 0) for document, score in ranking.items())
        elif isinstance(ranking, list):
            for rank, entry in enumerate(ranking, start=1):
                yield (line, query, *_entry(entry, rank), rank)
        else:
            message = f"the ranking of {quoted(query)} is neither {{document: score}} nor a list."
            problems.add_or_stop(FormatError(name, line, "ranking", message))


def _entry(entry: object, rank: int) -> tuple[object, object]:
    """Document and score of one entry of a list; any other entry fails the check of ids."""
    if isinstance(entry, dict):
        document = next((entry[key] for key in COLUMNS["document"] if key in entry), None)
        return document, next((entry[key] for key in COLUMNS["score"] if key in entry), None)
    if isinstance(entry, list):
        return (entry[0], entry[1]) if len(entry) == 2 else (None, None)
    return entry, -rank


def _columns(members: Iterator[Member], name: str) -> Iterator[RawRow]:
    values_by_column: dict[str, list[Any]] = defaultdict(list)
    for _, key, value in members:
        if key in COLUMN_NAMES:
            values_by_column[key].append(value)
    names = columns_of(list(values_by_column), name)
    queries, documents, scores = (
        values_by_column[names[field]] for field in ("query", "document", "score")
    )
    ranks = values_by_column[names["rank"]] if names["rank"] else [0] * len(queries)
    for row in zip_longest(queries, documents, scores, ranks, fillvalue=_MISSING):
        if any(value is _MISSING for value in row):
            raise FormatError(
                name,
                None,
                "",
                "The columns are no lists of the same length; every row needs one value in each.",
            )
        yield (1, *row)
