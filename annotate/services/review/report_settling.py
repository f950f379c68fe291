"""Settling a pair's reports, which requeues the pair, and reopening them, by leads."""

from django.db import transaction

from annotate.models import Pair, Report, ReviewAction, User
from annotate.services.judging import reports
from annotate.services.seating import note_changes, reconcile_pairs
from annotate.services.supervision import review_log


class NothingOpen(Exception):
    """The pair has no open report; nothing was changed."""


class NothingSettled(Exception):
    """The pair has no report that a lead returned to the queue; nothing was changed."""


@transaction.atomic
def settle_reports(*, pair: Pair, by: User, reason: str = "") -> int:
    """Settle a pair's open reports: others than their authors get it from the queue.

    Returns how many. Raises NothingOpen.
    """
    _lock(pair)
    n = reports.settle(reports=Report.objects.filter(pair=pair), by=by)
    if not n:
        raise NothingOpen("This pair has no open report.")
    _reconcile_and_log(pair, ReviewAction.Kind.REPORTS_SETTLED, by, reason)
    return n


@transaction.atomic
def reopen_reports(*, pair: Pair, by: User, reason: str = "") -> int:
    """Reopen a pair's settled reports, which takes it out of the queue again. Returns how many.

    Raises NothingSettled.
    """
    _lock(pair)
    n = reports.reopen(reports=Report.objects.filter(pair=pair, state=Report.State.SETTLED), by=by)
    if not n:
        raise NothingSettled("This pair has no settled report.")
    _reconcile_and_log(pair, ReviewAction.Kind.REPORTS_REOPENED, by, reason)
    return n


def _lock(pair: Pair) -> None:
    Pair.objects.select_for_update(no_key=True).get(pk=pair.pk)


def _reconcile_and_log(pair: Pair, kind: ReviewAction.Kind, by: User, reason: str) -> None:
    reconcile_pairs(pair_ids=[pair.pk])
    note_changes(collection_id=pair.collection_id, pair_ids=[pair.pk])
    review_log.note(
        collection=pair.collection,
        kind=kind,
        by=by,
        subject=review_log.ActionSubject(pair=pair),
        reason=reason,
    )
