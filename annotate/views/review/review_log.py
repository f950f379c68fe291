"""Log of the leads' actions: as a page and as CSV, and the progress of their decisions."""

import csv
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.forms.review import LogForm
from annotate.http import SignedIn
from annotate.models import ReviewAction, ReviewWork, Role
from annotate.services.background import works
from annotate.services.background.progress import JobStatus
from annotate.services.supervision import bulk_decisions, review_log

PAGE_SIZE = 50


class WorkPanel(NamedTuple):
    """A decision that a worker carries out, for a page.

    result_url : the page that shows its result.
    """

    work: ReviewWork
    title: str
    outcome: str
    stop: str
    status: JobStatus
    poll_url: str
    again_url: str
    result_url: str

    @property
    def id(self) -> str:
        """Id of the panel on the page; its replacement has the same."""
        return f"work-{self.work.pk}"


class _LineWriter:
    """A file whose `write` returns the line, for csv.writer."""

    def write(self, line: str) -> str:
        """Return the line."""
        return line


@require_safe
@never_cache
@login_required
def log(request: SignedIn, slug: str) -> HttpResponse:
    """Show the leads' actions with their reasons, the newest first."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = LogForm(request.GET, collection=collection)
    rows = review_log.entries(collection=collection, **form.filters())
    query = urlencode(
        {name: str(value) for name, value in request.GET.items() if name != "page" and value}
    )
    page = Paginator(review_log.with_parts(rows), PAGE_SIZE).get_page(request.GET.get("page"))
    failed_works = [
        work_panel(decision, slug) for decision in bulk_decisions.failed(collection=collection)
    ]
    context = {
        "collection": collection,
        "form": form,
        "page": page,
        "query": query,
        "works": failed_works,
    }
    return render(
        request, "annotate/review/log.html", context, status=200 if form.is_valid() else 422
    )


@require_safe
@never_cache
@login_required
def log_csv(request: SignedIn, slug: str) -> StreamingHttpResponse:
    """Download the log as CSV."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    rows = review_log.entries(
        collection=collection, **LogForm(request.GET, collection=collection).filters()
    )
    writer = csv.writer(_LineWriter())
    return StreamingHttpResponse(
        (writer.writerow(row) for row in review_log.csv_rows(rows)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{collection.slug}-review-log.csv"'},
    )


@require_safe
@never_cache
@login_required
def work(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Answer the page every 2 seconds while a worker carries out a decision; last, its outcome."""
    decision = access.get_review_work(user=request.user, slug=slug, pk=pk)
    return render(
        request,
        "annotate/review/_work.html",
        {"panel": work_panel(decision, slug), "is_polled": True},
    )


@require_POST
@login_required
def work_again(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Queue the rest of a decision that failed half-way."""
    decision = access.get_review_work(user=request.user, slug=slug, pk=pk)
    if works.ask_again(work=decision.work):
        messages.success(request, bulk_decisions.summary(decision))
    return redirect(_result_url(decision.action, slug))


def work_panel(decision: ReviewWork, slug: str) -> WorkPanel:
    """Make the panel of a decision, for annotate/review/_work.html."""
    address = [slug, decision.pk]
    return WorkPanel(
        decision,
        bulk_decisions.title(decision),
        bulk_decisions.outcome(decision),
        bulk_decisions.failure(decision),
        bulk_decisions.decision_status(decision),
        reverse("annotate:review-work", args=address),
        reverse("annotate:review-work-again", args=address),
        _result_url(decision.action, slug),
    )


def _result_url(action: ReviewAction, slug: str) -> str:
    if action.item_id:
        return reverse("annotate:review-log", args=[slug])
    if action.batch_id:
        return reverse("annotate:inbox-batch", args=[slug, action.batch_id])
    return reverse("metrics:dashboard-person", args=[slug, action.annotator_id])
