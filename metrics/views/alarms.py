"""Alarms that leads set, and the log of when they rose and fell."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access
from annotate.models import Collection, Role
from annotate.views import undoing
from metrics.forms.alarms import AlarmForm
from metrics.models import Alarm
from metrics.services.mails.alarm_mails import mail_sentence
from metrics.services.numbers import alarms as service
from metrics.services.numbers.alarm_consequences import rows_with_endings


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def alarms(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of alarms with the log; POST sets one."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = AlarmForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            service.set_alarm(collection=collection, by=request.user, **form.cleaned_data)
        except service.AlarmExists as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The alarm is set.")
            return redirect("metrics:alarms", slug)
    return _page(request, collection, form)


@require_POST
@login_required
def end_alarm(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """End an alarm; its notice has what sets the same again."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    alarm = get_object_or_404(Alarm, collection=collection, pk=pk)
    fields = {"kind": alarm.kind, "below": f"{alarm.below}", "n_at_least": f"{alarm.n_at_least}"}
    text = "The alarm is ended; its log stays."
    if service.end_alarm(alarm=alarm):
        undo_url = reverse("metrics:alarms", args=[slug])
        undoing.notify(request, text, undo_url=undo_url, **fields)
    else:
        messages.info(request, "Nothing was changed: it had been ended before.")
    return redirect("metrics:alarms", slug)


def _page(request: HttpRequest, collection: Collection, form: AlarmForm) -> HttpResponse:
    page = service.page(collection=collection)
    context = {
        "collection": collection,
        "form": form,
        "page": page,
        "alarm_rows": rows_with_endings(page=page),
        "mail_sentence": mail_sentence(collection=collection),
    }
    return render(
        request,
        "metrics/dashboard/alarms.html",
        context,
        status=422 if request.method == "POST" else 200,
    )
