"""One batch, for a lead: its answers, the marks of its golds, and the verdict on it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.forms.review import BatchForm, ReasonForm
from annotate.http import SignedIn
from annotate.models import Batch
from annotate.services.golds import batch_checks as gold_checks
from annotate.services.review import inbox
from annotate.services.review.batch_details import (
    golds_sentence,
    lines_of,
    no_verdict_sentence,
)
from annotate.services.review.decisions import (
    BATCH_ACTS_WITH_REASON,
    BATCH_REFUSALS,
    BatchAct,
    decide_batch,
)
from annotate.services.supervision import bulk_decisions, verdicts
from annotate.services.supervision.consequences import (
    rejection_consequences,
    reopening_consequences,
)
from annotate.views.review.review_log import work_panel


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
    form = BatchForm(request.POST, acts=BatchAct, acts_with_reason=BATCH_ACTS_WITH_REASON)
    if not form.is_valid():
        return _page(request, batch, form=form)
    n_before = inbox.count(collection=batch.collection).n
    try:
        fields = form.cleaned_data | {"act": BatchAct(form.cleaned_data["act"])}
        decision = decide_batch(batch=batch, by=request.user, **fields)
    except BATCH_REFUSALS as error:
        return _page(request, batch, form=form, refusal=str(error))
    n_now = inbox.count(collection=batch.collection).n
    messages.success(request, f"{decision.sentence} The inbox went from {n_before} to {n_now}.")
    return redirect("annotate:inbox-batch", slug, pk)


def _page(
    request: HttpRequest, batch: Batch, *, form: ReasonForm | None = None, refusal: str = ""
) -> HttpResponse:
    decisions = bulk_decisions.unfinished_of_annotator(annotator=batch.annotator)
    is_out, lines = batch.verdict in Batch.TAKEN_OUT, lines_of(batch=batch)
    context = {
        "collection": batch.collection,
        "works": [work_panel(decision, batch.collection.slug) for decision in decisions],
        "batch": batch,
        "lines": lines,
        "no_verdict_sentence": no_verdict_sentence(batch, lines=lines),
        "golds_sentence": golds_sentence(
            batch, check=gold_checks.count_golds(batch=batch), is_out=is_out
        ),
        "is_out": is_out,
        "shows_names": "names" in request.GET,
        "form": form or ReasonForm(acts=BatchAct, acts_with_reason=BATCH_ACTS_WITH_REASON),
        "refusal": refusal,
        "refused_act": form.data.get("act", "") if form else "",
        **_verdict_acts(batch),
    }
    return render(request, "annotate/review/batch/batch.html", context, status=422 if form else 200)


def _verdict_acts(batch: Batch) -> dict[str, Any]:
    """The context of the acts that withdraw the labels of the batch or let them count again."""
    n_counting = verdicts.n_counting(batch=batch)
    n_restorable = verdicts.n_restorable(batch=batch)
    return {
        "rejections": rejection_consequences(annotator=batch.annotator, n=n_counting),
        "reopening": reopening_consequences(batch=batch, n=n_restorable),
    }
