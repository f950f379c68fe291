"""The duplicates of a collection, as leads marked them."""

from annotate.core.labels.originals import Originals
from annotate.models import Collection, Duplicate
from annotate.services.storage.number_arrays import table

_IN_USE = {
    f"{item}__{field}": value
    for item in ("item", "original")
    for field, value in (("excluded_at", None), ("split", "test"))
}


def originals_of(*, collection: Collection) -> Originals:
    """Read the duplicates in use, with their originals; one query.

    Where a lead excluded the original its duplicates stand for themselves.
    """
    rows = Duplicate.objects.filter(collection=collection, **_IN_USE).order_by("item")
    return Originals(*table(rows.values_list("item", "original"), 2).T)
