"""One person's page: her labels beside everybody else's, and what a lead does about them."""

from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.core.consequences import ActChanged, Consequences, CountChanged
from annotate.forms.review import (
    PERSON_ACTS_WITH_REASON,
    AnswerFilterForm,
    PersonAct,
    PersonActForm,
    RestoreForm,
    SinceForm,
)
from annotate.http import SignedIn
from annotate.models import Annotator, User
from annotate.services.golds.quality import missed_golds
from annotate.services.pages import person_answers, person_status
from annotate.services.people.members import n_labels_of, removal_consequences
from annotate.services.supervision import bulk_decisions, pausing, review_log, withdrawing
from annotate.services.supervision.consequences import (
    pause_consequences,
    restoration_consequences,
    withdrawal_consequences,
)
from annotate.views import undoing
from annotate.views.review.review_log import work_panel
from metrics.services.dashboard import dashboard as service
from metrics.services.dashboard import people_pages
from metrics.services.dashboard.tabs import DashboardTab
from metrics.views import dashboard

N_LAST = 20  # lines of the log that are shown
UNDO = "Undo"  # the reason in the log of what takes an act back at once
MOMENT_FORMS: dict[str, type[SinceForm]] = {
    PersonAct.WITHDRAW: SinceForm,
    PersonAct.RESTORE: RestoreForm,
}


@require_safe
@never_cache
@login_required
def person(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The page; to leads with a moment, how many labels would be withdrawn from there on."""
    annotator = access.get_led_annotator(user=request.user, slug=slug, pk=pk, roles=LEADERS)
    return _page(request, annotator)


@require_safe
def person_numbers(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The live part of the person's page; 304 while nothing has changed."""
    return dashboard.unchanged_response(request) or _person_numbers(request, slug, pk)


@login_required
def _person_numbers(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    annotator = access.get_led_annotator(user=request.user, slug=slug, pk=pk, roles=LEADERS)
    collection = annotator.collection
    options = dashboard.options_of(request, collection, DashboardTab.PEOPLE)
    state = service.state_of(collection=collection, options=options)

    def context() -> dict[str, Any]:
        page = people_pages.page(annotator=annotator, options=options, state=state)
        may_name = dashboard.may_name(request, collection)
        return {"person": page, "options": options, "may_name": may_name}

    return dashboard.response_unless_current(
        request, collection, state.version, "metrics/person/_numbers.html", context
    )


@require_POST
@login_required
def person_act(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Pause, resume, withdraw or restore."""
    annotator = access.get_led_annotator(user=request.user, slug=slug, pk=pk)
    form = PersonActForm(request.POST, acts=PersonAct, acts_with_reason=PERSON_ACTS_WITH_REASON)
    moment_form = MOMENT_FORMS.get(request.POST.get("act", ""))
    moment = moment_form(request.POST) if moment_form else None
    if form.is_valid() and (moment is None or moment.is_valid()):
        fields = form.cleaned_data | (moment.cleaned_data if moment else {})
        try:
            message, undo = _do(annotator=annotator, by=request.user, **fields)
        except ActChanged as error:
            form.add_error("done_at", str(error))
        except (CountChanged, bulk_decisions.DecisionUnderWay) as error:
            form.add_error("reason", str(error))
        else:
            act_url = reverse("metrics:dashboard-person-act", args=[slug, pk])
            undoing.notify(request, message, undo_url=act_url, **undo)
            return redirect("metrics:dashboard-person", slug, pk)
    return _page(request, annotator, form=form, moment=moment)


def _do(
    *,
    act: str,
    annotator: Annotator,
    expected: int | None,
    done_at: datetime | None,
    by: User,
    reason: str,
    **times: Any,
) -> tuple[str, dict[str, str]]:
    """Carry out the action; return a message about it, and the fields that take it back."""
    attribution: dict[str, Any] = {"by": by, "reason": reason}
    if act == PersonAct.PAUSE:
        is_new = pausing.pause(annotator=annotator, **attribution)
        status = person_status.person_status(annotator=annotator)
        undo = {"act": PersonAct.RESUME, "done_at": str(annotator.paused_at)}
        return status.pause_text, undo if is_new else {}
    if act == PersonAct.RESUME:
        is_new = pausing.resume(annotator=annotator, done_at=done_at, **attribution)
        undo = {"act": PersonAct.PAUSE, "reason": UNDO}
        status = person_status.person_status(annotator=annotator)
        return status.resume_text, undo if is_new else {}
    if act == PersonAct.WITHDRAW:
        work = withdrawing.withdraw_annotator(
            annotator=annotator, expected=expected, **times, **attribution
        )
    else:
        work = withdrawing.restore_annotator(
            annotator=annotator, expected=expected, **times, **attribution
        )
    message = withdrawing.outcome_text(annotator=annotator, decision=work)
    if act == PersonAct.RESTORE or work is None or not work.is_done:
        return message, {}
    # those of this decision alone, not of an earlier one for the same reason
    newest = withdrawing.withdrawals(annotator=annotator)[0]
    withdrawn_within = {"since": work.action.at.isoformat(), "until": newest.until.isoformat()}
    return message, {"act": PersonAct.RESTORE, "reason": UNDO, **withdrawn_within}


def _page(
    request: HttpRequest,
    annotator: Annotator,
    *,
    form: PersonActForm | None = None,
    moment: SinceForm | None = None,
) -> HttpResponse:
    """Make the page; `form` and `moment` are of an action that was refused."""
    collection = annotator.collection
    options = dashboard.options_of(request, collection, DashboardTab.PEOPLE)
    state = service.state_of(collection=collection, options=options)
    context = {
        "collection": collection,
        "options": options,
        "may_name": dashboard.may_name(request, collection),
        "status": person_status.person_status(annotator=annotator),
        "person": people_pages.page(annotator=annotator, options=options, state=state),
        **_answers(request, annotator, options),
    }
    if context["may_name"]:
        context |= _actions(annotator, request.GET, form=form, moment=moment)
        context |= _person_acts(context["status"])
        context["missed_golds"], context["n_missed"] = missed_golds(annotator=annotator)
    status = 422 if form else 200
    return render(request, "metrics/person/person.html", context, status=status)


def _answers(
    request: HttpRequest, annotator: Annotator, options: service.DashboardOptions
) -> dict[str, Any]:
    """The context of the last answers, with their filters."""
    levels = list(annotator.collection.levels.all())
    form = AnswerFilterForm(request.GET, levels=levels)
    filters = form.cleaned_data if form.is_valid() else {}
    page, rows = person_answers.answer_page(
        annotator=annotator,
        grade=filters.get("grade"),
        only_differing=filters.get("differs", False),
        number=request.GET.get("page"),
    )
    choices = {name: value for name, value in filters.items() if value not in (None, False)}
    query = "&".join(filter(None, (options.query_string, urlencode(choices))))
    return {"page": page, "answers": rows, "answer_form": form, "query": query}


def _actions(
    annotator: Annotator, query: QueryDict, *, form: PersonActForm | None, moment: SinceForm | None
) -> dict[str, Any]:
    """The context of what a lead can do, and of what was refused."""
    form = form or PersonActForm(acts=PersonAct, acts_with_reason=PERSON_ACTS_WITH_REASON)
    if moment is None or isinstance(moment, RestoreForm):
        moment = SinceForm(query if "since" in query else None)
    moment.is_valid()
    since: datetime | None = moment.cleaned_data.get("since") if moment.is_bound else None
    decisions = bulk_decisions.unfinished_of_annotator(annotator=annotator)
    log_entries = review_log.entries(collection=annotator.collection, person=annotator.pk)
    withdrawals = withdrawing.withdrawals(annotator=annotator)
    return {
        "since_form": SinceForm(initial={"since": since}) if since else moment,
        "since": since,
        "withdrawal": _withdrawal(annotator, since) if since else None,
        "works": [work_panel(decision, annotator.collection.slug) for decision in decisions],
        "withdrawals": withdrawals,
        "restorations": [
            (row, restoration_consequences(annotator=annotator, withdrawal=row))
            for row in withdrawals
        ],
        "failed_batches": person_status.failed_batches(annotator=annotator),
        "log_entries": review_log.with_parts(log_entries)[:N_LAST],
        "form": form,
        "refused_act": form.data.get("act", ""),
    }


def _withdrawal(annotator: Annotator, since: datetime) -> Consequences | None:
    """The consequences of withdrawing her answers from a moment on; None if there are none."""
    withdrawable = withdrawing.withdrawable(annotator=annotator, since=since)
    if not withdrawable.n:
        return None
    return withdrawal_consequences(annotator=annotator, since=since, withdrawable=withdrawable)


def _person_acts(status: person_status.PersonStatus) -> dict[str, Any]:
    """The context of the acts about the person herself: her pause and her membership."""
    membership = status.annotator_membership
    return {
        "pause": pause_consequences(
            annotator=status.annotator,
            n_in_hand=status.n_in_hand,
            resume_text=status.resume_text,
        ),
        "removal": removal_consequences(
            membership=membership,
            person=str(status.annotator),
            n_in_hand=status.n_in_hand,
            n_labels=n_labels_of(annotator=status.annotator),
        )
        if membership
        else None,
    }
