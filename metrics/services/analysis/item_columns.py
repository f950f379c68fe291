"""Columns of analyses with ids of items, in whose place pages show pictures and first words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.models import Collection, Item, Side
from metrics.charts.charts import Chart
from metrics.charts.results import AnalysisResult, Cell

SOURCE = "source"  # the side of a direction's queries
ItemName = tuple[str, str]  # side and id


class ItemColumn(NamedTuple):
    """A column with ids of items.

    side : query, document, SOURCE, or the key of another column that has it
    content_key : of the column with their contents, which pages leave out beside the pictures; ""
        without one
    """

    key: str
    side: str
    content_key: str = ""


class ItemCell(NamedTuple):
    """An item in a table of a page; slug : of its collection."""

    item: Item
    slug: str


def names_in(
    row: Sequence[Cell],
    result: AnalysisResult,
    *,
    item_columns: Sequence[ItemColumn],
    source_side: Side,
) -> Iterator[tuple[int, ItemName]]:
    """Yield the positions and names of the items that a row of a result names.

    source_side : of the queries of its direction
    """
    position_of = {column.key: position for position, column in enumerate(result.columns)}
    for key, side, _ in item_columns:
        if side in position_of and side not in Side.values:
            item_side = str(row[position_of[side]])
        else:
            item_side = source_side if side == SOURCE else side
        if external_id := row[position_of[key]]:
            yield position_of[key], (item_side, str(external_id))


def items_of(*, collection: Collection, names: set[ItemName]) -> dict[ItemName, Item]:
    """Read items with their parts by their names; two queries, none without a name."""
    ids = {external_id for _, external_id in names}
    rows = Item.objects.filter(collection=collection, external_id__in=ids)
    items = rows.prefetch_related("parts") if ids else rows.none()
    return {(item.side, item.external_id): item for item in items}


def with_items(
    chart: Chart,
    result: AnalysisResult,
    *,
    item_columns: Sequence[ItemColumn],
    source_side: Side,
    items: Mapping[ItemName, Item],
    slug: str,
) -> Chart:
    """The chart of a result with items in the place of their ids and contents in its table."""
    content_keys = {column.content_key for column in item_columns}
    positions = [
        position for position, column in enumerate(result.columns) if column.key not in content_keys
    ]
    rows = []
    for row, printed_row in zip(result.rows, chart.rows, strict=False):
        cells = list(printed_row)
        for position, name in names_in(
            row, result, item_columns=item_columns, source_side=source_side
        ):
            if item := items.get(name):
                cells[position] = ItemCell(item, slug)
        rows.append([cells[position] for position in positions])
    return chart._replace(columns=[chart.columns[position] for position in positions], rows=rows)
