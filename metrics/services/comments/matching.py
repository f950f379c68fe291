"""The labels with a comment or reasons that meet the filters of a page."""

from typing import NamedTuple

import numpy as np
from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, Value
from numpy.typing import NDArray

from annotate.models import Collection, CountingJudgment, Judgment, Pair, QuerySet
from annotate.models.judgments import JudgmentQuerySet
from annotate.services.storage.number_arrays import Numbers, column, statement_columns, table
from metrics.forms.comment_filters import CommentFilters, LabelState
from metrics.forms.explorer import DEFAULT_QUERY_SET
from metrics.services.scores.labels import EvaluationScope, ends, scope_of
from metrics.services.scores.ranks import read_rankings
from pooling.core.likeness.rankings import top
from pooling.models import Run

Mask = NDArray[np.bool_]
STEPS = (200, 1_000, 3_000)  # labels whose ranks are looked up for a page, one step after another
_HAS_COMMENT, _HAS_REASONS = Q(comment__isnull=False), ~Q(reasons=[])
_PAIRS = """
    SELECT pair.id FROM unnest(%(query)s::bigint[], %(document)s::bigint[]) AS top (query, document)
    JOIN annotate_pair pair ON pair.query_id = top.query AND pair.document_id = top.document
"""


class NewestLabels(NamedTuple):
    """The newest labels that meet the filters, wherever a page begins.

    keys : the newest first
    older : key before which older ones begin, None where there are none
    n_searched : number of labels that were looked through, where that ended the search; else 0
    """

    keys: list[int]
    older: int | None
    n_searched: int


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


def newest_labels(*, collection: Collection, filters: CommentFilters, size: int) -> NewestLabels:
    """The newest labels that meet the filters, those before the place of a page.

    Ranks in a run are looked up for the newest labels only, some thousands at most.
    """
    parts = matching_labels(collection, filters._replace(run=None))
    before, run = filters.before, filters.run
    if run is None:
        keys = _newest(parts, before, size + 1)[:, 0].tolist()
        return NewestLabels(keys[:size], keys[size - 1] if len(keys) > size else None, 0)
    scope, keys = _scope_of(run), []
    for step in STEPS:
        rows = _newest(parts, before, step)
        is_top = _are_top(run, filters.depth, scope, rows[:, 1])
        keys += rows[is_top, 0].tolist()
        if len(keys) > size:
            return NewestLabels(keys[:size], keys[size - 1], 0)
        if len(rows) < step:
            return NewestLabels(keys, None, 0)
        before = int(rows[-1, 0])
    return NewestLabels(keys, before, sum(STEPS))


def _newest(parts: list[JudgmentQuerySet], before: int | None, n: int) -> Numbers:
    """(n or fewer, 2) keys of the newest labels of all parts, and of their pairs."""
    rows: list[tuple[int, int]] = []
    for part in parts:
        older = part if before is None else part.filter(pk__lt=before)
        rows += older.order_by("-pk").values_list("pk", "pair")[:n]
    newest_first = sorted(rows, reverse=True)[:n]
    return np.array(newest_first, dtype=np.int64).reshape(-1, 2)


def _are_top(run: Run, depth: int, scope: EvaluationScope | None, pairs: Numbers) -> Mask:
    """(n,) mask of the pairs within the first ranks of a run."""
    if scope is None:
        return np.zeros(len(pairs), dtype=np.bool_)
    rows = table(
        Pair.objects.filter(pk__in=pairs.tolist())
        .order_by("pk")
        .values_list("pk", *ends(scope.direction)),
        3,
    )
    key, source, target = rows.T
    sources = np.intersect1d(source, scope.sources)
    top_source, top_target = _top_ends(run, depth, scope, sources)
    # one number for each pair of ends; a target below 0 is unknown and has no pair
    width = max(target.max(initial=0), top_target.max(initial=0)) + 1
    places = [np.searchsorted(sources, keys) * width for keys in (source, top_source)]
    top_cells = (places[1] + top_target)[top_target > 0]
    is_top = np.isin(source, sources) & np.isin(places[0] + target, top_cells)
    return np.asarray(is_top[np.searchsorted(key, pairs)])


def top_pairs(*, run: Run, depth: int) -> Numbers:
    """(n,) keys of the pairs within the first ranks of a run, ranked as its scores rank."""
    scope = _scope_of(run)
    if scope is None:
        return np.zeros(0, dtype=np.int64)
    source, target = map(_array_text, _top_ends(run, depth, scope, scope.sources))
    query, document = (source, target) if run.direction == "forward" else (target, source)
    return statement_columns(_PAIRS, 1, {"query": query, "document": document})[0]


def _scope_of(run: Run) -> EvaluationScope | None:
    """The items of the query set "all" of a run's direction, else of its first one, if any."""
    rows = QuerySet.objects.filter(collection=run.collection_id, direction=run.direction)
    query_sets = sorted(rows, key=lambda row: (row.name != DEFAULT_QUERY_SET, row.pk))
    return scope_of(query_set=query_sets[0]) if query_sets else None


def _top_ends(
    run: Run, depth: int, scope: EvaluationScope, sources: Numbers
) -> tuple[Numbers, Numbers]:
    """(n,) keys of some source items, each as often as it has targets, and of these targets."""
    tops = top(read_rankings(run=run, scope=scope, sources=sources), depth)
    return np.repeat(sources, tops.depth), tops.docs


def _array_text(keys: Numbers) -> str:
    """Keys as the database writes an array; of 200,000 one by one, psycopg takes a second."""
    return f"{{{','.join(map(str, keys.tolist()))}}}"
