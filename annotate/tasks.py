"""What runs in the background for annotate; all of it safe to run twice."""

from collections.abc import Iterator
from typing import Any

from celery import Task, shared_task

from annotate.models import Batch, Collection, Invitation, Round, User, Work
from annotate.queue import LONG, enqueue_on_commit
from annotate.services import (
    gold_checks,
    housekeeping,
    invitation_mail,
    looking_later,
    policies,
    purging,
    sign_in_limits,
)
from annotate.services.background import works

SWEEP_SECONDS = 20  # as often as CELERY_BEAT_SCHEDULE says


@shared_task(**LONG)
def perform_work(*, work_id: int) -> None:
    """Do what somebody asked for; a work that went with its collection is let be."""
    for work in Work.objects.filter(pk=work_id).select_related("collection", "by"):
        works.perform(work=work)


@shared_task(**LONG)
def delete_unjudged(*, collection_id: int, by_id: int) -> None:
    """Delete a collection in which nobody has judged; one that is gone already, or was judged meanwhile, is let be."""
    purging.delete_if_unjudged(collection_id=collection_id, by=User.objects.get(pk=by_id))


@shared_task
def reject_batch(*, batch_id: int) -> None:
    """Withdraw the labels of a batch whose golds were missed."""
    gold_checks.reject_failed(batch=Batch.objects.select_related("collection", "annotator").get(pk=batch_id))


@shared_task(**LONG)
def follow_policy(*, round_id: int) -> None:
    """Bring what is resolved of a round under its policy."""
    policies.follow(round_=Round.objects.select_related("policy", "collection").get(pk=round_id))


@shared_task
def preview_policy(*, collection_id: int, question: dict[str, Any]) -> None:
    """Count what another policy would change, for whoever asked."""
    policies.answer(collection=Collection.objects.get(pk=collection_id), question=question)


@shared_task
def mail_invitation(*, invitation_id: int) -> None:
    """Send a link to who is invited."""
    invitation_mail.send(invitation=Invitation.objects.get(pk=invitation_id))


@shared_task(**LONG)
def look_into_media(*, collection_id: int) -> None:
    """Look into the clips and recordings that were not when their items were loaded."""
    looking_later.take_turn(collection=Collection.objects.get(pk=collection_id))


@shared_task
def sweep() -> None:
    """Settle what is due, and queue again what waits for longer than it should."""
    housekeeping.settle_batches()
    housekeeping.drop_cut_uploads()
    sign_in_limits.sweep()
    for task, arguments in _overdue():
        enqueue_on_commit(task, expires=SWEEP_SECONDS, **arguments)  # or one a sweep would wait for a long job


@shared_task
def tidy() -> None:
    """Delete what nobody needs any more: sessions that have run out, files of imports that ended long ago."""
    housekeeping.drop_old_sessions()
    housekeeping.drop_old_originals()


def _overdue() -> Iterator[tuple[Task, dict[str, int]]]:
    yield from ((perform_work, {"work_id": each}) for each in works.overdue())
    yield from ((reject_batch, {"batch_id": batch}) for batch in gold_checks.overdue())
    yield from ((mail_invitation, {"invitation_id": each}) for each in invitation_mail.overdue())
    yield from ((follow_policy, {"round_id": round_}) for round_ in policies.behind())
    yield from ((look_into_media, {"collection_id": each}) for each in looking_later.overdue())
