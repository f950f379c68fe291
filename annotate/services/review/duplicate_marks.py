"""Leads' marks of duplicates: items that repeat another one, whose pairs are judged there, once."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import transaction

from annotate.core.consequences import require_told
from annotate.models import Collection, Duplicate, Item, ReviewAction, User
from annotate.services.background.workers import lock_task
from annotate.services.collection.duplicates import IN_USE
from annotate.services.seating import note_changes
from annotate.signals import duplicates_changed

BATCH = 2_000


class DuplicateRefused(Exception):
    """These items cannot be marked so; nothing was changed."""


class DuplicateGroup(NamedTuple):
    """Items that are to be judged once: the original, and its duplicates."""

    original: Item
    items: Sequence[Item]


@transaction.atomic
def mark_duplicates(
    *,
    collection: Collection,
    groups: Sequence[DuplicateGroup],
    by: User | None,
    expected: int | None = None,
) -> int:
    """Mark the items of groups as duplicates, each with a line of the log; returns their number.

    What repeats one of these repeats its original from now on. The mark of an item whose original
    was excluded is replaced. Raises DuplicateRefused.

    expected : number of items that a lead was told of; raises CountChanged where there are more
    """
    lock_task("duplicates", collection=collection)
    stored_originals = dict(
        Duplicate.objects.filter(collection=collection, **IN_USE).values_list("item", "original")
    )
    new_originals: dict[int, Item] = {}
    for group in groups:
        for item in group.items:
            _check(item, group.original, collection)
            if item.pk in new_originals or item.pk in stored_originals:
                raise DuplicateRefused(f"{item} is marked already, as a duplicate.")
            new_originals[item.pk] = group.original
    originals = {group.original.pk: group.original for group in groups}
    for key, original in originals.items():
        if key in stored_originals or key in new_originals:
            raise DuplicateRefused(
                f"{original} is itself a duplicate: choose its original, or take that mark back."
            )
    require_told(len(new_originals), expected=expected, noun="item")
    stale_marks = Duplicate.objects.filter(item__in=[*new_originals, *originals])
    stale_rows = list(stale_marks.select_related("original").order_by("item"))
    stale_marks.delete()
    _log(collection, ReviewAction.Kind.DUPLICATE_UNMARKED, stale_rows, by)
    followers = list(Duplicate.objects.filter(original__in=list(new_originals)).order_by("item"))
    for follower in followers:
        follower.original = new_originals[follower.original_id]
    Duplicate.objects.bulk_update(followers, ["original"], batch_size=BATCH)
    rows = [
        Duplicate(item_id=key, original=original, collection=collection, side=original.side)
        for key, original in sorted(new_originals.items())
    ]
    Duplicate.objects.bulk_create(rows, batch_size=BATCH)
    _log(collection, ReviewAction.Kind.DUPLICATE_MARKED, [*rows, *followers], by)
    return len(rows)


@transaction.atomic
def unmark_duplicates(
    *, collection: Collection, items: Iterable[Item], by: User | None, expected: int | None = None
) -> int:
    """Take the marks of items back, so that their pairs are judged again; returns their number.

    expected : number of marks that a lead was told of; raises CountChanged where there are more
    """
    lock_task("duplicates", collection=collection)
    keys = [item.pk for item in items]
    rows = list(
        Duplicate.objects.filter(collection=collection, item__in=keys)
        .select_related("original")
        .order_by("item")
    )
    require_told(len(rows), expected=expected, noun="mark")
    Duplicate.objects.filter(item__in=[row.item_id for row in rows]).delete()
    _log(collection, ReviewAction.Kind.DUPLICATE_UNMARKED, rows, by)
    return len(rows)


def _check(item: Item, original: Item, collection: Collection) -> None:
    if {item.collection_id, original.collection_id} != {collection.pk}:
        raise DuplicateRefused("An item of another collection was named.")
    if item.pk == original.pk:
        raise DuplicateRefused(f"{item} cannot repeat itself.")
    if item.side != original.side:
        raise DuplicateRefused(f"{item} and {original} are not of one side.")
    for end in (item, original):
        if end.excluded_at is not None or end.split != "test":
            raise DuplicateRefused(f"{end} is left out of evaluation.")


def _log(
    collection: Collection, kind: ReviewAction.Kind, rows: Sequence[Duplicate], by: User | None
) -> None:
    """Write a line of the log for each mark, and tell metrics and pooling."""
    if not rows:
        return
    ReviewAction.objects.bulk_create(
        [
            ReviewAction(
                collection=collection,
                kind=kind,
                by=by,
                item_id=row.item_id,
                reason=f"Of {row.original}"[:500],
            )
            for row in rows
        ],
        batch_size=BATCH,
    )
    note_changes(collection_id=collection.pk, pair_ids=[None])
    duplicates_changed.send(sender=Duplicate, collection_id=collection.pk)
