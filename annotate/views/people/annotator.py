"""One annotator's work, for a lead: pause and resume her, withdraw and restore her labels."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.forms.review import (
    PERSON_ACTS_WITH_REASON,
    PersonAct,
    ReasonForm,
    RestoreForm,
    SinceForm,
    WithdrawForm,
)
from annotate.http import SignedIn
from annotate.models import Annotator
from annotate.services.supervision import bulk_decisions, pausing, review_log, withdrawing
from annotate.views.review.review_log import work_panel

N_LAST = 20  # lines of the log that are shown


@require_safe
@never_cache
@login_required
def annotator(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Show the person's work; with a moment, how much would be withdrawn from there on."""
    annotator_ = access.get_led_annotator(user=request.user, slug=slug, pk=pk)
    return _page(request, annotator_)


@require_POST
@login_required
def annotator_act(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Pause, resume, withdraw or restore."""
    annotator = access.get_led_annotator(user=request.user, slug=slug, pk=pk)
    form = ReasonForm(request.POST, acts=PersonAct, acts_with_reason=PERSON_ACTS_WITH_REASON)
    if not form.is_valid():
        return _page(request, annotator, form=form)
    act, reason = PersonAct(form.cleaned_data["act"]), form.cleaned_data["reason"]
    moment = (WithdrawForm if act == PersonAct.WITHDRAW else RestoreForm)(request.POST)
    if act in (PersonAct.WITHDRAW, PersonAct.RESTORE) and not moment.is_valid():
        return _page(request, annotator, form=form, refusal="Say from which moment on, in UTC.")
    fields = moment.cleaned_data if moment.is_valid() else {}
    try:
        message = _do(act, annotator, fields, by=request.user, reason=reason)
    except (withdrawing.CountChanged, bulk_decisions.DecisionUnderWay) as error:
        return _page(request, annotator, form=form, since=fields.get("since"), refusal=str(error))
    messages.success(request, message)
    return redirect("annotate:annotator", slug, pk)


def _do(act: PersonAct, annotator: Annotator, fields: dict[str, Any], **attribution: Any) -> str:
    """Carry out the action; return a message about it."""
    if act == PersonAct.PAUSE:
        pausing.pause(annotator=annotator, **attribution)
        return f"{annotator} gets no more pairs; what was judged stays."
    if act == PersonAct.RESUME:
        pausing.resume(annotator=annotator, **attribution)
        return f"{annotator} gets pairs again."
    if act == PersonAct.WITHDRAW:
        work = withdrawing.withdraw_annotator(annotator=annotator, **fields, **attribution)
    else:
        work = withdrawing.restore_annotator(annotator=annotator, **fields, **attribution)
    return withdrawing.outcome_text(annotator=annotator, decision=work)


def _page(
    request: HttpRequest,
    annotator: Annotator,
    *,
    form: ReasonForm | None = None,
    since: datetime | None = None,
    refusal: str = "",
) -> HttpResponse:
    since_form = SinceForm(request.GET if "since" in request.GET else None)
    if since is None and since_form.is_valid():
        since = since_form.cleaned_data["since"]
    withdrawable = withdrawing.withdrawable(annotator=annotator, since=since) if since else None
    log_entries = review_log.entries(collection=annotator.collection, person=annotator.pk)
    decisions = bulk_decisions.unfinished_of_annotator(annotator=annotator)
    context = {
        "collection": annotator.collection,
        "annotator": annotator,
        "shows_names": "names" in request.GET,
        "since_form": SinceForm(initial={"since": since}) if since else since_form,
        "since": since,
        "withdrawable": withdrawable,
        "works": [work_panel(decision, annotator.collection.slug) for decision in decisions],
        "withdrawals": withdrawing.withdrawals(annotator=annotator),
        "log_entries": log_entries[:N_LAST],
        "form": form or ReasonForm(acts=PersonAct, acts_with_reason=PERSON_ACTS_WITH_REASON),
        "refusal": refusal,
    }
    return render(request, "annotate/people/annotator.html", context, status=422 if form else 200)
