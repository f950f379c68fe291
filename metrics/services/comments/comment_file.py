"""The labels of the page of comments as CSV: the columns of raw judgments, and the comment."""

import csv
import io
import json
from collections.abc import Iterator

from annotate.core.files.judgments.judgment_exports import LINES_A_PIECE, SCHEMA, csv_cells
from annotate.core.files.spreadsheet_cells import safe_cell
from annotate.models import Collection, JudgmentComment
from annotate.services.collection.judgment_export import judgment_pieces
from metrics.forms.comment_filters import CommentFilters
from metrics.services.comments.matching import matching_keys


def as_csv(*, collection: Collection, filters: CommentFilters) -> Iterator[bytes]:
    """Yield all labels that meet the filters in the order they were stored, header first.

    Which they are is read at once, what they say in pieces: no client holds a transaction open.
    """
    keys = matching_keys(collection=collection, filters=filters).tolist()
    yield (",".join([*SCHEMA.names, "comment"]) + "\n").encode()
    for start in range(0, len(keys), LINES_A_PIECE):
        piece = keys[start : start + LINES_A_PIECE]
        rows = JudgmentComment.objects.filter(judgment__in=piece)
        comments = dict(rows.values_list("judgment", "text"))
        lines = b"".join(judgment_pieces(collection=collection, keys=piece)).splitlines()
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [*csv_cells(json.loads(line)), safe_cell(comments.get(key))]
            for key, line in zip(piece, lines, strict=True)
        )
        yield text.getvalue().encode()
