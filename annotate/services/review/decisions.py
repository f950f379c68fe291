"""Decisions of leads about batches and pairs, each by the name of its action."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import TextChoices

from annotate.core.consequences import ActChanged, CountChanged, require_told
from annotate.models import Batch, Pair, ReviewWork, User
from annotate.services.judging.judging import UnknownGrade
from annotate.services.review import adjudicating, exclusions, report_settling
from annotate.services.seating import lock_annotator
from annotate.services.supervision import bulk_decisions, verdicts


class BatchAct(TextChoices):
    """Actions on a batch."""

    ACCEPT = "accept", "Accept"
    REJECT = "reject", "Reject"
    REQUEUE = "requeue", "Ask again"
    REOPEN = "reopen", "Take the verdict back"


class PairAct(TextChoices):
    """Actions on a pair other than giving it a grade."""

    UNDO = "undo", "Take the adjudication back"
    RETURN = "return", "Return it to the queue"
    REOPEN = "reopen", "Open its reports again"
    EXCLUDE_PAIR = "exclude-pair", "Exclude this pair"
    EXCLUDE_QUERY = "exclude-query", "Exclude the query with all its pairs"
    EXCLUDE_DOCUMENT = "exclude-document", "Exclude the document with all its pairs"
    RESTORE_PAIR = "restore-pair", "Take this pair back in"
    RESTORE_QUERY = "restore-query", "Take the query back in"
    RESTORE_DOCUMENT = "restore-document", "Take the document back in"


class ReviewResult(NamedTuple):
    """The result of a decision.

    sentence : what it did, or is doing; work : of many labels or pairs, None where there are none
    undo_act : what takes a decision about a pair back
    done_at : moment of a decision with undo_act
    """

    sentence: str
    work: ReviewWork | None = None
    undo_act: PairAct | None = None
    done_at: datetime | None = None

    @property
    def may_undo(self) -> bool:
        """True if an exclusion can be taken back at once."""
        return self.undo_act is not None and (self.work is None or self.work.is_done)


BATCH_ACTS_WITH_REASON = (BatchAct.REJECT, BatchAct.REQUEUE)
BATCH_REFUSALS = (
    verdicts.BatchUnfinished,
    verdicts.BatchJudged,
    verdicts.NoVerdict,
    bulk_decisions.DecisionUnderWay,
    CountChanged,
)
PAIR_ACTS_WITH_REASON = (PairAct.EXCLUDE_PAIR, PairAct.EXCLUDE_QUERY, PairAct.EXCLUDE_DOCUMENT)
PAIR_REFUSALS = (
    UnknownGrade,
    adjudicating.NotAdjudicated,
    adjudicating.NotInARound,
    report_settling.NothingOpen,
    report_settling.NothingSettled,
    exclusions.ExclusionUnchanged,
    bulk_decisions.DecisionUnderWay,
    CountChanged,
    ActChanged,
)
_WITHDRAWALS = {
    BatchAct.REJECT: (verdicts.reject_batch, "rejected"),
    BatchAct.REQUEUE: (verdicts.requeue_batch, "asked again"),
}
_PAIR_ACTS: dict[PairAct, tuple[Callable[..., Any], str]] = {
    PairAct.UNDO: (adjudicating.undo_adjudication, "The labels decide {pair} again."),
    PairAct.RETURN: (
        report_settling.settle_reports,
        "{pair} is back in the queue, for others than those who reported it.",
    ),
    PairAct.REOPEN: (report_settling.reopen_reports, "The reports on {pair} are open again."),
    PairAct.EXCLUDE_PAIR: (
        exclusions.exclude_pair,
        "{pair} is excluded: nobody is asked for it, and it counts as unjudged.",
    ),
    PairAct.RESTORE_PAIR: (exclusions.restore_pair, "{pair} is taken back in."),
}
_ITEM_ACTS: dict[PairAct, tuple[Callable[..., ReviewWork], str]] = {
    PairAct.EXCLUDE_QUERY: (exclusions.exclude_item, "query"),
    PairAct.EXCLUDE_DOCUMENT: (exclusions.exclude_item, "document"),
    PairAct.RESTORE_QUERY: (exclusions.restore_item, "query"),
    PairAct.RESTORE_DOCUMENT: (exclusions.restore_item, "document"),
}
_UNDO_ACTS = {
    PairAct.EXCLUDE_PAIR: PairAct.RESTORE_PAIR,
    PairAct.EXCLUDE_QUERY: PairAct.RESTORE_QUERY,
    PairAct.EXCLUDE_DOCUMENT: PairAct.RESTORE_DOCUMENT,
}


@transaction.atomic
def decide_batch(
    *,
    batch: Batch,
    act: BatchAct,
    by: User,
    reason: str = "",
    expected: int | None = None,
    verdict: str = "",
) -> ReviewResult:
    """Carry out an action on a batch. Raises one of BATCH_REFUSALS.

    The caller has made sure of the reason of BATCH_ACTS_WITH_REASON.

    expected : number of answers that the lead was told of, no more than which are withdrawn
        or count again
    verdict : the one that she takes back, "" for any
    """
    lock_annotator(batch.annotator_id)  # what is counted here is what is withdrawn
    name = f"Batch {batch.judging_number} of {batch.annotator}"
    if act == BatchAct.ACCEPT:
        verdicts.accept_batch(batch=batch, by=by, reason=reason)
        return ReviewResult(f"{name} is accepted.")
    if act == BatchAct.REOPEN:
        work = verdicts.reopen_batch(
            batch=batch, by=by, reason=reason, verdict=verdict, expected=expected
        )
        summary = bulk_decisions.summary(work) if work.n_total else ""
        return ReviewResult(f"{name} has no verdict any more. {summary}".strip(), work)
    require_told(verdicts.n_counting(batch=batch), expected=expected, noun="answer")
    withdraw, verb = _WITHDRAWALS[act]
    withdrawal = withdraw(batch=batch, by=by, reason=reason)
    summary = bulk_decisions.summary(withdrawal) if withdrawal else ""
    return ReviewResult(f"{name} is {verb}. {summary}".strip(), withdrawal)


def decide_pair(
    *,
    pair: Pair,
    act: PairAct,
    by: User,
    reason: str = "",
    expected: int | None = None,
    done_at: datetime | None = None,
    decision: int | None = None,
) -> ReviewResult:
    """Carry out an action on a pair or one of its items. Raises one of PAIR_REFUSALS.

    The caller has made sure of the reason of PAIR_ACTS_WITH_REASON.

    expected : number of labels that the lead was told of, no more than which cease to count
    done_at : moment of the exclusion that is taken back, None for any
    decision : key of the adjudication that is taken back, None for any
    """
    undo_act = _UNDO_ACTS.get(act)
    limits: dict[str, Any] = {"expected": expected} if undo_act else {}
    if act in _UNDO_ACTS.values():
        limits = {"done_at": done_at}
    if act == PairAct.UNDO:
        limits = {"decision": decision}
    if act in _ITEM_ACTS:
        decide_item, side = _ITEM_ACTS[act]
        work = decide_item(item=getattr(pair, side), by=by, reason=reason, **limits)
        moment = bulk_decisions.since_of(work) if undo_act else None
        return ReviewResult(bulk_decisions.summary(work), work, undo_act=undo_act, done_at=moment)
    service, sentence = _PAIR_ACTS[act]
    moment = service(pair=pair, by=by, reason=reason, **limits)
    return ReviewResult(
        sentence.format(pair=pair), undo_act=undo_act, done_at=moment if undo_act else None
    )


def adjudicate(
    *, pair: Pair, by: User, grade: int, note: str = "", decision: int | None = None
) -> ReviewResult:
    """Give a pair the lead's grade. Raises UnknownGrade, NotInARound, ActChanged.

    decision : key of the adjudication that her page showed, 0 for none, None for any
    """
    adjudicating.adjudicate(pair=pair, by=by, grade=grade, note=note, decision=decision)
    return ReviewResult(f"Grade {grade} decides {pair}.")
