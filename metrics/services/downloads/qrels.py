"""Lines of TREC qrels, from one moment of the database."""

from collections.abc import Iterator

from annotate.models import Collection
from annotate.services.storage.transactions import repeatable_read
from metrics.http import QrelsRequest
from metrics.services.downloads.grades import FileGrades, file_grades, grades_of
from metrics.services.downloads.items import ExternalIds
from metrics.services.downloads.lines import LINES_PER_PIECE
from metrics.services.scores import labels

OWN, PROPAGATED = "0", "propagated"  # the second column: the origin of the grade


def qrels_of(*, collection: Collection, qrels_request: QrelsRequest) -> Iterator[str]:
    """TREC qrels, ordered by the bytes of source and target: `source origin target grade`.

    The origin is 0, or "propagated" for a grade that the pair of a duplicate takes from its
    original's; programs that read qrels take no notice of that column.
    """
    with repeatable_read():
        scope = (
            labels.scope_of(query_set=qrels_request.query_set) if qrels_request.query_set else None
        )
        external_ids = ExternalIds(collection)
        grades = grades_of(collection=collection, qrels_request=qrels_request, scope=scope)
        ordered_grades = grades.rows(external_ids.order(grades.source, grades.target))
        yield from qrels_lines(ordered_grades, external_ids, threshold=qrels_request.threshold)


def qrels_lines(
    grades: FileGrades, external_ids: ExternalIds, *, threshold: int | None = None
) -> Iterator[str]:
    """Lines of grades in their order, as `qrels_of` describes them, some thousand in a piece."""
    for start in range(0, len(grades.grade), LINES_PER_PIECE):
        block = grades.rows(slice(start, start + LINES_PER_PIECE))
        columns = (
            external_ids.of(block.source),
            [PROPAGATED if value else OWN for value in block.is_propagated.tolist()],
            external_ids.of(block.target),
            file_grades(block, threshold),
        )
        yield "".join(
            f"{source} {origin} {target} {value}\n"
            for source, origin, target, value in zip(*columns, strict=True)
        )
