"""The best row of a run that is not stored: its ids, and the items that have them."""

from typing import NamedTuple

from annotate.core.phrases import singular
from annotate.models import Collection, Direction, Item
from pooling.core.files.run_previews import TopRow
from pooling.services.runs.storage import SIDES


class TopCell(NamedTuple):
    """One side of a run's best row: what stands there, its id, and the item if there is one."""

    heading: str
    external_id: str
    item: Item | None


def top_items(*, collection: Collection, direction: Direction, row: TopRow | None) -> list[TopCell]:
    """Return the source and the target of a row, with parts and previews; two queries at most."""
    if row is None:
        return []
    source_side, target_side = SIDES[direction]
    items = Item.objects.filter(
        collection=collection, external_id__in=(row.source, row.target)
    ).prefetch_related("parts")
    items_by_id = {(item.side, item.external_id): item for item in items}
    return [
        TopCell(
            f"First {singular(direction.sources)}",
            row.source,
            items_by_id.get((source_side, row.source)),
        ),
        TopCell(
            f"Its best {singular(direction.targets)}",
            row.target,
            items_by_id.get((target_side, row.target)),
        ),
    ]
