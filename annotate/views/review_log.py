"""The log of what leads did: as a page, as a table to take away, and how far what they decided is carried out."""

import csv
from collections.abc import Iterator
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.models import ReviewAction, ReviewWork, Role
from annotate.review_forms import LogForm
from annotate.services import review_log, review_work
from annotate.services.background import works
from annotate.services.background.progress import Standing

PAGE_SIZE = 50


class ShownWork(NamedTuple):
    """What a page says of a decision that a worker carries out; seen_at : the page on which to see what it did."""

    work: ReviewWork
    title: str
    outcome: str
    stop: str
    standing: Standing
    poll_url: str
    again_url: str
    seen_at: str

    @property
    def id(self) -> str:
        """What stands in its place afterwards has the same."""
        return f"work-{self.work.pk}"


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, line: str) -> str:
        """The line."""
        return line


@require_safe
@never_cache
@login_required
def log(request: HttpRequest, slug: str) -> HttpResponse:
    """Who did what to whose labels, and why; the newest first."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = LogForm(request.GET, collection=collection)
    rows = review_log.entries(collection=collection, **form.wanted())
    query = urlencode({name: value for name, value in request.GET.items() if name != "page" and value})
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    stopped = [shown_work(decision, slug) for decision in review_work.failed(collection=collection)]
    context = {"collection": collection, "form": form, "page": page, "query": query, "works": stopped}
    return render(request, "annotate/review_log.html", context, status=200 if form.is_valid() else 422)


@require_safe
@never_cache
@login_required
def log_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The same lines as CSV."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    rows = review_log.entries(collection=collection, **LogForm(request.GET, collection=collection).wanted())
    return StreamingHttpResponse(
        _lines(review_log.csv_rows(rows)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{collection.slug}-review-log.csv"'},
    )


@require_safe
@never_cache
@login_required
def work(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asked every 2 seconds while a worker carries out a decision; at last, what it did."""
    decision = access.get_review_work(user=request.user, slug=slug, pk=pk)
    return render(request, "annotate/_review_work.html", {"shown": shown_work(decision, slug), "is_polled": True})


@require_POST
@login_required
def work_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have the rest done of a decision that failed half-way."""
    decision = access.get_review_work(user=request.user, slug=slug, pk=pk)
    if works.ask_again(work=decision.work):
        messages.success(request, review_work.said(decision))
    return redirect(_seen_at(decision.action, slug))


def shown_work(decision: ReviewWork, slug: str) -> ShownWork:
    """A decision that is being carried out, for annotate/_review_work.html."""
    address = [slug, decision.pk]
    return ShownWork(
        decision, review_work.title(decision), review_work.outcome(decision), review_work.stop(decision),
        review_work.standing(decision), reverse("annotate:review-work", args=address),
        reverse("annotate:review-work-again", args=address), _seen_at(decision.action, slug),
    )  # fmt: skip


def _seen_at(action: ReviewAction, slug: str) -> str:
    if action.item_id:
        return reverse("annotate:review-log", args=[slug])
    if action.batch_id:
        return reverse("annotate:inbox-batch", args=[slug, action.batch_id])
    return reverse("annotate:annotator", args=[slug, action.annotator_id])


def _lines(rows: Iterator[list[object]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    return (writer.writerow(row) for row in rows)
