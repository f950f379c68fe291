"""Labels, and the items that they are about."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assayer.client.collection.part import CollectionPart
from assayer.client.records.collections import Item
from assayer.client.records.review import Resolution
from assayer.client.saving import lines_of, save
from assayer.client.transport import Call

PARQUET = ".parquet"


class Labels(CollectionPart):
    """Judgments, resolutions, qrels and items."""

    def judgments(self) -> Iterator[dict[str, Any]]:
        """Every judgment in the order they were stored, as of one moment, under pseudonyms."""
        call = Call("GET", self.address("judgments/"))
        yield from map(json.loads, lines_of(self.transport, call))

    def save_judgments(self, to: Path | str) -> Path:
        """Store all judgments in a file: Parquet where its name ends so, else JSON lines."""
        return self._save_lines("judgments/", Path(to), {})

    def resolutions(self, **filters: Any) -> Iterator[Resolution]:
        """The pairs with their grades, as of one moment.

        filters : state, query, changed_since
        """
        call = Call("GET", self.address("resolutions/"), {**filters, "format": "ndjson"})
        for line in lines_of(self.transport, call):
            yield Resolution.of(json.loads(line))

    def save_resolutions(self, to: Path | str, **filters: Any) -> Path:
        """Store the pairs in a file: Parquet where its name ends so, else JSON lines."""
        return self._save_lines("resolutions/", Path(to), filters)

    def qrels(self, to: Path | str, **choices: Any) -> Path:
        """Store the labels of this moment as a qrels file.

        choices : direction, label_source, queries, grades, threshold
        """
        call = Call("GET", self.address("qrels/"), choices)
        return save(self.transport, call, Path(to), show_progress=self.show_progress)

    def items(self, **filters: Any) -> Iterator[Item]:
        """The items, page by page; filters are `side`, `id` and `excluded`."""
        return map(Item.of, self.transport.pages(self.address("items/"), **filters))

    def _save_lines(self, words: str, to: Path, filters: dict[str, Any]) -> Path:
        """Store a list that comes whole."""
        kind = "parquet" if to.suffix == PARQUET else "ndjson"
        call = Call("GET", self.address(words), {**filters, "format": kind})
        return save(self.transport, call, to, show_progress=self.show_progress)
