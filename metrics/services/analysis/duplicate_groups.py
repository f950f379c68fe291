"""Found groups of items of which nobody has said yet that they are duplicates, for leads."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet

from annotate.core.consequences import Consequences
from annotate.core.labels.pair_states import PairState
from annotate.core.phrases import counted
from annotate.http import ItemContent, item_content
from annotate.models import Collection, Duplicate, Item, Round, RoundPairState, Side
from annotate.services.collection.duplicates import IN_USE
from annotate.services.review.duplicate_marks import DuplicateGroup
from metrics.charts.analyses.collection.duplicates import ELSEWHERE, LOOK_ALIKE, SAME
from metrics.charts.results import AnalysisResult, Cell
from metrics.services.analysis.analyses import Analysis
from metrics.services.analysis.choices import SharedChoices
from metrics.services.analysis.page import AnalysisPanel, panels_of
from pooling.models import Pool
from pooling.services.pools.strata import SAMPLED

MOST_CARDS = 30  # groups that a page shows with their content
MOST_MARKS = 200  # duplicates that a page lists
ItemName = tuple[str, str]  # side and id
_WAY_BACK = "Each mark can be taken back here: pools then ask about its pairs again."


class OpenGroup(NamedTuple):
    """Items that were found to be the same, or nearly, and are still judged each by itself.

    n_judged : judged pairs of two items or more, the most judged first; those of an original that
        the group did not have are not known here
    similarity : of two texts or images, None for the same; are_images : they look alike
    """

    n_judged: dict[ItemName, int | None]
    similarity: float | None
    are_images: bool


class GroupItem(NamedTuple):
    """An item of a group with its content, and the number of its judged pairs where it is known."""

    item_content: ItemContent
    n_judged: int | None


class DuplicateCard(NamedTuple):
    """An open group for people; the first item is proposed as the original.

    n_waiting : pairs of its items that wait for labels in open pools other than samples
    """

    similarity: float | None
    items: list[GroupItem]
    are_images: bool
    n_waiting: int

    @property
    def likeness(self) -> str:
        """The likeness in words."""
        if self.are_images:
            return "Look alike: nobody has said they are the same"
        return (
            "The same"
            if self.similarity is None
            else f"Nearly the same: similarity {self.similarity:.3f}"
        )

    @property
    def marking(self) -> Consequences:
        """The consequences of marking its items, all of which are ticked at first."""
        n = max(len(self.items) - 1, 0)
        most = counted(n, "item") if n == 1 else f"up to {counted(n, 'item')}"
        return Consequences(
            act="mark",
            title="Judge once",
            button=f"Judge {most} as the original",
            sentences=(
                f"{most[0].upper()}{most[1:]} would be judged as the original that is chosen; one "
                "whose tick is taken away stays as it is.",
                *_effects(self.n_waiting),
            ),
            way_back=_WAY_BACK,
            n=n,
            is_danger=False,
        )


class DuplicatesPage(NamedTuple):
    """Open groups with their content, and marks.

    groups, cards : the open groups that are shown, with the pages of all, and their content
    n_open, n_same : all open groups, those of the same
    marking_all : the consequences of marking all of the same
    marks : the newest ones; n_marks : all
    """

    panel: AnalysisPanel
    groups: Page[OpenGroup]
    cards: list[DuplicateCard]
    n_open: int
    n_same: int
    marking_all: Consequences
    marks: list[Duplicate]
    n_marks: int

    @property
    def unmarking(self) -> Consequences:
        """The consequences of taking all marks back."""
        marks, items = counted(self.n_marks, "mark"), counted(self.n_marks, "item")
        return Consequences(
            act="unmark-all",
            title="Take all back",
            button=f"Take {marks} back",
            sentences=(
                f"{items} marked now would be judged without the originals: open pools ask about "
                "their pairs again.",
                "Grades that their pairs took from the originals leave scores and qrels; labels "
                "that were given stay.",
            ),
            way_back="They can be marked again here, those that are the same all at once.",
            n=self.n_marks,
            is_danger=False,
        )


def page_of(
    *, collection: Collection, analysis: Analysis, choices: SharedChoices, number: str
) -> DuplicatesPage:
    """The page of a collection's duplicates; a constant number of queries.

    number : which of the pages of groups; the first where it is no number, at most the last
    """
    (panel,) = panels_of(collection=collection, analyses=[analysis], choices=choices)
    groups = open_groups(collection=collection, panel=panel)
    shown_groups = Paginator(groups, MOST_CARDS).get_page(number)
    marks = Duplicate.objects.filter(collection=collection)
    with_items = marks.select_related("item", "original").prefetch_related(
        "item__parts", "original__parts"
    )
    newest = with_items.order_by("-at", "-item")[:MOST_MARKS]
    same = [group for group in groups if group.similarity is None]
    return DuplicatesPage(
        panel=panel,
        groups=shown_groups,
        cards=_cards(collection, list(shown_groups)),
        n_open=len(groups),
        n_same=len(same),
        marking_all=_marking_all(collection, same),
        marks=list(newest),
        n_marks=marks.count(),
    )


def open_groups(*, collection: Collection, panel: AnalysisPanel) -> list[OpenGroup]:
    """The groups of a computed analysis, with originals in the place of marked duplicates.

    Items may have been excluded since it was computed: those are left out.
    """
    if panel.answer is None or panel.answer.result is None:
        return []
    marks = Duplicate.objects.filter(collection=collection, **IN_USE)
    rows = marks.values_list("side", "item__external_id", "original__external_id")
    originals = {(side, item): (side, original) for side, item, original in rows}
    groups = [
        OpenGroup(
            {
                name: group.n_judged.get(name)
                for name in (originals.get(name, name) for name in group.n_judged)
            },
            group.similarity,
            group.are_images,
        )
        for group in _found_groups(panel.answer.result)
    ]
    in_use = set(_items(collection, groups).values_list("side", "external_id"))
    groups = [
        group._replace(n_judged={name: n for name, n in group.n_judged.items() if name in in_use})
        for group in groups
    ]
    return [group for group in groups if len(group.n_judged) > 1]


def same_groups(*, collection: Collection, panel: AnalysisPanel) -> list[DuplicateGroup]:
    """The open groups of items that are the same, each with the proposed original."""
    groups = [
        group
        for group in open_groups(collection=collection, panel=panel)
        if group.similarity is None
    ]
    items = {(item.side, item.external_id): item for item in _items(collection, groups)}
    item_lists = [
        [items[name] for name in names if name in items]  # one may be excluded at this moment
        for names in _joined_names(groups)
    ]
    return [DuplicateGroup(group[0], group[1:]) for group in item_lists if len(group) > 1]


def _joined_names(groups: Sequence[OpenGroup]) -> list[list[ItemName]]:
    """The items of groups; those with an item in common, as marks may leave them, are one group."""
    lists: dict[ItemName, list[ItemName]] = {}
    for group in groups:
        joined: list[ItemName] = []
        for name in group.n_judged:
            joined += [other for other in lists.get(name, [name]) if other not in joined]
        lists |= dict.fromkeys(joined, joined)
    return list({id(names): names for names in lists.values()}.values())


def _marking_all(collection: Collection, groups: Sequence[OpenGroup]) -> Consequences:
    """The consequences of marking the items of groups; two queries."""
    joined_names = _joined_names(groups)
    n = sum(len(names) - 1 for names in joined_names)
    same_names = {name for names in joined_names for name in names}
    rows = _items(collection, groups).values_list("pk", "side", "external_id")
    keys = [pk for pk, *name in rows if tuple(name) in same_names]
    is_of_them = Q(pair__query__in=keys) | Q(pair__document__in=keys)
    n_waiting = _waiting(collection).filter(is_of_them).values("pair").distinct().count()
    originals = "its original" if n == 1 else "their originals"
    return Consequences(
        act="mark-all",
        title=f"Judge once: all {counted(len(groups), 'group')} of the same",
        button=f"Judge {counted(n, 'item')} as {originals}",
        sentences=(
            f"{counted(n, 'item')} would be judged as {originals}: the most judged item of each "
            "group.",
            *_effects(n_waiting),
        ),
        way_back=_WAY_BACK,
        n=n,
        is_danger=False,
    )


def _effects(n_waiting: int) -> tuple[str, str]:
    """The sentences on the pairs and labels of items that are marked."""
    pairs = counted(n_waiting, "pair")
    verb = "waits" if n_waiting == 1 else "wait"
    return (
        f"{pairs} of these items {verb} for labels in open pools: a pool that has the same pair of "
        "the original asks about that one alone."
        if n_waiting
        else "No open pool would ask about fewer pairs.",
        "Labels that were given stay with their own items. A pair of a duplicate without all "
        "labels of its own takes the grade of the original's pair in scores and qrels.",
    )


def _waiting(collection: Collection) -> QuerySet[RoundPairState]:
    """The pairs that wait for labels in open pools, but for samples, which keep repeats."""
    pools = Pool.objects.filter(collection=collection, round__state__in=Round.WANTING)
    return RoundPairState.objects.filter(
        round__in=pools.exclude(strategy=SAMPLED).values("round"),
        state__in=[state for state in PairState if state.waits_for_labels],
    )


def _n_waiting(collection: Collection, items: Sequence[Item]) -> dict[int, int]:
    """The number of waiting pairs of items, by their keys; two queries."""
    counts: dict[int, int] = {}
    for side in Side:
        name = f"pair__{side}"
        keys = [item.pk for item in items if item.side == side]
        rows = _waiting(collection).filter(**{f"{name}__in": keys}).order_by(name).values(name)
        counts |= dict(rows.annotate(n=Count("pair", distinct=True)).values_list(name, "n"))
    return counts


def _found_groups(result: AnalysisResult) -> Iterator[OpenGroup]:
    column = {column.key: position for position, column in enumerate(result.columns)}

    def text(row: Sequence[Cell], key: str) -> str:
        return str(row[column[key]])

    for _, group in groupby(result.rows, key=lambda row: row[column["group"]]):
        rows = list(group)
        if text(rows[0], "kind") == ELSEWHERE:
            continue  # what is not judged takes no grade
        is_same = text(rows[0], "kind") == SAME
        similarity = None if is_same else float(text(rows[0], "similarity"))
        n_judged: dict[ItemName, int | None] = {
            (text(row, "side"), text(row, "id")): int(text(row, "n_judged")) for row in rows
        }
        yield OpenGroup(n_judged, similarity, text(rows[0], "kind") == LOOK_ALIKE)


def _cards(collection: Collection, groups: Sequence[OpenGroup]) -> list[DuplicateCard]:
    items = list(_items(collection, groups).prefetch_related("parts"))
    contents = {
        (item.side, item.external_id): ItemContent(item, item_content(item, collection.slug))
        for item in items
    }
    n_waiting = _n_waiting(collection, items)
    cards = []
    for group in groups:
        group_items = [
            GroupItem(contents[name], n_judged)
            for name, n_judged in group.n_judged.items()
            if name in contents  # one may be excluded at this moment
        ]
        n = sum(n_waiting.get(row.item_content.item.pk, 0) for row in group_items)
        cards.append(DuplicateCard(group.similarity, group_items, group.are_images, n))
    return cards


def _items(collection: Collection, groups: Sequence[OpenGroup]) -> QuerySet[Item]:
    """Items in use by the ids of groups; perhaps one of the other side too."""
    ids = {external_id for group in groups for _, external_id in group.n_judged}
    return Item.objects.in_use().filter(collection=collection, external_id__in=ids)
