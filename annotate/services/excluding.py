"""Pairs and items that are left out, and taken back in.

An excluded pair is wanted by no round and has no resolution, so it counts as unjudged; an excluded item is dropped from
evaluation (ECCV Caption, appendix C.1), and so are all its pairs. Labels stay, in the log and in agreement. Where an
item has many pairs they follow in the background, see review_work.py.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from annotate.models import (
    ClockTimestamp,
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
from annotate.services import reports, review_log, review_work
from annotate.services.review_work import Handler, Stretch, begin, of_items, require_rest
from annotate.services.seating import note_changes, reconcile_pairs
from annotate.signals import wishes_restored


class Excluded(Exception):
    """It is left out already, or is not; nothing was changed."""


@transaction.atomic
def exclude_pair(*, pair: Pair, by: User, reason: str) -> None:
    """Ask nobody for this pair any more, let it count as unjudged, settle its open reports. Raises Excluded."""
    _lock([pair.pk])
    made, is_new = PairExclusion.objects.get_or_create(
        pair=pair, defaults={"collection_id": pair.collection_id, "reason": reason}
    )
    if not is_new:
        raise Excluded("This pair is excluded already.")
    made.refresh_from_db()
    _drop([pair.pk], at=made.at, by=by)
    _follow(pair, ReviewAction.Kind.PAIR_EXCLUDED, by, reason)


@transaction.atomic
def restore_pair(*, pair: Pair, by: User, reason: str = "") -> None:
    """Take an excluded pair back in. Raises Excluded."""
    _lock([pair.pk])
    left_out = PairExclusion.objects.filter(pair=pair).first()
    if left_out is None:
        raise Excluded("This pair is not excluded.")
    left_out.delete()
    _want([pair.pk], since=left_out.at, by=by)
    _tell_of_wishes(RoundPair.objects.filter(pair=pair))
    _follow(pair, ReviewAction.Kind.PAIR_RESTORED, by, reason)


@transaction.atomic
def exclude_item(*, item: Item, by: User, reason: str) -> ReviewWork:
    """Leave an item out of evaluation, and ask nobody for its pairs any more: of many pairs by a worker.

    Raises Excluded, UnderWay.
    """
    left_out = Item.objects.filter(pk=item.pk, excluded_at=None)
    if not left_out.update(excluded_at=ClockTimestamp(), excluded_reason=reason):
        raise Excluded(f"Item {item.external_id} is excluded already.")
    item.refresh_from_db()
    return _begin(item, ReviewAction.Kind.ITEM_EXCLUDED, drop_some, by, reason, since=item.excluded_at)


@transaction.atomic
def restore_item(*, item: Item, by: User, reason: str = "") -> ReviewWork:
    """Take an excluded item back in, with those of its pairs that nothing else leaves out: of many by a worker.

    Raises Excluded, UnderWay.
    """
    since = Item.objects.select_for_update(no_key=True).get(pk=item.pk).excluded_at
    if since is None:
        raise Excluded(f"Item {item.external_id} is not excluded.")
    Item.objects.filter(pk=item.pk).update(excluded_at=None, excluded_reason="")
    item.refresh_from_db()
    return _begin(item, ReviewAction.Kind.ITEM_RESTORED, want_some, by, reason, since=since)


def drop_some(decision: ReviewWork) -> Stretch:
    """The next pairs of an item that is left out."""
    pairs = _lock_next(decision)
    _drop(pairs, at=decision.since, by=decision.action.by)
    return _reconciled(decision, pairs)


def want_some(decision: ReviewWork) -> Stretch:
    """The next pairs of an item that is taken back in."""
    pairs = _lock_next(decision)
    _want(pairs, since=decision.since, by=decision.action.by)
    if len(pairs) < review_work.STRETCH:
        _tell_of_wishes(RoundPair.objects.filter(pair__in=_pairs_of(decision.action.item)))
    return _reconciled(decision, pairs)


def _begin(
    item: Item, kind: ReviewAction.Kind, handler: Handler, by: User, reason: str, *, since: datetime
) -> ReviewWork:
    require_rest(of_items(items=[item]))
    # An item concerns the scores of queries that have no pair with it, too; at once, however long its pairs take.
    note_changes(collection_id=item.collection_id, pair_ids=[None])
    about = review_log.About(item=item)
    action = review_log.note(collection=item.collection, kind=kind, by=by, about=about, reason=reason)
    return begin(action=action, n_total=_pairs_of(item).count(), handler=handler, since=since)


def _lock_next(decision: ReviewWork) -> list[int]:
    due = _pairs_of(decision.action.item).filter(pk__gt=decision.cursor).order_by("pk")
    return _lock(list(due[: review_work.STRETCH]))


def _reconciled(decision: ReviewWork, pairs: list[int]) -> Stretch:
    reconcile_pairs(pair_ids=pairs)
    note_changes(collection_id=decision.action.collection_id, pair_ids=pairs)
    return Stretch(len(pairs), 0, pairs[-1] if pairs else decision.cursor, len(pairs))


def _pairs_of(item: Item) -> QuerySet[Pair, int]:
    side = "query" if item.side == "query" else "document"
    return Pair.objects.filter(**{side: item}).values_list("pk", flat=True)


def _lock(pairs: Sequence[int] | QuerySet[Pair, int]) -> list[int]:
    locked = Pair.objects.filter(pk__in=pairs).order_by("pk").select_for_update(no_key=True)
    return list(locked.values_list("pk", flat=True))


def _drop(pairs: list[int], *, at: datetime, by: User | None) -> None:
    """No round wants them any more, their reports are settled, and no gold is served of them."""
    RoundPair.objects.filter(pair__in=pairs, dropped_at=None).update(dropped_at=at)
    reports.settle(reports=Report.objects.filter(pair__in=pairs), by=by, at=at)
    Gold.objects.filter(pair__in=pairs, retired_at=None).update(retired_at=at)


def _want(pairs: list[int], *, since: datetime, by: User | None) -> None:
    """Let what was dropped at that moment be as before, but for what something else leaves out.

    What only retired runs hold is dropped again by who knows of runs.
    """
    still_out = set(Pair.objects.left_out().filter(pk__in=pairs).values_list("pk", flat=True))
    back_in = [pair for pair in pairs if pair not in still_out]
    reports.reopen(reports=Report.objects.filter(pair__in=back_in).settled_at_one_of([since]), by=by)
    Gold.objects.filter(pair__in=back_in, retired_at=since).update(retired_at=None)
    RoundPair.objects.filter(pair__in=back_in, dropped_at__isnull=False).update(dropped_at=None)


def _tell_of_wishes(wishes: QuerySet[RoundPair]) -> None:
    if rounds := sorted(wishes.values_list("round_id", flat=True).distinct()):
        wishes_restored.send(sender=RoundPair, round_ids=rounds)


def _follow(pair: Pair, kind: ReviewAction.Kind, by: User, reason: str) -> None:
    reconcile_pairs(pair_ids=[pair.pk])
    note_changes(collection_id=pair.collection_id, pair_ids=[pair.pk])
    review_log.note(collection=pair.collection, kind=kind, by=by, about=review_log.About(pair=pair), reason=reason)
