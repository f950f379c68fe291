"""Decisions that concern many labels or pairs: written down in the request, carried out stretch by stretch.

A stretch is one transaction, which also keeps how far it came: who is killed between two goes on where it stopped, and
no row is gone through twice. Little is done at once, in the transaction that decides; the rest is work for a worker
(see review_dispatch). What undoes a decision under way is refused until it is done; where it failed half-way, until it
was tried again.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.models import Annotator, Collection, Item, ReviewAction, ReviewWork, Work
from annotate.services.background import works
from annotate.services.background.progress import Progress, Standing

REVIEW = "review"
AT_ONCE = 200  # rows that are done while the lead waits
STRETCH = 500  # rows of one transaction; the annotator concerned waits for no more than this


class UnderWay(Exception):
    """Another decision about these labels or pairs is being carried out, or stands half done; nothing was changed."""


class Stretch(NamedTuple):
    """What one transaction did: rows done, rows that stay surplus, the key of the last one; how many it looked at."""

    n_done: int
    n_surplus: int
    last: int
    n_seen: int


Handler = Callable[[ReviewWork], Stretch]  # does the next STRETCH rows after decision.cursor


def begin(
    *,
    action: ReviewAction,
    n_total: int,
    handler: Handler,
    since: datetime | None = None,
    until: datetime | None = None,
) -> ReviewWork:
    """Carry out what was just decided: at once where it is little, else by a worker. Within the deciding transaction.

    n_total : rows that it is about
    """
    is_done_here = n_total <= AT_ONCE
    work = works.ask(
        kind=REVIEW, collection=action.collection, subject=action.pk, by=action.by, is_done_here=is_done_here
    )
    decision = ReviewWork.objects.create(action=action, work=work, n_total=n_total, since=since, until=until)
    while is_done_here and decision.work.is_unfinished:
        decision = go_on(decision=decision, handler=handler)
    return decision


@transaction.atomic
def go_on(*, decision: ReviewWork, handler: Handler) -> ReviewWork:
    """The next stretch, and how far it came; nothing where all is done. Safe at any time, also twice at once."""
    locked = ReviewWork.objects.select_for_update(of=("self",)).select_related(
        "action__by", "action__collection", "action__annotator", "action__item", "action__batch"
    )
    decision = locked.get(pk=decision.pk)
    if not decision.work.is_unfinished:  # asked behind the lock: a join would show it as it was before
        return decision
    stretch = handler(decision)
    decision.n_done += stretch.n_done
    decision.n_surplus += stretch.n_surplus
    decision.cursor = stretch.last
    decision.save(update_fields=["n_done", "n_surplus", "cursor"])
    if stretch.n_seen < STRETCH:
        works.finish(work=decision.work)
    else:
        works.went_on(work=decision.work)
    return decision


def of_annotator(*, annotator: Annotator) -> list[ReviewWork]:
    """What is being done about one person's answers, or stands half done."""
    return list(_not_done().filter(action__annotator=annotator).order_by("pk"))


def of_items(*, items: list[Item]) -> list[ReviewWork]:
    """What is being done about items and their pairs, or stands half done."""
    return list(_not_done().filter(action__item__in=items).order_by("pk"))


def failed(*, collection: Collection) -> list[ReviewWork]:
    """What stands half done in a collection, for a lead to have it tried again."""
    given_up = _not_done().filter(work__state=Work.State.FAILED, action__collection=collection)
    return list(given_up.order_by("pk"))


def require_rest(decisions: list[ReviewWork]) -> None:
    """Raise UnderWay where something is to be done first; to be called behind the lock that whoever begins it takes."""
    for decision in decisions:
        if decision.is_failed:
            raise UnderWay(f"{title(decision)}: it stopped at {decision}. Have that tried again first.")
        raise UnderWay(f"{title(decision)}: {decision} so far. Wait until that is done.")


def title(decision: ReviewWork) -> str:
    """What is being done, in words."""
    return _DOING[decision.action.kind].format(whose=_whose(decision))


def outcome(decision: ReviewWork) -> str:
    """What was done, in words."""
    text = _DONE[decision.action.kind].format(n=decision.n_done, item=decision.action.item, whose=_whose(decision))
    if decision.n_surplus:
        text += f" {decision.n_surplus:,} stay out as surplus: others have given these pairs their labels since."
    return text


def stop(decision: ReviewWork) -> str:
    """Where one that failed stopped, and why."""
    return f"{title(decision)}: it stopped at {decision} {unit(decision)}. {decision.work.error}"


def said(decision: ReviewWork) -> str:
    """What was done; or, while a worker is at it, what is being done."""
    if decision.is_done:
        return outcome(decision)
    return f"{title(decision)}: {decision.n_total:,} {unit(decision)}, in the background."


def unit(decision: ReviewWork) -> str:
    """What its rows are."""
    return "pairs" if decision.action.item_id else "answers"


def standing(decision: ReviewWork) -> Standing:
    """What a page says of one under way: how far by its row, which no cache loses, and how long by its pace."""
    known = works.standing(work=decision.work)
    left = known.progress.seconds_left if known.progress else None
    so_far = Progress(decision.n_seen, decision.n_total, unit(decision), left, timezone.now())
    return known._replace(progress=so_far)


def _not_done() -> QuerySet[ReviewWork]:
    named = ("action__collection", "action__annotator", "action__item", "action__batch", "work")
    return ReviewWork.objects.not_done().select_related(*named)


def _whose(decision: ReviewWork) -> str:
    action = decision.action
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
