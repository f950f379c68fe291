"""Tables of analyses on pages: items with their pictures, and moments in the reader's time.

Files keep the ids, the words and the moments in UTC as they are.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from annotate.models import Collection, Item
from metrics.charts.charts import Chart
from metrics.charts.results import CONTENT, ITEM, MOMENT, AnalysisResult, Cell, Column


class ItemCell(NamedTuple):
    """An item in a cell, with its parts; slug : of its collection."""

    item: Item
    slug: str


def with_items_and_moments(
    *, collection: Collection, result: AnalysisResult, chart: Chart
) -> Chart:
    """The chart with items in place of their ids and words; two queries for each side of items.

    What stands for an item that is not there any more is its id.
    """
    columns = result.columns
    positions = [at for at, column in enumerate(columns) if column.kind != CONTENT]
    rows = result.rows[: len(chart.rows)]
    items = {
        column.key: _items(collection, column.key, [row[at] for row in rows])
        for at, column in enumerate(columns)
        if column.kind == ITEM
    }
    return chart._replace(
        columns=[chart.columns[at] for at in positions],
        rows=[
            [_cell(columns[at], row[at], printed[at], items, collection.slug) for at in positions]
            for row, printed in zip(rows, chart.rows, strict=True)
        ],
    )


def _items(collection: Collection, side: str, ids: Sequence[Cell]) -> dict[Cell, Item]:
    """Items of a side by their ids."""
    items = Item.objects.filter(collection=collection, side=side, external_id__in=set(ids))
    return {item.external_id: item for item in items.prefetch_related("parts")}


def _cell(
    column: Column,
    cell: Cell,
    printed: object,
    items: Mapping[str, Mapping[Cell, Item]],
    slug: str,
) -> object:
    """A cell as its column asks: an item, a moment, or what is printed."""
    if column.kind == ITEM and (item := items[column.key].get(cell)):
        return ItemCell(item, slug)
    if column.kind == MOMENT and cell:
        return datetime.fromisoformat(str(cell))
    return printed
