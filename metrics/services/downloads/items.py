"""The external ids and the texts of a collection's items, in the order of their bytes."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
from django.db.models.functions import Collate

from annotate.markdown import page_text
from annotate.models import Collection, Item, Part
from metrics.services.scores.labels import Ids


class ExternalIds:
    """The external ids of a collection's items, and their order by bytes.

    in_order : all of them in that order, so that each is at its rank
    """

    def __init__(self, collection: Collection) -> None:
        external_ids = dict(
            Item.objects.filter(collection=collection).values_list("pk", "external_id")
        )
        # Python compares code points, and UTF-8 keeps their order.
        keys = sorted(external_ids, key=lambda pk: (external_ids[pk], pk))
        self.in_order = [external_ids[pk] for pk in keys]
        self._external_ids = external_ids
        self._pks = np.array(sorted(external_ids), dtype=np.int64)
        self._rank = np.empty(len(keys), dtype=np.int64)
        self._rank[np.searchsorted(self._pks, np.array(keys, dtype=np.int64))] = np.arange(
            len(keys)
        )

    def of(self, pks: Ids) -> list[str]:
        """The external ids of some items."""
        return [self._external_ids[pk] for pk in pks.tolist()]

    def ranks(self, pks: Ids) -> Ids:
        """The ranks of some items in the order, from 0."""
        return self._rank[np.searchsorted(self._pks, pks)]

    def order(self, source: Ids, target: Ids) -> Ids:
        """The positions of pairs, ordered by the external ids of source and target."""
        return np.lexsort((self.ranks(target), self.ranks(source)))


class ExportedItem(NamedTuple):
    """One item: its text, and its media as rows of kind, path and the paths of further sources."""

    pk: int
    external_id: str
    text: str
    media: list[tuple[str, str, list[str]]]


def exported_items(
    *, collection: Collection, side: str, pks: Ids | None = None
) -> Iterator[ExportedItem]:
    """The items of a side that are in use, by the bytes of their ids.

    pks : only these; None means all
    """
    rows = Item.objects.filter(collection=collection, side=side).in_use()
    rows = rows.order_by(Collate("external_id", "C"), "parts__position")
    columns = ("pk", "external_id", "parts__kind", "parts__text", "parts__path", "parts__also")
    selected_keys = None if pks is None else set(pks.tolist())
    for (pk, external_id), parts in groupby(
        rows.values_list(*columns).iterator(chunk_size=5_000), key=lambda row: row[:2]
    ):
        if selected_keys is None or pk in selected_keys:
            yield _exported_item(pk, external_id, [part[2:] for part in parts])


def _exported_item(
    pk: int, external_id: str, parts: Iterable[tuple[str, str, str, list[dict[str, str]]]]
) -> ExportedItem:
    parts = list(parts)
    texts = [
        page_text(text) if kind == Part.Kind.HTML else text for kind, text, *_ in parts if text
    ]
    media = [
        (kind, path, [source["path"] for source in also]) for kind, _, path, also in parts if path
    ]
    return ExportedItem(pk, external_id, "\n".join(texts), media)
