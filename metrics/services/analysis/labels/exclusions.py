"""Items and pairs that leads excluded, with their reasons."""

from django.db.models import Count, QuerySet

from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import Collection, CountingJudgment, Item, Pair, PairExclusion, Side
from metrics.charts.analyses.labels.exclusions import NO_ITEM, ExcludedRow, exclusions_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.exclusions import Excluded, exclusions_by_reason
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.labels.item_contents import item_summaries

PAIR = "pair"


def find(request: AnalysisRequest) -> AnalysisResult:
    """The excluded items and pairs, the newest first; who excluded them is in the leads' log."""
    collection = request.collection
    items = Item.objects.filter(collection=collection)
    if not items.exists():
        raise NotDefined("The collection has no items yet: load its items.")
    rows = _rows(collection)
    if not rows:
        raise NotDefined("No item and no pair is excluded.")
    n_items = items.values("side").order_by().annotate(n=Count("pk"))
    left_out = Pair.objects.left_out().filter(collection=collection)
    return exclusions_result(
        rows,
        exclusions_by_reason(Excluded(row.kind, row.reason, row.n_labels) for row in rows),
        n_of_kind={
            **dict.fromkeys(Side.values, 0),
            **dict(n_items.values_list("side", "n")),
            PAIR: Pair.objects.filter(collection=collection).count(),
        },
        n_labels=_labels(collection).filter(pair__in=left_out).count(),
    )


def _rows(collection: Collection) -> list[ExcludedRow]:
    """A row for each excluded item and pair, the newest first."""
    items = Item.objects.filter(collection=collection, excluded_at__isnull=False)
    item_rows = list(items.values_list("pk", "side", "excluded_reason", "excluded_at"))
    pairs = PairExclusion.objects.filter(collection=collection)
    pair_rows = list(pairs.values_list("pair", "pair__query", "pair__document", "reason", "at"))
    summaries = item_summaries(
        sorted({row[0] for row in item_rows} | {key for row in pair_rows for key in row[1:3]})
    )
    n_labels = {side: _labels_by(collection, f"pair__{side}", "excluded_at") for side in Side}
    n_labels_of_pair = _labels_by(collection, "pair", "exclusion")
    rows = [
        ExcludedRow(
            side,
            summaries[key] if side == Side.QUERY else NO_ITEM,
            summaries[key] if side == Side.DOCUMENT else NO_ITEM,
            reason,
            timestamp(at) or "",
            n_labels[Side(side)].get(key, 0),
        )
        for key, side, reason, at in item_rows
    ]
    rows += [
        ExcludedRow(
            PAIR,
            summaries[query],
            summaries[document],
            reason,
            timestamp(at) or "",
            n_labels_of_pair.get(pair, 0),
        )
        for pair, query, document, reason, at in pair_rows
    ]
    # moments as text ascend in their order, and those of one moment by their ids
    return sorted(sorted(rows), key=lambda row: row.at, reverse=True)


def _labels(collection: Collection) -> QuerySet[CountingJudgment]:
    return CountingJudgment.objects.labels().filter(collection=collection)


def _labels_by(collection: Collection, column: str, field: str) -> dict[int, int]:
    """The number of labels by the keys of a column, of those that the field says are excluded."""
    excluded_labels = _labels(collection).filter(**{f"{column}__{field}__isnull": False})
    counts = excluded_labels.values(column).annotate(n=Count("seat"))
    return dict(counts.values_list(column, "n"))
