"""Ids of items, and their content in a few words."""

from collections.abc import Sequence

from django.utils.text import Truncator

from annotate.markdown import page_text
from annotate.models import Item, Part
from metrics.charts.analyses.labels.items import ItemSummary

ITEMS_AT_ONCE = 20_000
MAX_CONTENT = 160  # characters


def item_summaries(keys: Sequence[int]) -> dict[int, ItemSummary]:
    """Read items by their keys; two queries for every 20,000."""
    summaries = {}
    for start in range(0, len(keys), ITEMS_AT_ONCE):
        chunk = keys[start : start + ITEMS_AT_ONCE]
        content_of: dict[int, str] = {}
        rows = Part.objects.filter(item__in=chunk).order_by("item", "position")
        for item, kind, text, path in rows.values_list("item", "kind", "text", "path"):
            content = page_text(text) if kind == Part.Kind.HTML else text
            content_of[item] = content_of.get(item) or content or path
        for item, external_id in Item.objects.filter(pk__in=chunk).values_list("pk", "external_id"):
            words = " ".join(content_of.get(item, "").split())
            if len(words) > MAX_CONTENT:
                words = Truncator(words).chars(MAX_CONTENT)
            summaries[item] = ItemSummary(external_id, words)
    return summaries
