"""Items and pairs that leads excluded, with their reasons."""

from django.db.models import Count

from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import CountingJudgment, Item, Pair, PairExclusion, Side
from metrics.charts.analyses.labels.exclusions import NO_ITEM, ExcludedRow, exclusions_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.exclusions import Excluded, exclusions_by_reason
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.labels.item_contents import item_summaries

PAIR = "pair"


def find(request: AnalysisRequest) -> AnalysisResult:
    """The excluded items and pairs, the newest first; who excluded them is in the leads' log."""
    collection = request.collection
    items = Item.objects.filter(collection=collection, excluded_at__isnull=False)
    item_rows = list(items.values_list("pk", "side", "excluded_reason", "excluded_at"))
    pairs = PairExclusion.objects.filter(collection=collection)
    pair_rows = list(pairs.values_list("pair", "pair__query", "pair__document", "reason", "at"))
    if not Item.objects.filter(collection=collection).exists():
        raise NotDefined("The collection has no items yet: load its items.")
    if not item_rows and not pair_rows:
        raise NotDefined("No item and no pair is excluded.")
    keys = {row[0] for row in item_rows} | {key for row in pair_rows for key in row[1:3]}
    summaries = item_summaries(sorted(keys))
    counting = CountingJudgment.objects.labels().filter(collection=collection)
    labels_of: dict[str, dict[int, int]] = {}
    for kind, column, condition in (
        *((side, f"pair__{side}", f"pair__{side}__excluded_at__isnull") for side in Side.values),
        (PAIR, "pair", "pair__exclusion__isnull"),
    ):
        counts = counting.filter(**{condition: False}).values(column).annotate(n=Count("seat"))
        labels_of[kind] = dict(counts.values_list(column, "n"))
    dated_rows = [
        (
            at,
            ExcludedRow(
                side,
                summaries[key] if side == Side.QUERY else NO_ITEM,
                summaries[key] if side == Side.DOCUMENT else NO_ITEM,
                reason,
                timestamp(at) or "",
                labels_of[side].get(key, 0),
            ),
        )
        for key, side, reason, at in item_rows
    ]
    dated_rows += [
        (
            at,
            ExcludedRow(
                PAIR,
                summaries[query],
                summaries[document],
                reason,
                timestamp(at) or "",
                labels_of[PAIR].get(pair, 0),
            ),
        )
        for pair, query, document, reason, at in pair_rows
    ]
    dated_rows.sort(key=lambda row: (-row[0].timestamp(), row[1]))
    rows = [row for _, row in dated_rows]
    n_items = Item.objects.filter(collection=collection, split="test").values("side").order_by()
    return exclusions_result(
        rows,
        exclusions_by_reason(Excluded(row.kind, row.reason, row.n_labels) for row in rows),
        n_of_kind={
            **dict.fromkeys(Side.values, 0),
            **dict(n_items.annotate(n=Count("pk")).values_list("side", "n")),
            PAIR: Pair.objects.filter(collection=collection).count(),
        },
        n_labels=counting.filter(
            pair__in=Pair.objects.left_out().filter(collection=collection)
        ).count(),
    )
