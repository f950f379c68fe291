"""Decisions about many labels or pairs: stored in the request, carried out stretch by stretch.

A stretch is one transaction, which also stores the position: a worker killed between two stretches
goes on where it stopped, and no row is gone through twice. Few rows are done at once, in the
transaction that decides; more are work for a worker (see decision_handlers). A decision that would
undo one under way is refused until that is done; if it failed half-way, until it was tried again.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.models import Annotator, Batch, Collection, Item, ReviewAction, ReviewWork, Work
from annotate.services.background import works
from annotate.services.background.progress import JobStatus, Progress

REVIEW = "review"
SYNCHRONOUS_ROWS = 200  # rows that are done within the lead's request
STRETCH = 500  # rows of one transaction; the annotator concerned waits for no more than this


class DecisionUnderWay(Exception):
    """A decision about these labels or pairs is under way or half done; nothing was changed."""


class Stretch(NamedTuple):
    """One transaction: rows done, rows left surplus, key of the last one, rows examined."""

    n_done: int
    n_surplus: int
    last: int
    n_examined: int


Handler = Callable[[ReviewWork], Stretch]  # does the next STRETCH rows after decision.cursor


def begin(
    *,
    action: ReviewAction,
    n_total: int,
    handler: Handler,
    since: datetime | None = None,
    until: datetime | None = None,
) -> ReviewWork:
    """Carry out a new decision, at once if it is small, else by a worker; in the same transaction.

    n_total : rows the decision is about
    """
    is_done_here = n_total <= SYNCHRONOUS_ROWS
    work = works.ask(
        kind=REVIEW,
        collection=action.collection,
        subject=action.pk,
        by=action.by,
        is_done_here=is_done_here,
    )
    decision = ReviewWork.objects.create(
        action=action, work=work, n_total=n_total, since=since, until=until
    )
    while is_done_here and decision.work.is_unfinished:
        decision = go_on(decision=decision, handler=handler)
    return decision


@transaction.atomic
def go_on(*, decision: ReviewWork, handler: Handler) -> ReviewWork:
    """Do the next stretch, if one is left, and store the position; safe also twice at once."""
    locked_works = ReviewWork.objects.select_for_update(of=("self",)).select_related(
        "action__by", "action__collection", "action__annotator", "action__item", "action__batch"
    )
    decision = locked_works.get(pk=decision.pk)
    # read behind the lock: a join would show it as it was before
    if not decision.work.is_unfinished:
        return decision
    stretch = handler(decision)
    decision.n_done += stretch.n_done
    decision.n_surplus += stretch.n_surplus
    decision.cursor = stretch.last
    decision.save(update_fields=["n_done", "n_surplus", "cursor"])
    if stretch.n_examined < STRETCH:
        works.finish(work=decision.work)
    else:
        works.reset_attempts(work=decision.work)
    return decision


def unfinished_of_annotator(*, annotator: Annotator) -> list[ReviewWork]:
    """Return decisions about one person's answers that are under way or half done."""
    return list(_not_done().filter(action__annotator=annotator).order_by("pk"))


def unfinished_of_items(*, items: list[Item]) -> list[ReviewWork]:
    """Return decisions about items and their pairs that are under way or half done."""
    return list(_not_done().filter(action__item__in=items).order_by("pk"))


def failed(*, collection: Collection) -> list[ReviewWork]:
    """Return decisions that stand half done, for a lead to have them tried again."""
    failed_works = _not_done().filter(work__state=Work.State.FAILED, action__collection=collection)
    return list(failed_works.order_by("pk"))


def require_none_under_way(decisions: list[ReviewWork]) -> None:
    """Raise DecisionUnderWay if one of these exists; call it behind the lock taken to begin one."""
    for decision in decisions:
        if decision.is_failed:
            raise DecisionUnderWay(
                f"{title(decision)}: it stopped at {decision}. Have that tried again first."
            )
        raise DecisionUnderWay(f"{title(decision)}: {decision} so far. Wait until that is done.")


def title(decision: ReviewWork) -> str:
    """Return what the decision does, in words, while it is under way."""
    return _TITLES[decision.action.kind].format(whose=_subject(decision))


def outcome(decision: ReviewWork) -> str:
    """Return what the decision did, in words."""
    text = _OUTCOMES[decision.action.kind].format(
        n=decision.n_done, item=decision.action.item, whose=_subject(decision)
    )
    if decision.n_surplus:
        text += (
            f" {decision.n_surplus:,} stay out: others have given these pairs their labels since."
        )
    return text


def failure(decision: ReviewWork) -> str:
    """Return where a failed decision stopped, and why, in words."""
    return f"{title(decision)}: it stopped at {decision} {unit(decision)}. {decision.work.error}"


def summary(decision: ReviewWork) -> str:
    """Return the outcome in words; while a worker is at it, its title and size."""
    if decision.is_done:
        return outcome(decision)
    return f"{title(decision)}: {decision.n_total:,} {unit(decision)}, in the background."


def unit(decision: ReviewWork) -> str:
    """Return the unit of the decision's rows."""
    return "pairs" if decision.action.item_id else "answers"


def annotator_of(decision: ReviewWork) -> Annotator:
    """Return the person whose answers the decision is about."""
    assert decision.action.annotator is not None, "it is about answers"  # noqa: S101
    return decision.action.annotator


def batch_of(decision: ReviewWork) -> Batch:
    """Return the batch that a verdict is about."""
    assert decision.action.batch is not None, "it is a verdict"  # noqa: S101
    return decision.action.batch


def item_of(decision: ReviewWork) -> Item:
    """Return the item that is excluded or taken back in."""
    assert decision.action.item is not None, "it is about an item"  # noqa: S101
    return decision.action.item


def since_of(decision: ReviewWork) -> datetime:
    """Return the start of the decision's period."""
    assert decision.since is not None, "it is no verdict on a batch"  # noqa: S101
    return decision.since


def until_of(decision: ReviewWork) -> datetime:
    """Return the end of the decision's period."""
    assert decision.until is not None, "it is about a time of answers"  # noqa: S101
    return decision.until


def decision_status(decision: ReviewWork) -> JobStatus:
    """Return the status of a decision under way: progress by its row, the time left by its pace."""
    status = works.work_status(work=decision.work)
    seconds_left = status.progress.seconds_left if status.progress else None
    progress = Progress(
        decision.n_examined, decision.n_total, unit(decision), seconds_left, timezone.now()
    )
    return status._replace(progress=progress)


def _not_done() -> QuerySet[ReviewWork]:
    related_fields = (
        "action__collection",
        "action__annotator",
        "action__item",
        "action__batch",
        "work",
    )
    return ReviewWork.objects.not_done().select_related(*related_fields)


def _subject(decision: ReviewWork) -> str:
    action = decision.action
    if action.item:
        return f"{action.item.get_side_display().lower()} {action.item}"
    return (
        f"batch {action.batch.judging_number} of {action.annotator}"
        if action.batch
        else str(action.annotator)
    )


_Kind = ReviewAction.Kind
_OUT = "{n:,} answers no longer count, and others are asked for the labels."
_BACK = "{n:,} answers count again."
_TITLES: dict[str, str] = {
    _Kind.LABELS_WITHDRAWN: "Withdrawing answers of {whose}",
    _Kind.LABELS_RESTORED: "Restoring answers of {whose}",
    _Kind.BATCH_REJECTED: "Withdrawing the answers of {whose}",
    _Kind.BATCH_REQUEUED: "Withdrawing the answers of {whose}",
    _Kind.BATCH_REOPENED: "Restoring the answers of {whose}",
    _Kind.ITEM_EXCLUDED: "Leaving out the pairs of {whose}",
    _Kind.ITEM_RESTORED: "Taking back in the pairs of {whose}",
}
_OUTCOMES: dict[str, str] = {
    _Kind.LABELS_WITHDRAWN: (
        "{n:,} answers of {whose} no longer count, and others are asked for the labels."
    ),
    _Kind.LABELS_RESTORED: _BACK,
    _Kind.BATCH_REJECTED: _OUT,
    _Kind.BATCH_REQUEUED: _OUT,
    _Kind.BATCH_REOPENED: _BACK,
    _Kind.ITEM_EXCLUDED: "{item} is excluded from evaluation with its pairs, {n:,}.",
    _Kind.ITEM_RESTORED: "{item} is taken back in with its pairs, {n:,}.",
}
