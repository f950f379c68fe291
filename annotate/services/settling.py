"""What a lead does about what annotators reported: back to the queue with the pair, or open the reports again."""

from django.db import transaction

from annotate.models import Pair, Report, ReviewAction, User
from annotate.services import reports, review_log
from annotate.services.seating import note_changes, reconcile_pairs


class NothingOpen(Exception):
    """The pair has no open report; nothing was changed."""


class NothingSettled(Exception):
    """The pair has no report that a lead returned to the queue; nothing was changed."""


@transaction.atomic
def settle_reports(*, pair: Pair, by: User, reason: str = "") -> int:
    """Close a pair's open reports: it returns to the queue, for others than those who reported it. Returns how many.

    Raises NothingOpen.
    """
    _lock(pair)
    n = reports.settle(reports=Report.objects.filter(pair=pair), by=by)
    if not n:
        raise NothingOpen("This pair has no open report.")
    _follow(pair, ReviewAction.Kind.REPORTS_SETTLED, by, reason)
    return n


@transaction.atomic
def reopen_reports(*, pair: Pair, by: User, reason: str = "") -> int:
    """Take the pair out of the queue again that was returned to it. Returns how many reports are open again.

    Raises NothingSettled.
    """
    _lock(pair)
    n = reports.reopen(reports=Report.objects.filter(pair=pair, state=Report.State.SETTLED), by=by)
    if not n:
        raise NothingSettled("This pair has no settled report.")
    _follow(pair, ReviewAction.Kind.REPORTS_REOPENED, by, reason)
    return n


def _lock(pair: Pair) -> None:
    Pair.objects.select_for_update(no_key=True).get(pk=pair.pk)


def _follow(pair: Pair, kind: ReviewAction.Kind, by: User, reason: str) -> None:
    reconcile_pairs(pair_ids=[pair.pk])
    note_changes(collection_id=pair.collection_id, pair_ids=[pair.pk])
    review_log.note(collection=pair.collection, kind=kind, by=by, about=review_log.About(pair=pair), reason=reason)
