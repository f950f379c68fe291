"""Lists of positives do not say whose ids are the keys: told by which side knows them."""

from collections.abc import Container, Iterable, Iterator
from itertools import groupby

from annotate.core.formats import FormatError
from annotate.core.reference_formats import ReferenceRow


def oriented(
    rows: Iterable[ReferenceRow], queries: Container[str], documents: Container[str]
) -> Iterator[ReferenceRow]:
    """The rows, those of each file of lists turned round where that lets more of them name items of the collection.

    queries, documents : the ids of the two sides
    Raises FormatError where the ids fit both ways alike.
    """
    for (file, listed), group in groupby(rows, key=lambda row: (row.file, row.listed)):
        if listed:
            yield from _turned(list(group), file, queries, documents)
        else:
            yield from group


def _turned(
    rows: list[ReferenceRow], file: str, queries: Container[str], documents: Container[str]
) -> list[ReferenceRow]:
    as_written = sum(row.query in queries and row.document in documents for row in rows)
    turned = sum(row.document in queries and row.query in documents for row in rows)
    if as_written == turned and as_written:
        message = "Its ids are those of queries and of documents alike; write it as qrels: query 0 document grade."
        raise FormatError(file, None, "", message)
    if turned > as_written:
        return [row._replace(query=row.document, document=row.query) for row in rows]
    return rows
