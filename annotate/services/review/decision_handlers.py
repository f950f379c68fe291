"""The work of leads' decisions: the handler of each kind of decision, run by a worker."""

from annotate.models import ReviewAction, ReviewWork, Role, Work
from annotate.services.background import works
from annotate.services.review import exclusions
from annotate.services.supervision import bulk_decisions, verdicts, withdrawing

Kind = ReviewAction.Kind
HANDLERS: dict[str, bulk_decisions.Handler] = {
    Kind.LABELS_WITHDRAWN: withdrawing.withdraw_stretch,
    Kind.LABELS_RESTORED: withdrawing.restore_stretch,
    Kind.BATCH_REJECTED: verdicts.withdraw_stretch,
    Kind.BATCH_REQUEUED: verdicts.withdraw_stretch,
    Kind.BATCH_REOPENED: verdicts.restore_stretch,
    Kind.ITEM_EXCLUDED: exclusions.drop_next_pairs,
    Kind.ITEM_RESTORED: exclusions.restore_next_pairs,
}


@works.performs(
    bulk_decisions.REVIEW,
    subject="reviewwork",
    may_cancel=works.never,
    readers=(Role.LEAD,),
    advice="What is done of it stands; try again, and the rest follows.",
)
def finish_decision(work: Work) -> None:
    """Carry out the rest of a decision."""
    decision = ReviewWork.objects.select_related("action", "work").get(work=work)
    report = works.progress_callback(work, can_be_undone=False)
    while decision.work.is_unfinished:
        report(decision.n_examined, decision.n_total, bulk_decisions.unit(decision))
        decision = bulk_decisions.go_on(decision=decision, handler=HANDLERS[decision.action.kind])
