"""Export of a reference set as TREC qrels: four fields, or five where its pairs have strata."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from annotate.core.files.references.reference_formats import ReferenceRow, as_line
from annotate.models import ReferenceLabel, ReferenceSet, Undrawn

UNDRAWN = -1  # the grade TREC gives a pooled target that was not drawn for judging


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


def _rows(
    rows: QuerySet[ReferenceLabel] | QuerySet[Undrawn], *fields: str
) -> Iterator[tuple[Any, ...]]:
    ids = "query__external_id", "document__external_id"
    return rows.values_list(*ids, *fields).iterator(chunk_size=20_000)
