"""The explorer: one query, and the results of each run for it."""

import secrets

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.models import Collection
from annotate.services.background import kept, progress
from metrics.explorer_state import QueryOrder
from metrics.forms.explorer import ExplorerForm
from metrics.services.explorer import disagreement
from metrics.services.explorer import explorer as service
from metrics.services.samples.pools import names_of_samples

WAITING_TEXTS = {
    "title": "Counting where people disagree",
    "detail": "The queries are in the order of the file meanwhile; the page comes again by itself.",
}


@require_safe
@never_cache
@login_required
def explorer(request: HttpRequest, slug: str) -> HttpResponse:
    """A query with the runs side by side and the labels; the address holds every choice."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    form = ExplorerForm(
        request.GET, collection=collection, viewer=request.user, measures=service.GAIN_MEASURES
    )
    context: dict[str, object] = {
        "collection": collection,
        "form": form,
        "orders": QueryOrder,
        "seed": secrets.randbelow(10**6),
        "samples": names_of_samples(collection=collection),
    }
    if not form.is_valid():
        return render(request, "metrics/explorer/explorer.html", context, status=422)
    state = form.state()
    if state.order == QueryOrder.DISAGREED and _is_waiting_for_disagreement(collection):
        context["job"] = _job(collection)
    context["page"] = page = service.page_of(collection=collection, state=state)
    status = 404 if page.is_unknown_id else 200
    return render(request, "metrics/explorer/explorer.html", context, status=status)


@require_safe
@never_cache
@login_required
def explorer_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Polled every 2 seconds while no count of differing labels is there; then reloads the page."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    if not _is_waiting_for_disagreement(collection):
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "parts/_job.html", _job(collection))


def _is_waiting_for_disagreement(collection: Collection) -> bool:
    """True if a count of differing labels is missing; has one made, also where it is old."""
    inquiry = disagreement.inquiry_of(collection=collection)
    return kept.look(inquiry=inquiry, with_value=False).row is None


def _job(collection: Collection) -> dict[str, object]:
    inquiry = disagreement.inquiry_of(collection=collection)
    return {
        "poll_url": reverse("metrics:explorer-state", args=[collection.slug]),
        "job_status": progress.job_status(job=inquiry.job),
        **WAITING_TEXTS,
    }
