"""Settling a pair's reports, which requeues the pair, and reopening them, by leads."""

from django.db import transaction

from annotate.models import Pair, Report, ReviewAction, User
from annotate.services.judging import reports
from annotate.services.review.pair_actions import reconcile_and_log


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
    reconcile_and_log(pair=pair, kind=ReviewAction.Kind.REPORTS_SETTLED, by=by, reason=reason)
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
    reconcile_and_log(pair=pair, kind=ReviewAction.Kind.REPORTS_REOPENED, by=by, reason=reason)
    return n


def _lock(pair: Pair) -> None:
    Pair.objects.select_for_update(no_key=True).get(pk=pair.pk)
