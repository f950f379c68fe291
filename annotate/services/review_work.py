"""Decisions that concern many labels or pairs: written down in the request, carried out stretch by stretch.

A stretch is one transaction, which also keeps how far it came: who is killed between two goes on where it stopped, and
no row is gone through twice. Little is done at once, in the transaction that decides; the rest a worker does, and a
sweep finds what a lost task left. What undoes a decision under way is refused until it is done.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.models import Annotator, ClockTimestamp, Item, ReviewAction, ReviewWork
from annotate.services.background import progress
from annotate.services.background.workers import worker_is_missing
from annotate.signals import review_work_begun

AT_ONCE = 200  # rows that are done while the lead waits
STRETCH = 500  # rows of one transaction; the annotator concerned waits for no more than this


class UnderWay(Exception):
    """Another decision about the same labels or pairs is being carried out; nothing was changed."""


class Stretch(NamedTuple):
    """What one transaction did: rows done, rows that stay surplus, the key of the last one; how many it looked at."""

    n_done: int
    n_surplus: int
    last: int
    n_seen: int


Way = Callable[[ReviewWork], Stretch]  # does the next STRETCH rows after work.cursor


def begin(
    *, action: ReviewAction, n_total: int, way: Way, since: datetime | None = None, until: datetime | None = None
) -> ReviewWork:
    """Carry out what was just decided: at once where it is little, else by a worker. Within the deciding transaction.

    n_total : rows that it is about
    """
    work = ReviewWork.objects.create(action=action, n_total=n_total, since=since, until=until)
    if n_total > AT_ONCE:
        review_work_begun.send(sender=ReviewWork, work_id=work.pk)
        return work
    while work.finished_at is None:
        work = go_on(work=work, way=way)
    return work


@transaction.atomic
def go_on(*, work: ReviewWork, way: Way) -> ReviewWork:
    """The next stretch, and how far it came; nothing where all is done. Safe at any time, also twice at once."""
    fresh = ReviewWork.objects.select_for_update(of=("self",)).select_related(
        "action__by", "action__collection", "action__annotator", "action__item", "action__batch"
    )
    work = fresh.get(pk=work.pk)
    if work.finished_at is not None:
        return work
    did = way(work)
    work.n_done += did.n_done
    work.n_surplus += did.n_surplus
    work.cursor = did.last
    work.finished_at = ClockTimestamp() if did.n_seen < STRETCH else None
    work.save(update_fields=["n_done", "n_surplus", "cursor", "finished_at"])
    work.refresh_from_db(fields=["finished_at"])
    return work


def behind() -> list[int]:
    """Decisions that have yet to be carried out."""
    return list(_unfinished().order_by("pk").values_list("pk", flat=True))


def of_annotator(*, annotator: Annotator) -> list[ReviewWork]:
    """What is being done about one person's answers."""
    return list(_unfinished().filter(action__annotator=annotator).order_by("pk"))


def of_items(*, items: list[Item]) -> list[ReviewWork]:
    """What is being done about items and their pairs."""
    return list(_unfinished().filter(action__item__in=items).order_by("pk"))


def require_rest(works: list[ReviewWork]) -> None:
    """Raise UnderWay where something is being done; to be called behind the lock that whoever begins it takes."""
    for work in works:
        raise UnderWay(f"{title(work)}: {work.n_seen:,} of {work.n_total:,} so far. Wait until that is done.")


def title(work: ReviewWork) -> str:
    """What is being done, in words."""
    return _DOING[work.action.kind].format(whose=_whose(work))


def outcome(work: ReviewWork) -> str:
    """What was done, in words."""
    said = _DONE[work.action.kind].format(n=work.n_done, item=work.action.item, whose=_whose(work))
    if work.n_surplus:
        said += f" {work.n_surplus:,} stay out as surplus: others have given these pairs their labels since."
    return said


def said(work: ReviewWork) -> str:
    """What was done; or, while a worker is at it, what is being done."""
    return outcome(work) if work.finished_at else f"{title(work)}: {work.n_total:,} {unit(work)}, in the background."


def unit(work: ReviewWork) -> str:
    """What its rows are."""
    return "pairs" if work.action.item_id else "answers"


def standing(work: ReviewWork) -> progress.Standing:
    """What a page says of one under way; from its row, so that nothing is lost with the cache."""
    now = timezone.now()
    seconds = max(0.0, (now - work.action.at).total_seconds())
    left = max(0, work.n_total - work.n_seen) * seconds / work.n_seen if work.n_seen else None
    known = progress.Progress(work.n_seen, work.n_total, unit(work), left, now)
    return progress.Standing(known, False, worker_is_missing())


def _unfinished() -> QuerySet[ReviewWork]:
    named = ("action__collection", "action__annotator", "action__item", "action__batch")
    return ReviewWork.objects.filter(finished_at=None).select_related(*named)


def _whose(work: ReviewWork) -> str:
    action = work.action
    if action.item:
        return f"{action.item.get_side_display().lower()} {action.item}"
    return f"batch {action.batch.number} of {action.annotator}" if action.batch else str(action.annotator)


_Kind = ReviewAction.Kind
_OUT = "{n:,} answers no longer count, and others are asked for the labels."
_BACK = "{n:,} answers count again."
_DOING = {
    _Kind.LABELS_WITHDRAWN: "Withdrawing answers of {whose}",
    _Kind.LABELS_RESTORED: "Restoring answers of {whose}",
    _Kind.BATCH_REJECTED: "Withdrawing the answers of {whose}",
    _Kind.BATCH_REQUEUED: "Withdrawing the answers of {whose}",
    _Kind.BATCH_REOPENED: "Restoring the answers of {whose}",
    _Kind.ITEM_EXCLUDED: "Leaving out the pairs of {whose}",
    _Kind.ITEM_RESTORED: "Taking back in the pairs of {whose}",
}
_DONE = {
    _Kind.LABELS_WITHDRAWN: "{n:,} answers of {whose} no longer count, and others are asked for the labels.",
    _Kind.LABELS_RESTORED: _BACK,
    _Kind.BATCH_REJECTED: _OUT,
    _Kind.BATCH_REQUEUED: _OUT,
    _Kind.BATCH_REOPENED: _BACK,
    _Kind.ITEM_EXCLUDED: "{item} is excluded from evaluation with its pairs, {n:,}.",
    _Kind.ITEM_RESTORED: "{item} is taken back in with its pairs, {n:,}.",
}
