"""The orientation of lists of positives: are the keys query ids or document ids?"""

from collections.abc import Container, Iterable, Iterator
from itertools import groupby

from annotate.core.files.formats import FormatError
from annotate.core.files.references.reference_formats import ReferenceRow


def oriented(
    rows: Iterable[ReferenceRow], queries: Container[str], documents: Container[str]
) -> Iterator[ReferenceRow]:
    """Yield the rows, those of a file of lists turned round if that matches more items.

    queries, documents : the ids of the two sides
    Raises FormatError where the ids match both ways alike.
    """
    for (file, is_listed), group in groupby(rows, key=lambda row: (row.file, row.is_listed)):
        if is_listed:
            yield from _orient_lists(list(group), file, queries, documents)
        else:
            yield from group


def _orient_lists(
    rows: list[ReferenceRow], file: str, queries: Container[str], documents: Container[str]
) -> list[ReferenceRow]:
    n_as_written = sum(row.query in queries and row.document in documents for row in rows)
    n_turned = sum(row.document in queries and row.query in documents for row in rows)
    if n_as_written == n_turned and n_as_written:
        message = (
            "Its ids are those of queries and of documents alike; write it as qrels: query 0 "
            "document grade."
        )
        raise FormatError(file, None, "", message)
    if n_turned > n_as_written:
        return [row._replace(query=row.document, document=row.query) for row in rows]
    return rows
