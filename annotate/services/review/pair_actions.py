"""The end of a lead's action on one pair: seats and resolution follow, and the log has its line."""

from annotate.models import Pair, ReviewAction, User
from annotate.services.seating import note_changes, reconcile_pairs
from annotate.services.supervision import review_log


def reconcile_and_log(*, pair: Pair, kind: ReviewAction.Kind, by: User, reason: str) -> None:
    """Reconcile the pair, which the present transaction has locked, and log the action."""
    reconcile_pairs(pair_ids=[pair.pk])
    note_changes(collection_id=pair.collection_id, pair_ids=[pair.pk])
    review_log.note(
        collection=pair.collection,
        kind=kind,
        by=by,
        subject=review_log.ActionSubject(pair=pair),
        reason=reason,
    )
