"""What annotators could not judge or handed to the lead."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.models import Role
from annotate.services import reviewing

PAGE_SIZE = 50


@require_safe
@never_cache
@login_required
def reports(request: HttpRequest, slug: str) -> HttpResponse:
    """The open reports, newest first."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    rows = reviewing.open_reports(collection=collection)
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "annotate/reports.html", {"collection": collection, "page": page})


@require_POST
@login_required
def settle(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let a pair go back to the queue."""
    report = access.get_report(user=request.user, slug=slug, pk=pk)
    reviewing.settle_report(report=report, by=request.user)
    messages.success(request, "Settled. Without other reports the pair is back in the queue, for somebody else.")
    return redirect("annotate:reports", slug)
