"""Tallies of a file's reading beside its faults: unknown ids, and repeated lines.

Both count everything and name the first 20.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

MAX_NAMED = 20


class UnknownIds:
    """Ids in a file that the collection does not have, in the file's order."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def add(self, external_id: str) -> None:
        """Count an id, once however often it occurs."""
        self._ids.setdefault(external_id)

    def __len__(self) -> int:
        return len(self._ids)

    def as_report(self) -> dict[str, Any]:
        """The form stored in a report: the number of ids, and the first of them."""
        return {"n": len(self._ids), "first": list(self._ids)[:MAX_NAMED]}


class RepeatedLine(NamedTuple):
    """A line, an earlier line on the same item or pair, and that item or pair in words (what)."""

    line: int
    earlier: int
    what: str


class RepeatedLines:
    """Repeated lines of a file."""

    def __init__(self) -> None:
        self.n = 0
        self.first: list[RepeatedLine] = []

    def add(self, line: int, earlier: int, subject: str) -> None:
        """Count a line, and keep it if it is among the first."""
        self.n += 1
        if len(self.first) < MAX_NAMED:
            self.first.append(RepeatedLine(line, earlier, subject))

    def as_report(self) -> dict[str, Any]:
        """The form stored in a report: the number of lines, and the first with earlier lines."""
        return {"n": self.n, "first": [repeat._asdict() for repeat in self.first]}


@dataclass(kw_only=True)
class FileTallies:
    """Tallies of a reader beside the rows of its file.

    repeats : lines that repeat or contradict an earlier one
    doubts : sentences about loaded items that may not work as intended
    """

    unknown_queries: UnknownIds = field(default_factory=UnknownIds)
    unknown_documents: UnknownIds = field(default_factory=UnknownIds)
    repeats: RepeatedLines = field(default_factory=RepeatedLines)
    doubts: list[str] = field(default_factory=list)

    def figures(self) -> list[tuple[str, int]]:
        """The labelled figures that an import's report shows first, in order."""
        return []
