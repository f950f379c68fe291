"""A worker's part of what leads decide: which handler goes with which kind of decision."""

from annotate.models import ReviewAction, ReviewWork, Work
from annotate.services import excluding, review_work, reviewing, withdrawing
from annotate.services.background import works

Kind = ReviewAction.Kind
HANDLERS: dict[str, review_work.Handler] = {
    Kind.LABELS_WITHDRAWN: withdrawing.withdraw_some,
    Kind.LABELS_RESTORED: withdrawing.restore_some,
    Kind.BATCH_REJECTED: reviewing.withdraw_some,
    Kind.BATCH_REQUEUED: reviewing.withdraw_some,
    Kind.BATCH_REOPENED: reviewing.restore_some,
    Kind.ITEM_EXCLUDED: excluding.drop_some,
    Kind.ITEM_RESTORED: excluding.want_some,
}


@works.performs(
    review_work.REVIEW,
    subject="reviewwork",
    may_cancel=works.never,
    advice="What is done of it stands; try again, and the rest follows.",
)
def finish_decision(work: Work) -> None:
    """Do what is left of a decision."""
    decision = ReviewWork.objects.select_related("action", "work").get(work=work)
    tell = works.teller(work, can_be_undone=False)
    while decision.work.is_unfinished:
        tell(decision.n_seen, decision.n_total, review_work.unit(decision))
        decision = review_work.go_on(decision=decision, handler=HANDLERS[decision.action.kind])
