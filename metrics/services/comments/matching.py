"""The labels with a comment or reasons that meet the filters of a page."""

import numpy as np
from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, Value

from annotate.models import Collection, CountingJudgment, Judgment, QuerySet
from annotate.models.judgments import JudgmentQuerySet
from annotate.services.storage.number_arrays import Numbers, column, statement_columns
from metrics.forms.comment_filters import CommentFilters, LabelState
from metrics.forms.explorer import DEFAULT_QUERY_SET
from metrics.services.scores.labels import scope_of
from metrics.services.scores.ranks import read_rankings
from pooling.core.likeness.rankings import top
from pooling.models import Run

_HAS_COMMENT, _HAS_REASONS = Q(comment__isnull=False), ~Q(reasons=[])
_PAIRS = """
    SELECT pair.id FROM unnest(%(query)s::bigint[], %(document)s::bigint[]) AS top (query, document)
    JOIN annotate_pair pair ON pair.query_id = top.query AND pair.document_id = top.document
"""


def matching_labels(collection: Collection, filters: CommentFilters) -> list[JudgmentQuerySet]:
    """The labels that meet the filters as one part, or two without a label in both.

    Two where a comment or reasons will do: each is found by an index of its own.
    """
    judgments = Judgment.objects.filter(collection=collection)
    if filters.state == LabelState.COUNTS:
        counts = CountingJudgment.objects.filter(judgment=OuterRef("pk"))
        judgments = judgments.filter(Exists(counts))
    if filters.level is not None:
        judgments = judgments.filter(level=filters.level)
    if filters.purpose:
        judgments = judgments.filter(purpose=filters.purpose)
    if filters.query is not None:
        judgments = judgments.filter(pair__query=filters.query)
    if filters.run is not None:
        is_top = Func(
            F("pair"),
            Value(_array_text(top_pairs(run=filters.run, depth=filters.depth))),
            template="%(expressions)s::bigint[])",
            arg_joiner=" = ANY(",
            output_field=BooleanField(),
        )
        judgments = judgments.filter(is_top)
    if filters.reason:
        judgments = judgments.filter(reasons__contains=[filters.reason])
    for word in filters.words:
        judgments = judgments.filter(comment__text__icontains=word)
    if filters.needs_comment:
        judgments = judgments.filter(_HAS_COMMENT)
    if filters.needs_reasons:
        return [judgments.filter(_HAS_REASONS)]
    if filters.needs_comment:
        return [judgments]
    return [judgments.filter(_HAS_REASONS), judgments.filter(_HAS_COMMENT, reasons=[])]


def matching_keys(*, collection: Collection, filters: CommentFilters) -> Numbers:
    """(n,) ascending keys of all labels that meet the filters, wherever a page begins."""
    parts = matching_labels(collection, filters)
    return np.sort(np.concatenate([column(part.values_list("pk")) for part in parts]))


def top_pairs(*, run: Run, depth: int) -> Numbers:
    """(n,) keys of the pairs within the first ranks of a run, ranked as its scores rank.

    Ranks are those of the query set "all" of the run's direction, else of its first one.
    """
    rows = QuerySet.objects.filter(collection=run.collection_id, direction=run.direction)
    query_sets = sorted(rows, key=lambda row: (row.name != DEFAULT_QUERY_SET, row.pk))
    if not query_sets:
        return np.zeros(0, dtype=np.int64)
    scope = scope_of(query_set=query_sets[0])
    rankings = read_rankings(run=run, scope=scope, sources=scope.sources)
    tops = top(rankings, depth)
    ends = [_array_text(np.repeat(scope.sources, tops.depth)), _array_text(tops.docs)]
    query, document = ends if run.direction == "forward" else ends[::-1]
    return statement_columns(_PAIRS, 1, {"query": query, "document": document})[0]


def _array_text(keys: Numbers) -> str:
    """Keys as the database writes an array; of 200,000 one by one, psycopg takes a second."""
    return f"{{{','.join(map(str, keys.tolist()))}}}"
