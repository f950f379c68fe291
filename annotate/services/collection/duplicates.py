"""The duplicates of a collection, as leads marked them."""

from annotate.core.labels.originals import Originals
from annotate.models import Collection, Duplicate, Item
from annotate.services.storage.number_arrays import table

# filters of marks: both items are in use
IN_USE = {
    f"{item}__{field}": value
    for item in ("item", "original")
    for field, value in (("excluded_at", None), ("split", "test"))
}


def originals_of(*, collection: Collection) -> Originals:
    """Read the duplicates in use, with their originals; one query.

    Where a lead excluded the original its duplicates stand for themselves.
    """
    rows = Duplicate.objects.filter(collection=collection, **IN_USE).order_by("item")
    return Originals(*table(rows.values_list("item", "original"), 2).T)


def original_names(*items: Item) -> str:
    """The ids of the originals of items, such as "q1 / d2"; "" if none of them is a duplicate."""
    marks = Duplicate.objects.filter(item__in=items, **IN_USE)
    originals = dict(marks.values_list("item", "original__external_id"))
    if not originals:
        return ""
    return " / ".join(originals.get(item.pk, item.external_id) for item in items)
