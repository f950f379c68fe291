"""Receivers that queue the work which annotate's own services leave to a worker."""

from django.dispatch import receiver

from annotate.services.background.kept import Inquiry
from annotate.signals import (
    batch_to_reject,
    deletion_requested,
    deliveries_waiting,
    round_to_follow,
    value_requested,
    work_requested,
)
from annotate.task_queue import enqueue_on_commit
from annotate.tasks import (
    compute_value,
    delete_unjudged,
    deliver,
    follow_policy,
    perform_work,
    reject_batch,
)


@receiver(batch_to_reject, dispatch_uid="annotate_reject_batch")
def reject_soon(*, batch_id: int, **_: object) -> None:
    """Queue the withdrawal of a batch's labels."""
    enqueue_on_commit(reject_batch, batch_id=batch_id)


@receiver(round_to_follow, dispatch_uid="annotate_follow_policy")
def follow_soon(*, round_id: int, **_: object) -> None:
    """Queue the update of a round's resolutions to its policy."""
    enqueue_on_commit(follow_policy, round_id=round_id)


@receiver(deletion_requested, dispatch_uid="annotate_delete_unjudged")
def delete_soon(*, collection_id: int, by_id: int, expected: int | None, **_: object) -> None:
    """Queue the deletion of a collection that nobody has judged."""
    enqueue_on_commit(delete_unjudged, collection_id=collection_id, by_id=by_id, expected=expected)


@receiver(work_requested, dispatch_uid="annotate_perform_work")
def perform_soon(*, work_id: int, **_: object) -> None:
    """Queue the work."""
    enqueue_on_commit(perform_work, work_id=work_id)


@receiver(deliveries_waiting, dispatch_uid="annotate_deliver")
def deliver_soon(*, hook_id: int, **_: object) -> None:
    """Queue what a webhook has to send."""
    enqueue_on_commit(deliver, hook_id=hook_id)


@receiver(value_requested, dispatch_uid="annotate_compute_value")
def compute_soon(*, inquiry: Inquiry, **_: object) -> None:
    """Queue the computation of a value that somebody looks at."""
    enqueue_on_commit(
        compute_value,
        collection_id=inquiry.collection.pk,
        kind=inquiry.kind,
        key=inquiry.key,
        parameters=dict(inquiry.parameters),
    )
