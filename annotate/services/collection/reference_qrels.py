"""Export of a reference set as TREC qrels, of four fields or five with strata, or as JSON lines."""

from collections.abc import Generator, Iterator
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from psycopg.sql import SQL

from annotate.core.files.references.reference_formats import ReferenceRow, as_line
from annotate.models import Import, ReferenceLabel, ReferenceSet, Undrawn, Work
from annotate.statements import without_timeout

UNDRAWN = -1  # the grade TREC gives a pooled target that was not drawn for judging
ROWS_A_PIECE = 2_000
_PIECES = SQL("""
    COPY (
        SELECT string_agg(row_to_json(line)::text || E'\n', '' ORDER BY label.id)
        FROM annotate_referencelabel label
        JOIN annotate_item query ON query.id = label.query_id
        JOIN annotate_item document ON document.id = label.document_id
        CROSS JOIN LATERAL (
            SELECT query.external_id AS query, document.external_id AS document,
                label.grade, label.stratum) line
        WHERE label.reference_set_id = {reference_set}
        GROUP BY label.id / {rows} ORDER BY label.id / {rows}
    ) TO STDOUT (FORMAT BINARY)
""")


def qrels_lines(*, reference_set: ReferenceSet) -> Iterator[str]:
    """The lines, ordered by the bytes of query and document; loaded, they give the same set."""
    labels = _rows(ReferenceLabel.objects.filter(reference_set=reference_set), "grade", "stratum")
    undrawn = (
        (query, document, UNDRAWN, stratum)
        for query, document, stratum in _rows(
            Undrawn.objects.filter(reference_set=reference_set), "stratum"
        )
    )
    for query, document, grade, stratum in sorted([*labels, *undrawn], key=lambda row: row[:2]):
        yield as_line(ReferenceRow(query, document, grade, 0, stratum))


def label_pieces(*, reference_set: ReferenceSet) -> Generator[bytes, None, None]:
    """Yield the labels as JSON lines in the order they were stored, some thousand in a piece.

    One COPY, as of judgments: a million lines of one moment, without a million objects.
    """
    statement = _PIECES.format(reference_set=reference_set.pk, rows=ROWS_A_PIECE).as_string(None)
    with without_timeout(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        for (lines,) in copy.rows():
            yield lines


def loading_report(*, reference_set: ReferenceSet) -> dict[str, Any] | None:
    """The report of the import that made a set; None where another kind of file did, or none."""
    imports = Import.objects.filter(
        collection=reference_set.collection_id,
        kind=Import.Kind.REFERENCE,
        work__state=Work.State.DONE,
        parameters__name=reference_set.name,
    )
    return imports.order_by("pk").values_list("report", flat=True).first()


def _rows(
    rows: QuerySet[ReferenceLabel] | QuerySet[Undrawn], *fields: str
) -> Iterator[tuple[Any, ...]]:
    ids = "query__external_id", "document__external_id"
    return rows.values_list(*ids, *fields).iterator(chunk_size=20_000)
