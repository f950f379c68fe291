"""One batch, for a lead: its answers, the marks of its golds, and the verdict on it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.forms.review import BatchAct, ReasonForm
from annotate.http import SignedIn
from annotate.models import Batch
from annotate.services.golds import batch_checks as gold_checks
from annotate.services.review.batch_details import golds_sentence, lines_of
from annotate.services.supervision import bulk_decisions, verdicts
from annotate.views.review.review_log import work_panel

ACTS_WITH_REASON = (BatchAct.REJECT, BatchAct.REQUEUE)
WITHDRAWALS = {
    BatchAct.REJECT: (verdicts.reject_batch, "rejected"),
    BatchAct.REQUEUE: (verdicts.requeue_batch, "asked again"),
}
REFUSALS = (
    verdicts.BatchUnfinished,
    verdicts.BatchJudged,
    verdicts.NoVerdict,
    bulk_decisions.DecisionUnderWay,
)


@require_safe
@never_cache
@login_required
def batch(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The batch's pairs, answers and times."""
    return _page(request, access.get_batch(user=request.user, slug=slug, pk=pk))


@require_POST
@login_required
def batch_act(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Accept it, reject it, ask again, or take the verdict back."""
    batch = access.get_batch(user=request.user, slug=slug, pk=pk)
    form = ReasonForm(request.POST, acts=BatchAct, acts_with_reason=ACTS_WITH_REASON)
    if not form.is_valid():
        return _page(request, batch, form=form)
    try:
        message = _do(
            BatchAct(form.cleaned_data["act"]),
            batch,
            by=request.user,
            reason=form.cleaned_data["reason"],
        )
    except REFUSALS as error:
        return _page(request, batch, form=form, refusal=str(error))
    messages.success(request, message)
    return redirect("annotate:inbox-batch", slug, pk)


def _do(act: BatchAct, batch: Batch, **attribution: Any) -> str:
    """Carry out the action; return a message about it."""
    name = f"Batch {batch.number} of {batch.annotator}"
    if act == BatchAct.ACCEPT:
        verdicts.accept_batch(batch=batch, **attribution)
        return f"{name} is accepted."
    if act == BatchAct.REOPEN:
        work = verdicts.reopen_batch(batch=batch, **attribution)
        summary = bulk_decisions.summary(work) if work.n_total else ""
        return f"{name} waits for a verdict again. {summary}".strip()
    handler, verb = WITHDRAWALS[act]
    requeue_work = handler(batch=batch, **attribution)
    summary = bulk_decisions.summary(requeue_work) if requeue_work else ""
    return f"{name} is {verb}. {summary}".strip()


def _page(
    request: HttpRequest, batch: Batch, *, form: ReasonForm | None = None, refusal: str = ""
) -> HttpResponse:
    decisions = bulk_decisions.unfinished_of_annotator(annotator=batch.annotator)
    is_out = batch.verdict in Batch.TAKEN_OUT
    context = {
        "collection": batch.collection,
        "works": [work_panel(decision, batch.collection.slug) for decision in decisions],
        "batch": batch,
        "lines": lines_of(batch=batch),
        "golds_sentence": golds_sentence(
            batch, check=gold_checks.count_golds(batch=batch), is_out=is_out
        ),
        "is_out": is_out,
        "shows_names": "names" in request.GET,
        "form": form or ReasonForm(acts=BatchAct, acts_with_reason=ACTS_WITH_REASON),
        "refusal": refusal,
    }
    return render(request, "annotate/review/batch.html", context, status=422 if form else 200)
