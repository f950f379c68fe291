"""What a report counts beside faults: ids nobody knows, and lines that say what another line said.

Both count everything and name the first 20.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

SHOWN = 20


class Strangers:
    """Ids of a file that the collection does not have, in the order they came."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def add(self, external_id: str) -> None:
        """Count an id, once however often it comes."""
        self._ids.setdefault(external_id)

    def __len__(self) -> int:
        return len(self._ids)

    def told(self) -> dict[str, Any]:
        """As a report stores it: how many ids, and the first of them."""
        return {"n": len(self._ids), "first": list(self._ids)[:SHOWN]}


class Repeat(NamedTuple):
    """A line and the earlier one that said the same thing, or a thing of the same item or pair."""

    line: int
    earlier: int
    what: str


class Repeats:
    """Lines of a file that come again."""

    def __init__(self) -> None:
        self.n = 0
        self.first: list[Repeat] = []

    def add(self, line: int, earlier: int, what: str) -> None:
        """Count a line; keep it if it is among the first."""
        self.n += 1
        if len(self.first) < SHOWN:
            self.first.append(Repeat(line, earlier, what))

    def told(self) -> dict[str, Any]:
        """As a report stores it: how many lines, and the first of them with both places."""
        return {"n": self.n, "first": [repeat._asdict() for repeat in self.first]}


@dataclass(kw_only=True)
class Tallies:
    """What every reader of a file counts beside its rows.

    repeats : lines that say again, or otherwise, what an earlier one said
    doubts : sentences about what was loaded and may not do what it is for
    """

    unknown_queries: Strangers = field(default_factory=Strangers)
    unknown_documents: Strangers = field(default_factory=Strangers)
    repeats: Repeats = field(default_factory=Repeats)
    doubts: list[str] = field(default_factory=list)

    def figures(self) -> list[tuple[str, int]]:
        """What the report of an import shows first, in order."""
        return []
