"""The explorer: one query, and what each run returns for it."""

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
from annotate.queue import enqueue_on_commit
from annotate.services.background.workers import worker_is_missing
from metrics import tasks
from metrics.explorer_forms import ExplorerForm
from metrics.explorer_state import Order
from metrics.services import exploring, exploring_disagreement
from metrics.services.sampled_pools import names_of_samples

WAITING = {
    "title": "Counting where people disagree",
    "detail": "The queries stand as loaded meanwhile; the page comes again by itself.",
}


@require_safe
@never_cache
@login_required
def explorer(request: HttpRequest, slug: str) -> HttpResponse:
    """A query, the runs side by side, the labels; the address holds all that was chosen."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    form = ExplorerForm(request.GET, collection=collection, viewer=request.user, measures=exploring.GAINING)
    context = {"collection": collection, "form": form, "orders": Order, "seed": secrets.randbelow(10**6)}
    context["samples"] = names_of_samples(collection=collection)
    if not form.is_valid():
        return render(request, "metrics/explorer.html", context, status=422)
    asked = form.asked()
    if asked.order == Order.DISAGREED and _ask_for_disagreement(collection):
        context["job"] = _job(slug)
    page = exploring.page_of(collection=collection, asked=asked)
    return render(request, "metrics/explorer.html", context | {"page": page}, status=404 if page.unknown else 200)


@require_safe
@never_cache
@login_required
def explorer_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Asked every 2 seconds while nobody counted differing labels yet; loads the page again when somebody has."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    if not _ask_for_disagreement(collection):
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "_job.html", _job(slug))


def _ask_for_disagreement(collection: Collection) -> bool:
    """Whether there is no count yet; one is asked for where there is none, or an old one."""
    last = exploring_disagreement.snapshot_of(collection=collection)
    if exploring_disagreement.should_ask(collection=collection, last=last):
        enqueue_on_commit(tasks.count_disagreement, collection_id=collection.pk)
    return last is None


def _job(slug: str) -> dict[str, object]:
    poll_url = reverse("metrics:explorer-state", args=[slug])
    return {"poll_url": poll_url, "worker_missing": worker_is_missing(), **WAITING}
