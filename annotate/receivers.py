"""What annotate's own services leave to a worker."""

from django.dispatch import receiver

from annotate.queue import enqueue_on_commit
from annotate.signals import batch_to_reject, round_to_follow, work_asked
from annotate.tasks import follow_policy, perform_work, reject_batch


@receiver(batch_to_reject, dispatch_uid="annotate_reject_batch")
def reject_soon(*, batch_id: int, **_: object) -> None:
    """Have the labels of a batch withdrawn."""
    enqueue_on_commit(reject_batch, batch_id=batch_id)


@receiver(round_to_follow, dispatch_uid="annotate_follow_policy")
def follow_soon(*, round_id: int, **_: object) -> None:
    """Have a round's resolutions brought under its policy."""
    enqueue_on_commit(follow_policy, round_id=round_id)


@receiver(work_asked, dispatch_uid="annotate_perform_work")
def perform_soon(*, work_id: int, **_: object) -> None:
    """Have it done."""
    enqueue_on_commit(perform_work, work_id=work_id)
