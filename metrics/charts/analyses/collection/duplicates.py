"""The table of items that are the same, or nearly."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.results import AnalysisResult, Cell, Column

SAME, NEAR, ELSEWHERE = "the same", "nearly the same", "the same, in another split"
LOOK_ALIKE = "look alike"
SIDES = ("query", "document")


class SimilarItem(NamedTuple):
    """An item of a group: its id, its content in a few words, and its use so far.

    n_judged : its pairs that people gave a label; original : the id of the item that it repeats, as
        a lead says; "" for none; split : "test" of those that are retrieved and judged
    """

    id: str
    content: str
    n_judged: int
    original: str
    split: str


class SimilarGroup(NamedTuple):
    """Two or more items of a side that are the same, or two whose texts or images are nearly so.

    similarity : of two texts or images; None where they are the same. items : the most judged first
    is_elsewhere : one or more are of another split than test; those come last
    """

    side: str
    similarity: float | None
    items: list[SimilarItem]
    is_elsewhere: bool = False
    are_images: bool = False

    @property
    def kind(self) -> str:
        """The likeness in words."""
        if self.is_elsewhere:
            return ELSEWHERE
        if self.are_images:
            return LOOK_ALIKE
        return SAME if self.similarity is None else NEAR


class DuplicateCounts(NamedTuple):
    """The items that were compared, those that repeat another, and pairs of near texts and images.

    n_items, n_repeats : of each side; n_elsewhere : those that stand in another split too
    """

    n_items: Mapping[str, int]
    n_repeats: Mapping[str, int]
    n_elsewhere: Mapping[str, int]
    n_near: int
    n_alike: int


def duplicates_result(
    groups: Sequence[SimilarGroup], counts: DuplicateCounts, notes: Sequence[str]
) -> AnalysisResult:
    """A row for each item of each group; of one or more groups, which may be the first ones."""
    n_items = counts.n_items
    extent = " and ".join(counted(n_items[side], side) for side in SIDES if n_items[side])
    rows: list[list[Cell]] = [
        [
            number,
            group.kind,
            group.side,
            item.id,
            group.similarity,
            item.n_judged,
            item.original,
            item.split,
            item.content,
        ]
        for number, group in enumerate(groups, start=1)
        for item in group.items
    ]
    return AnalysisResult(
        headline=_headline(counts),
        reading=(
            "A row for each item of a group; the first is the most judged one. The same: texts "
            "that differ in case, full stops, commas, quotes and spaces alone, or files of the "
            "same checksum. Nearly: the similarity of two texts, of their 5-grams of characters, "
            "is .9 or more. Look alike: images whose colours, in 32 by 32 cells, differ little; "
            "nobody has said that they are the same."
        ),
        extent=extent,
        columns=[
            Column("group", "Group"),
            Column("kind", "Likeness"),
            Column("side", "Side"),
            Column("id", "Item"),
            Column("similarity", "Similarity", 3),
            Column("n_judged", "Judged pairs"),
            Column("original", "Marked as a duplicate of"),
            Column("split", "Split"),
            Column("content", "Content"),
        ],
        rows=rows,
        notes=list(notes),
    )


def _headline(counts: DuplicateCounts) -> str:
    """The items that repeat another, by side, or stand elsewhere too, and texts that nearly do."""
    parts = []
    for side in SIDES:
        if n := counts.n_repeats[side]:
            items = counted(counts.n_items[side], side)
            parts.append(f"{n:,} of {items} {'repeats' if n == 1 else 'repeat'} another one")
    for side in SIDES:
        if n := counts.n_elsewhere[side]:
            items = counted(counts.n_items[side], side)
            parts.append(f"{n:,} of {items} {'is' if n == 1 else 'are'} in another split too")
    if n := counts.n_near:
        parts.append(f"{counted(n, 'pair')} of texts {'is' if n == 1 else 'are'} nearly the same")
    if n := counts.n_alike:
        parts.append(f"{counted(n, 'pair')} of images {'looks' if n == 1 else 'look'} alike")
    return "; ".join(parts)
