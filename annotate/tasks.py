"""Background tasks of annotate; all of them are safe to run twice."""

from collections.abc import Iterator
from typing import Any

from celery import Task, shared_task

from annotate.models import Batch, Collection, Hook, Invitation, Round, User, Work
from annotate.services.background import housekeeping, kept, works
from annotate.services.collection.lifecycle import purging
from annotate.services.golds import batch_checks as gold_checks
from annotate.services.imports import media_inspection_turns
from annotate.services.people import invitation_mail, sign_in_limits
from annotate.services.pictures import previews, rasters
from annotate.services.policy import policies
from annotate.services.webhooks import deliveries
from annotate.task_queue import LONG, enqueue_on_commit

SWEEP_SECONDS = 20  # as often as CELERY_BEAT_SCHEDULE says


@shared_task(**LONG)
def perform_work(*, work_id: int) -> None:
    """Perform a work; one that was deleted with its collection is skipped."""
    for work in Work.objects.filter(pk=work_id).select_related("collection", "by"):
        works.perform(work=work)


@shared_task
def compute_value(*, collection_id: int, kind: str, key: str, parameters: dict[str, Any]) -> None:
    """Compute a value that somebody looks at; skipped if its collection was deleted."""
    for collection in Collection.objects.filter(pk=collection_id):
        kept.compute(inquiry=kept.Inquiry(collection, kind, key, parameters))


@shared_task(**LONG)
def delete_unjudged(*, collection_id: int, by_id: int, expected: int | None = None) -> None:
    """Delete a collection without judgments; one that is gone, or was judged since, is skipped."""
    by = User.objects.get(pk=by_id)
    purging.delete_if_unjudged(collection_id=collection_id, by=by, expected=expected)


@shared_task
def reject_batch(*, batch_id: int) -> None:
    """Withdraw the labels of a batch whose golds were missed."""
    gold_checks.reject_failed(
        batch=Batch.objects.select_related("collection", "annotator").get(pk=batch_id)
    )


@shared_task(**LONG)
def follow_policy(*, round_id: int) -> None:
    """Update the resolutions of a round to its policy."""
    policies.follow(round_=Round.objects.select_related("policy", "collection").get(pk=round_id))


@shared_task
def mail_invitation(*, invitation_id: int) -> None:
    """Send an invitation's link by e-mail."""
    invitation_mail.send(invitation=Invitation.objects.get(pk=invitation_id))


@shared_task
def deliver(*, hook_id: int) -> None:
    """Send what a webhook has to send; one that was deleted is skipped."""
    for hook in Hook.objects.filter(pk=hook_id):
        deliveries.deliver(hook=hook)


@shared_task(**LONG)
def look_into_media(*, collection_id: int) -> None:
    """Look into the clips and recordings that were not inspected when their items were loaded."""
    media_inspection_turns.take_turn(collection=Collection.objects.get(pk=collection_id))


@shared_task(**LONG)
def make_previews(*, collection_id: int) -> None:
    """Make previews of the images that have none; skipped if their collection was deleted."""
    for collection in Collection.objects.filter(pk=collection_id):
        previews.take_turn(collection=collection)


@shared_task(**LONG)
def compute_rasters(*, collection_id: int) -> None:
    """Compute the rasters of older previews; skipped if their collection was deleted."""
    for collection in Collection.objects.filter(pk=collection_id):
        rasters.take_turn(collection=collection)


@shared_task
def sweep() -> None:
    """Settle batches that are due, and queue overdue work again."""
    housekeeping.settle_batches()
    housekeeping.drop_cut_uploads()
    sign_in_limits.sweep()
    for task, arguments in _overdue():  # expires: else one a sweep would queue behind a long job
        enqueue_on_commit(task, expires=SWEEP_SECONDS, **arguments)


@shared_task
def tidy() -> None:
    """Delete old sessions, values, receipts and deliveries, and the files of old imports."""
    kept.drop_old()
    housekeeping.drop_old_sessions()
    housekeeping.drop_old_receipts()
    deliveries.drop_old()
    housekeeping.drop_old_originals()


def _overdue() -> Iterator[tuple[Task, dict[str, int]]]:
    yield from ((perform_work, {"work_id": work_id}) for work_id in works.overdue())
    yield from ((reject_batch, {"batch_id": batch_id}) for batch_id in gold_checks.overdue())
    yield from (
        (mail_invitation, {"invitation_id": invitation_id})
        for invitation_id in invitation_mail.overdue()
    )
    yield from ((deliver, {"hook_id": hook_id}) for hook_id in deliveries.overdue())
    yield from ((follow_policy, {"round_id": round_id}) for round_id in policies.rounds_behind())
    yield from (
        (look_into_media, {"collection_id": collection_id})
        for collection_id in media_inspection_turns.overdue()
    )
    yield from (
        (make_previews, {"collection_id": collection_id}) for collection_id in previews.overdue()
    )
    yield from (
        (compute_rasters, {"collection_id": collection_id}) for collection_id in rasters.overdue()
    )
