"""The log of what leads did: as a page, as a table to take away, and how far what they decided is carried out."""

import csv
from collections.abc import Iterator
from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.models import ReviewWork, Role
from annotate.review_forms import LogForm
from annotate.services import review_log, review_work
from annotate.services.background.progress import Standing

PAGE_SIZE = 50


class ShownWork(NamedTuple):
    """What a page says of a decision that a worker carries out; seen_at : the page on which to see what it did."""

    work: ReviewWork
    title: str
    outcome: str
    standing: Standing
    poll_url: str
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
    context = {"collection": collection, "form": form, "page": page, "query": query}
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
    found = access.get_review_work(user=request.user, slug=slug, pk=pk)
    return render(request, "annotate/_review_work.html", {"shown": shown_work(found, slug)})


def shown_work(work: ReviewWork, slug: str) -> ShownWork:
    """A decision that is being carried out, for annotate/_review_work.html."""
    action = work.action
    if action.item_id:
        seen_at = reverse("annotate:review-log", args=[slug])
    elif action.batch_id:
        seen_at = reverse("annotate:inbox-batch", args=[slug, action.batch_id])
    else:
        seen_at = reverse("annotate:annotator", args=[slug, action.annotator_id])
    return ShownWork(
        work, review_work.title(work), review_work.outcome(work), review_work.standing(work),
        reverse("annotate:review-work", args=[slug, work.pk]), seen_at,
    )  # fmt: skip


def _lines(rows: Iterator[list[object]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    return (writer.writerow(row) for row in rows)
