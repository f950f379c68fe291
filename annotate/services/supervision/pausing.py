"""Pausing annotators, who then get no more pairs, with the lead and the reason in the log."""

from datetime import datetime

from django.db import transaction

from annotate.core.consequences import require_unchanged
from annotate.models import Annotator, ReviewAction, User
from annotate.services.people import accounts
from annotate.services.supervision import review_log


@transaction.atomic
def pause(*, annotator: Annotator, by: User | None, reason: str) -> bool:
    """Hand nothing more to this annotator; False if she was paused before, and stays so."""
    is_new = accounts.pause_annotator(annotator=annotator)
    if is_new:
        _note(ReviewAction.Kind.PAUSED, annotator, by, reason)
    return is_new


@transaction.atomic
def resume(
    *, annotator: Annotator, by: User, reason: str = "", done_at: datetime | None = None
) -> bool:
    """Let a paused annotator go on; False if she was not paused.

    done_at : moment of the pause that is taken back, None for any; raises ActChanged
    """
    since = Annotator.objects.select_for_update(no_key=True).get(pk=annotator.pk).paused_at
    if since is None:
        return False
    require_unchanged(since, done_at=done_at)
    accounts.resume_annotator(annotator=annotator)
    _note(ReviewAction.Kind.RESUMED, annotator, by, reason)
    return True


def _note(kind: ReviewAction.Kind, annotator: Annotator, by: User | None, reason: str) -> None:
    subject = review_log.ActionSubject(annotator=annotator)
    review_log.note(
        collection=annotator.collection, kind=kind, by=by, subject=subject, reason=reason
    )
