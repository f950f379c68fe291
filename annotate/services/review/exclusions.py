"""Exclusion of pairs and items, and its reversal.

An excluded pair is in no round and has no resolution, so it counts as unjudged; an excluded item is
dropped from evaluation (ECCV Caption, appendix C.1), and so are all its pairs. Labels stay, in the
log and in agreement. Many pairs of an item follow in the background, see decisions.py.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotate.core.consequences import require_told, require_unchanged
from annotate.models import (
    ClockTimestamp,
    Duplicate,
    Gold,
    Item,
    Pair,
    PairExclusion,
    Report,
    ReviewAction,
    ReviewWork,
    RoundPair,
    User,
)
from annotate.services.judging import reports
from annotate.services.review.exclusion_consequences import (
    n_labels_of,
    pairs_of_item,
    pairs_of_pair,
)
from annotate.services.review.pair_actions import reconcile_and_log
from annotate.services.seating import note_changes, reconcile_pairs
from annotate.services.supervision import bulk_decisions, review_log
from annotate.services.supervision.bulk_decisions import (
    Handler,
    Stretch,
    begin,
    require_none_under_way,
    unfinished_of_items,
)
from annotate.signals import duplicates_changed, round_pairs_restored


class ExclusionUnchanged(Exception):
    """The pair or item is excluded already, or is not; nothing was changed."""


@transaction.atomic
def exclude_pair(*, pair: Pair, by: User, reason: str, expected: int | None = None) -> datetime:
    """Ask nobody for this pair any more, let it count as unjudged, settle its open reports.

    Returns the moment. Raises ExclusionUnchanged, CountChanged.

    expected : number of labels that the lead was told of, no more than which cease to count
    """
    _lock([pair.pk])
    n_labels = n_labels_of(pairs=pairs_of_pair(pair=pair).filter(exclusion=None))
    require_told(n_labels, expected=expected, noun="label")
    exclusion, is_new = PairExclusion.objects.get_or_create(
        pair=pair, defaults={"collection_id": pair.collection_id, "reason": reason}
    )
    if not is_new:
        raise ExclusionUnchanged("This pair is excluded already.")
    exclusion.refresh_from_db()
    _drop_pairs([pair.pk], at=exclusion.at, by=by)
    _notify_of_duplicates(pair.collection_id, [pair.query_id, pair.document_id])
    reconcile_and_log(pair=pair, kind=ReviewAction.Kind.PAIR_EXCLUDED, by=by, reason=reason)
    return exclusion.at


@transaction.atomic
def restore_pair(
    *, pair: Pair, by: User, reason: str = "", done_at: datetime | None = None
) -> None:
    """Take an excluded pair back in. Raises ExclusionUnchanged, ActChanged.

    done_at : moment of the exclusion that is taken back, None for any
    """
    _lock([pair.pk])
    exclusion = PairExclusion.objects.filter(pair=pair).first()
    if exclusion is None:
        raise ExclusionUnchanged("This pair is not excluded.")
    require_unchanged(exclusion.at, done_at=done_at)
    exclusion.delete()
    _restore_pairs([pair.pk], since=exclusion.at, by=by)
    _notify_restored_rounds(RoundPair.objects.filter(pair=pair))
    reconcile_and_log(pair=pair, kind=ReviewAction.Kind.PAIR_RESTORED, by=by, reason=reason)


@transaction.atomic
def exclude_item(*, item: Item, by: User, reason: str, expected: int | None = None) -> ReviewWork:
    """Leave an item out of evaluation, and ask nobody for its pairs any more.

    A worker handles many pairs. Raises ExclusionUnchanged, DecisionUnderWay, CountChanged.

    expected : number of labels that the lead was told of, no more than which cease to count; where
        a worker goes on, labels that arrive from now on are not among them
    """
    included_item = Item.objects.filter(pk=item.pk, excluded_at=None)
    if not included_item.update(excluded_at=ClockTimestamp(), excluded_reason=reason):
        raise ExclusionUnchanged(f"Item {item.external_id} is excluded already.")
    if _pairs_of(item).count() <= bulk_decisions.SYNCHRONOUS_ROWS:
        _lock(_pairs_of(item))  # answers wait; a worker would lock them only later
    n_labels = n_labels_of(pairs=pairs_of_item(item=item))
    require_told(n_labels, expected=expected, noun="label")
    item.refresh_from_db()
    assert item.excluded_at is not None, "just set"  # noqa: S101
    return _begin_review(
        item, ReviewAction.Kind.ITEM_EXCLUDED, drop_next_pairs, by, reason, since=item.excluded_at
    )


@transaction.atomic
def restore_item(
    *, item: Item, by: User, reason: str = "", done_at: datetime | None = None
) -> ReviewWork:
    """Take an excluded item back in, with its pairs that nothing else excludes.

    A worker handles many pairs. Raises ExclusionUnchanged, DecisionUnderWay, ActChanged.

    done_at : moment of the exclusion that is taken back, None for any
    """
    since = Item.objects.select_for_update(no_key=True).get(pk=item.pk).excluded_at
    if since is None:
        raise ExclusionUnchanged(f"Item {item.external_id} is not excluded.")
    require_unchanged(since, done_at=done_at)
    Item.objects.filter(pk=item.pk).update(excluded_at=None, excluded_reason="")
    item.refresh_from_db()
    return _begin_review(
        item, ReviewAction.Kind.ITEM_RESTORED, restore_next_pairs, by, reason, since=since
    )


def drop_next_pairs(decision: ReviewWork) -> Stretch:
    """Drop the next pairs of an excluded item."""
    pairs = _lock_next(decision)
    _drop_pairs(pairs, at=bulk_decisions.since_of(decision), by=decision.action.by)
    return _reconcile(decision, pairs)


def restore_next_pairs(decision: ReviewWork) -> Stretch:
    """Restore the next pairs of an item that is taken back in."""
    pairs = _lock_next(decision)
    _restore_pairs(pairs, since=bulk_decisions.since_of(decision), by=decision.action.by)
    if len(pairs) < bulk_decisions.STRETCH:
        item_pairs = _pairs_of(bulk_decisions.item_of(decision))
        _notify_restored_rounds(RoundPair.objects.filter(pair__in=item_pairs))
    return _reconcile(decision, pairs)


def _begin_review(
    item: Item, kind: ReviewAction.Kind, handler: Handler, by: User, reason: str, *, since: datetime
) -> ReviewWork:
    require_none_under_way(unfinished_of_items(items=[item]))
    # At once, however long its pairs take: it concerns the scores of queries without a pair of it.
    note_changes(collection_id=item.collection_id, pair_ids=[None])
    subject = review_log.ActionSubject(item=item)
    action = review_log.note(
        collection=item.collection, kind=kind, by=by, subject=subject, reason=reason
    )
    decision = begin(action=action, n_total=_pairs_of(item).count(), handler=handler, since=since)
    # last: whoever goes through a pool locks pairs first, too
    _notify_of_duplicates(item.collection_id, [item.pk])
    return decision


def _lock_next(decision: ReviewWork) -> list[int]:
    item_pairs = _pairs_of(bulk_decisions.item_of(decision))
    next_pairs = item_pairs.filter(pk__gt=decision.cursor).order_by("pk")
    return _lock(list(next_pairs[: bulk_decisions.STRETCH]))


def _reconcile(decision: ReviewWork, pairs: list[int]) -> Stretch:
    reconcile_pairs(pair_ids=pairs)
    note_changes(collection_id=decision.action.collection_id, pair_ids=pairs)
    return Stretch(len(pairs), 0, pairs[-1] if pairs else decision.cursor, len(pairs))


def _pairs_of(item: Item) -> QuerySet[Pair, int]:
    return Pair.objects.filter(**{item.side: item}).values_list("pk", flat=True)


def _lock(pairs: Sequence[int] | QuerySet[Pair, int]) -> list[int]:
    locked_pairs = Pair.objects.filter(pk__in=pairs).order_by("pk").select_for_update(no_key=True)
    return list(locked_pairs.values_list("pk", flat=True))


def _drop_pairs(pairs: list[int], *, at: datetime, by: User | None) -> None:
    """Drop the pairs from their rounds, settle their reports, and retire their golds."""
    RoundPair.objects.filter(pair__in=pairs, dropped_at=None).update(dropped_at=at)
    reports.settle(reports=Report.objects.filter(pair__in=pairs), by=by, at=at)
    Gold.objects.filter(pair__in=pairs, retired_at=None).update(retired_at=at)


def _restore_pairs(pairs: list[int], *, since: datetime, by: User | None) -> None:
    """Restore the pairs dropped at that moment, but for those excluded otherwise.

    Pairs that only retired runs hold are dropped again by pooling, which knows the runs.
    """
    excluded_pairs = set(Pair.objects.left_out().filter(pk__in=pairs).values_list("pk", flat=True))
    restored_pairs = [pair for pair in pairs if pair not in excluded_pairs]
    reports.reopen(
        reports=Report.objects.filter(pair__in=restored_pairs).settled_at_one_of([since]), by=by
    )
    Gold.objects.filter(pair__in=restored_pairs, retired_at=since).update(retired_at=None)
    RoundPair.objects.filter(pair__in=restored_pairs, dropped_at__isnull=False).update(
        dropped_at=None
    )


def _notify_of_duplicates(collection_id: int, items: Sequence[int]) -> None:
    """Tell pooling where one of the items repeats another, or is repeated."""
    marks = Duplicate.objects.filter(Q(item__in=items) | Q(original__in=items))
    if marks.exists():
        duplicates_changed.send(sender=Duplicate, collection_id=collection_id)


def _notify_restored_rounds(round_pairs: QuerySet[RoundPair]) -> None:
    if rounds := sorted(round_pairs.values_list("round_id", flat=True).distinct()):
        round_pairs_restored.send(sender=RoundPair, round_ids=rounds)
