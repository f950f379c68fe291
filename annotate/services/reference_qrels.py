"""Export of a reference set as TREC qrels: four fields, or five where its pairs have strata."""

from collections.abc import Iterator

from django.db.models import Model

from annotate.core.reference_formats import ReferenceRow, as_line
from annotate.models import ReferenceLabel, ReferenceSet, Undrawn

UNDRAWN = -1  # the grade TREC gives a pooled target that was not drawn for judging


def qrels_lines(*, reference_set: ReferenceSet) -> Iterator[str]:
    """The lines, ordered by the bytes of query and document.

    Loading them gives the same reference set again.
    """
    labels = _rows(ReferenceLabel, reference_set, "grade", "stratum")
    undrawn = (
        (query, document, UNDRAWN, stratum) for query, document, stratum in _rows(Undrawn, reference_set, "stratum")
    )
    for query, document, grade, stratum in sorted([*labels, *undrawn], key=lambda row: row[:2]):
        yield as_line(ReferenceRow(query, document, grade, 0, stratum))


def _rows(model: type[Model], reference_set: ReferenceSet, *fields: str) -> Iterator[tuple]:
    ids = "query__external_id", "document__external_id"
    return model.objects.filter(reference_set=reference_set).values_list(*ids, *fields).iterator(chunk_size=20_000)
