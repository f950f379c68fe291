"""Lines of TREC qrels, from one moment of the database."""

from collections.abc import Iterator

from annotate.models import Collection
from annotate.services.storage.transactions import repeatable_read
from metrics.http import QrelsRequest
from metrics.services.downloads.grades import file_grades, grades_of
from metrics.services.downloads.items import ExternalIds
from metrics.services.downloads.lines import LINES_PER_PIECE
from metrics.services.scores import labels


def qrels_of(*, collection: Collection, qrels_request: QrelsRequest) -> Iterator[str]:
    """TREC qrels: `source 0 target grade`, ordered by the bytes of source and target."""
    with repeatable_read():
        scope = (
            labels.scope_of(query_set=qrels_request.query_set) if qrels_request.query_set else None
        )
        external_ids = ExternalIds(collection)
        rows = external_ids.sorted_grades(
            grades_of(collection=collection, qrels_request=qrels_request, scope=scope)
        )
        for start in range(0, len(rows.grade), LINES_PER_PIECE):
            block = type(rows)(*(values[start : start + LINES_PER_PIECE] for values in rows))
            columns = (
                external_ids.of(block.source),
                external_ids.of(block.target),
                file_grades(block, qrels_request.threshold),
            )
            yield "".join(
                f"{source} 0 {target} {value}\n"
                for source, target, value in zip(*columns, strict=True)
            )
