"""The external ids and the texts of a collection's items, in the order of their bytes."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
from django.db.models.functions import Collate

from annotate.markdown import page_text
from annotate.models import Collection, Item, Part
from metrics.core.label_sources import Grades
from metrics.services.labels import Ids


class Names:
    """The external ids of a collection's items, and their order by bytes."""

    def __init__(self, collection: Collection) -> None:
        found = dict(Item.objects.filter(collection=collection).values_list("pk", "external_id"))
        # Python compares code points, and UTF-8 keeps their order.
        ordered = sorted(found, key=lambda pk: (found[pk], pk))
        self._names = found
        self._pks = np.array(sorted(found), dtype=np.int64)
        self._place = np.empty(len(ordered), dtype=np.int64)
        self._place[np.searchsorted(self._pks, np.array(ordered, dtype=np.int64))] = np.arange(len(ordered))

    def of(self, pks: Ids) -> list[str]:
        """The external ids of some items."""
        return [self._names[pk] for pk in pks.tolist()]

    def places(self, pks: Ids) -> Ids:
        """Where these items stand in the order."""
        return self._place[np.searchsorted(self._pks, pks)]

    def ordered(self, grades: Grades) -> Grades:
        """The rows by the external ids of source and target."""
        order = np.lexsort((self.places(grades.target), self.places(grades.source)))
        return Grades(*(values[order] for values in grades))


class Shown(NamedTuple):
    """One item: its text, and what else is shown of it as rows of kind, path and the paths of further sources."""

    pk: int
    external_id: str
    text: str
    media: list[tuple[str, str, list[str]]]


def shown_items(*, collection: Collection, side: str, only: Ids | None = None) -> Iterator[Shown]:
    """The items of a side that are judged, by the bytes of their ids; `only` some where given."""
    rows = Item.objects.filter(collection=collection, side=side, split="test", excluded_at=None)
    rows = rows.order_by(Collate("external_id", "C"), "parts__position")
    columns = ("pk", "external_id", "parts__kind", "parts__text", "parts__path", "parts__also")
    wanted = None if only is None else set(only.tolist())
    for (pk, name), parts in groupby(rows.values_list(*columns).iterator(chunk_size=5_000), key=lambda row: row[:2]):
        if wanted is None or pk in wanted:
            yield _shown(pk, name, [part[2:] for part in parts])


def _shown(pk: int, name: str, parts: Iterable[tuple[str, str, str, list[dict[str, str]]]]) -> Shown:
    parts = list(parts)
    texts = [page_text(text) if kind == Part.Kind.HTML else text for kind, text, *_ in parts if text]
    media = [(kind, path, [source["path"] for source in also]) for kind, _, path, also in parts if path]
    return Shown(pk, name, "\n".join(texts), media)
