"""A worker's part of what leads decide: which way goes with which kind of decision."""

from annotate.models import ReviewAction, ReviewWork
from annotate.services import excluding, review_work, reviewing, withdrawing
from annotate.services.background.workers import alone_with

Kind = ReviewAction.Kind
WAYS: dict[str, review_work.Way] = {
    Kind.LABELS_WITHDRAWN: withdrawing.withdraw_some,
    Kind.LABELS_RESTORED: withdrawing.restore_some,
    Kind.BATCH_REJECTED: reviewing.withdraw_some,
    Kind.BATCH_REQUEUED: reviewing.withdraw_some,
    Kind.BATCH_REOPENED: reviewing.restore_some,
    Kind.ITEM_EXCLUDED: excluding.drop_some,
    Kind.ITEM_RESTORED: excluding.want_some,
}


def carry_on(*, work: ReviewWork) -> None:
    """Do what is left of a decision; safe to run twice, also at once, and again after being killed."""
    with alone_with(work) as is_ours:
        while is_ours and work.finished_at is None:
            work = review_work.go_on(work=work, way=WAYS[work.action.kind])
