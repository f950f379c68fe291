"""Items that are the same, or nearly: by texts, by checksums of files, and by looks of images."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Q
from django.utils.text import Truncator

from annotate.core.phrases import counted
from annotate.markdown import page_text
from annotate.models import Collection, Duplicate, Part, Resolution, Side
from annotate.services.collection.duplicates import IN_USE
from metrics.charts.analyses.collection.duplicates import (
    DuplicateCounts,
    SimilarGroup,
    SimilarItem,
    duplicates_result,
)
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.collection.duplicates import (
    NearPairs,
    TooManyPairs,
    near_texts,
    plain_text,
    same_items,
)
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.collection.image_likeness import alike_images
from metrics.services.analysis.shared_values import cached_arrays
from metrics.services.analysis.texts import digest_of
from metrics.services.scores.labels import n_propagated
from metrics.services.scores.propagation import propagation_sentence

MOST_TEXTS = 100_000  # of a side, whose texts are compared with one another
MOST_CHARACTERS = 10_000_000  # of them: memory follows these, some 100 bytes each
MOST_ITEMS = 20_000  # of the groups that are listed: their page reads all of them
TEST = "test"  # the split whose items are retrieved and judged
MAX_CONTENT = 160  # characters that are shown
_TEXTS = (Part.Kind.TEXT, Part.Kind.HTML)
_COLUMNS = (
    "item",
    "item__side",
    "item__external_id",
    "item__split",
    "kind",
    "text",
    "path",
    "checksum",
    "start",
    "end",
)


class ComparedPart(NamedTuple):
    """A part of an item; of a file path and checksum, with the seconds that are shown of it."""

    kind: str
    text: str
    path: str
    checksum: str | None
    start: float | None
    end: float | None

    @property
    def plain_text(self) -> str:
        """Its text as it is compared; "" of a file."""
        if self.kind not in _TEXTS:
            return ""
        return plain_text(page_text(self.text) if self.kind == Part.Kind.HTML else self.text)

    @property
    def values(self) -> list[object]:
        """Equal for parts that are the same: pages by their markup, which may hold pictures."""
        if self.kind == Part.Kind.HTML:
            return ["page", " ".join(self.text.split())]
        return [self.plain_text] if self.kind in _TEXTS else [self.checksum, self.start, self.end]

    @property
    def is_known(self) -> bool:
        """False of a file whose checksum is not known, and of a text of white space."""
        return bool(self.text.strip()) if self.kind in _TEXTS else bool(self.checksum)


class ComparedItem(NamedTuple):
    """An item as it is compared, with one part or more."""

    pk: int
    side: str
    id: str
    split: str
    parts: list[ComparedPart]

    @property
    def key(self) -> str | None:
        """Equal for items that are the same; None where the checksum of a file is not known."""
        if not all(part.is_known for part in self.parts):
            return None
        return json.dumps([part.values for part in self.parts])

    @property
    def text(self) -> str:
        """The plain text of an item of texts alone, else ""."""
        texts = [part.plain_text for part in self.parts]
        return " ".join(texts) if all(texts) else ""

    @property
    def content(self) -> str:
        """Its text, or the name of its first file, for people."""
        words = next((part.text for part in self.parts if part.text), self.parts[0].path).split()
        return Truncator(" ".join(words)).chars(MAX_CONTENT)


class ItemGroup(NamedTuple):
    """Items of a side that are the same; or two with the similarity of their texts or images.

    is_elsewhere : some are of another split than test, and come last; are_images : they look alike
    """

    items: list[ComparedItem]
    similarity: float | None = None
    is_elsewhere: bool = False
    are_images: bool = False


def find(request: AnalysisRequest) -> AnalysisResult:
    """Groups of items that are the same, here or in another split, and pairs of near texts."""
    collection = request.collection
    items = list(_items(collection, Q(item__split=TEST)))
    if not items:
        raise NotDefined("The collection has no texts or media yet: load its items.")
    items_by_side = [[item for item in items if item.side == side] for side in Side]
    groups = [
        ItemGroup([own_items[position] for position in positions])
        for own_items in items_by_side
        for positions in same_items([item.key for item in own_items])
    ]
    elsewhere, notes = groups_elsewhere(collection, items)
    groups += elsewhere
    notes += _checksum_notes(items)
    for own_items in items_by_side:
        near, note = _near(request, own_items)
        groups += near
        notes += note
    for own_items in items_by_side:
        alike, alike_notes = _alike(request, own_items)
        groups += alike
        notes += alike_notes
    if not groups:
        raise NotDefined(
            " ".join(["No two items are the same, and no two texts or images nearly so.", *notes])
        )
    groups_with_room, room_notes = listed_groups(collection, groups)
    notes += room_notes
    similar_groups = _described(collection, groups_with_room)
    if sentence := propagation_sentence(n_propagated(collection=collection)):
        notes.append(sentence)
    same = [group for group in groups if group.similarity is None and not group.is_elsewhere]
    counts = DuplicateCounts(
        n_items=Counter(item.side for item in items),
        n_repeats=Counter(item.side for group in same for item in group.items[1:]),
        n_elsewhere=Counter(
            item.side for group in elsewhere for item in group.items if item.split == TEST
        ),
        n_near=sum(group.similarity is not None and not group.are_images for group in groups),
        n_alike=sum(group.are_images for group in groups),
    )
    return duplicates_result(similar_groups, counts, notes)


def listed_groups(
    collection: Collection, groups: Sequence[ItemGroup]
) -> tuple[list[ItemGroup], list[str]]:
    """The groups that have room, in their order, and a sentence on those that have none.

    Groups that still can be marked take the room first, then those of other splits, and last those
    whose items are marked as duplicates of one another, or of one more item.
    """
    if sum(len(group.items) for group in groups) <= MOST_ITEMS:
        return list(groups), []
    marks = Duplicate.objects.filter(collection=collection, **IN_USE)
    originals = dict(marks.values_list("item", "original"))
    is_marked = [
        not group.is_elsewhere
        and len({originals.get(item.pk, item.pk) for item in group.items}) == 1
        for group in groups
    ]
    need = np.array([len(group.items) for group in groups])
    turn = 2 * np.array(is_marked) + np.array([group.is_elsewhere for group in groups])
    order = np.argsort(turn, kind="stable")
    has_room = np.zeros(len(groups), dtype=bool)
    has_room[order] = np.cumsum(need[order]) - need[order] < MOST_ITEMS
    n_left_out = int(np.count_nonzero(~has_room))
    n_marked = int(np.count_nonzero(~has_room & np.array(is_marked)))
    verb = "is" if n_left_out == 1 else "are"
    note = (
        f"{n_left_out:,} of the {counted(len(groups), 'group')} {verb} left out here and in the CSV"
    )
    if n_marked:
        part = "" if n_marked == n_left_out else f" {n_marked:,} of them"
        note += f",{part} as all of their items are marked"
    if n_left_out > n_marked:
        note += "; a lead's marks make room for more"
    chosen_groups = [group for group, has in zip(groups, has_room.tolist(), strict=True) if has]
    return chosen_groups, [f"{note}."] if n_left_out else []


def groups_elsewhere(
    collection: Collection, items: Sequence[ComparedItem]
) -> tuple[list[ItemGroup], list[str]]:
    """Items of the split test with the same ones of other splits, and notes on those splits.

    They are compared as they stand: no near texts, and no marks, as nothing of other splits is
    judged.
    """
    items_by_key: dict[tuple[str, str], list[ComparedItem]] = {}
    for item in items:
        if (key := item.key) is not None:
            items_by_key.setdefault((item.side, key), []).append(item)
    elsewhere: dict[tuple[str, str], list[ComparedItem]] = {}
    n_compared: Counter[str] = Counter()
    for item in _items(collection, ~Q(item__split=TEST)):
        n_compared[item.split] += 1
        if (key := item.key) is not None and (item.side, key) in items_by_key:
            elsewhere.setdefault((item.side, key), []).append(item)
    groups = [
        ItemGroup([*items_by_key[side_and_key], *copies], is_elsewhere=True)
        for side_and_key, copies in elsewhere.items()
    ]
    notes = []
    for split, n in sorted(n_compared.items()):
        n_here = sum(
            sum(item.split == TEST for item in group.items)
            for group in groups
            if any(item.split == split for item in group.items)
        )
        text = f"{n_here:,} of these items too: none of it is judged or takes a grade"
        notes.append(
            f"The split “{split}” ({counted(n, 'item')}) has {text if n_here else 'none of these'}."
        )
    return groups, notes


def _items(collection: Collection, of_splits: Q) -> Iterator[ComparedItem]:
    """The items of some splits that have a part and are not excluded."""
    parts = Part.objects.filter(of_splits, item__collection=collection, item__excluded_at=None)
    rows = parts.order_by("item", "position").values_list(*_COLUMNS).iterator(chunk_size=5_000)
    for (pk, side, id, split), item_rows in groupby(rows, key=lambda row: row[:4]):
        yield ComparedItem(pk, side, id, split, [ComparedPart(*row[4:]) for row in item_rows])


def _near(request: AnalysisRequest, items: list[ComparedItem]) -> tuple[list[ItemGroup], list[str]]:
    """Pairs of items whose texts are nearly the same, one for each text; and a note."""
    by_text = {text: item for item in reversed(items) if (text := item.text)}
    texts, distinct = list(by_text)[::-1], list(by_text.values())[::-1]
    if len(texts) > MOST_TEXTS or sum(map(len, texts)) > MOST_CHARACTERS:
        side = counted(len(texts), distinct[0].side)
        return [], [f"The texts of {side} are too many, or too long, to look for near ones."]
    try:
        pairs = _near_pairs(request, texts)
    except TooManyPairs as reason:
        return [], [str(reason)]
    return [
        ItemGroup([distinct[first], distinct[second]], similarity)
        for first, second, similarity in zip(
            pairs.first.tolist(), pairs.second.tolist(), pairs.similarity.tolist(), strict=True
        )
    ], []


def _alike(
    request: AnalysisRequest, items: list[ComparedItem]
) -> tuple[list[ItemGroup], list[str]]:
    """Pairs of items of one image alone that look alike, one for each image; and notes."""
    item_by_checksum = {
        item.parts[0].checksum: item
        for item in reversed(items)
        if len(item.parts) == 1 and item.parts[0].kind == Part.Kind.IMAGE and item.key
    }
    distinct = list(item_by_checksum.values())[::-1]
    alike, notes = alike_images(request, [str(item.parts[0].checksum) for item in distinct])
    if alike is None:
        return [], notes
    return [
        ItemGroup([distinct[first], distinct[second]], round(likeness, 3), are_images=True)
        for first, second, likeness in zip(
            alike.first.tolist(), alike.second.tolist(), alike.likeness.tolist(), strict=True
        )
    ], notes


def _near_pairs(request: AnalysisRequest, texts: list[str]) -> NearPairs:
    """The near pairs; they do not depend on labels, so they are in the cache by a hash of texts."""
    first, second, similarity = cached_arrays(
        f"near-texts-{digest_of(texts)}",
        lambda: near_texts(
            texts, report_progress=lambda n, total: request.report_progress(n, total, "texts")
        ),
    )
    return NearPairs(first.astype(np.int64), second.astype(np.int64), similarity)


def _described(collection: Collection, groups: list[ItemGroup]) -> list[SimilarGroup]:
    """The groups for people, of each the most judged item first."""
    n_judged = _judged_pairs(collection)
    marks = Duplicate.objects.filter(collection=collection)
    originals = dict(marks.values_list("item", "original__external_id"))
    similar_groups = []
    for group in groups:
        items = sorted(
            group.items,
            key=lambda item: (item.split != TEST, -n_judged.get(item.pk, 0), item.pk),
        )
        rows = [
            SimilarItem(
                item.id,
                item.content,
                n_judged.get(item.pk, 0),
                originals.get(item.pk, ""),
                item.split,
            )
            for item in items
        ]
        similar_groups.append(
            SimilarGroup(
                items[0].side, group.similarity, rows, group.is_elsewhere, group.are_images
            )
        )
    return similar_groups


def _judged_pairs(collection: Collection) -> dict[int, int]:
    """The number of pairs with a label, by item."""
    rows = Resolution.objects.filter(collection=collection, n_labels__gt=0).order_by()
    counts: dict[int, int] = {}
    for side in Side:
        end = f"pair__{side}"
        counts |= dict(rows.values(end).annotate(n=Count("pair")).values_list(end, "n"))
    return counts


def _checksum_notes(items: list[ComparedItem]) -> list[str]:
    n_unknown = sum(item.key is None for item in items)
    if not n_unknown:
        return []
    verb = "is" if n_unknown == 1 else "are"
    return [
        f"{counted(n_unknown, 'item')} {verb} not compared: a file has no checksum yet, cannot be "
        "read, or is an address on the web; or a text is empty."
    ]
