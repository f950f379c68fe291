"""Pausing annotators, who then get no more pairs, with the lead and the reason in the log."""

from django.db import transaction

from annotate.models import Annotator, ReviewAction, User
from annotate.services.people import accounts
from annotate.services.supervision import review_log


@transaction.atomic
def pause(*, annotator: Annotator, by: User | None, reason: str) -> None:
    """Hand nothing more to this annotator; a paused annotator stays so."""
    if annotator.paused_at is None:
        accounts.pause_annotator(annotator=annotator)
        _note(ReviewAction.Kind.PAUSED, annotator, by, reason)


@transaction.atomic
def resume(*, annotator: Annotator, by: User, reason: str = "") -> None:
    """Let a paused annotator go on."""
    if annotator.paused_at is not None:
        accounts.resume_annotator(annotator=annotator)
        _note(ReviewAction.Kind.RESUMED, annotator, by, reason)


def _note(kind: ReviewAction.Kind, annotator: Annotator, by: User | None, reason: str) -> None:
    subject = review_log.ActionSubject(annotator=annotator)
    review_log.note(
        collection=annotator.collection, kind=kind, by=by, subject=subject, reason=reason
    )
