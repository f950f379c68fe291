"""What a pool favours."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.queue import enqueue_on_commit
from annotate.services.background import progress
from metrics import tasks
from metrics.models import Snapshot
from metrics.services import favour as service
from metrics.services import plans_page
from metrics.services.favour_page import page_of
from pooling import access
from pooling.models import Pool


@require_safe
@never_cache
@login_required
def favour(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Bias of an opened pool at the present labels, curves of its strategies, and whether to go on judging."""
    pool, last = _looked_at(request, slug, pk)
    context = {"collection": pool.collection, "pool": pool}
    if last is None:
        return render(request, "metrics/favour.html", context | {"job": _job(pool)})
    page = page_of(pool=pool, snapshot=last, measure=request.GET.get("measure"))
    plan = plans_page.on_pool(
        pool=pool,
        measure=page.measure,
        label_source=last.value["label_source"],
        threshold=page.threshold,
        viewer=request.user,
    )
    return render(request, "metrics/favour.html", context | {"page": page, "plan": plan})


@require_safe
@never_cache
@login_required
def favour_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asked every 2 seconds while there are no numbers yet; sends the page on when there are."""
    pool, last = _looked_at(request, slug, pk)
    if last is not None:
        return HttpResponse(headers={"HX-Redirect": reverse("metrics:pool-favour", args=[slug, pk])})
    return render(request, "_job.html", _job(pool))


def _looked_at(request: HttpRequest, slug: str, pk: int) -> tuple[Pool, Snapshot | None]:
    """The pool and its last numbers; new ones are asked for when those are old."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    if not pool.opened_at:
        raise Http404("The pool was not opened yet.")
    last = service.snapshot_of(pool=pool)
    if service.should_ask(pool=pool, last=last):
        enqueue_on_commit(tasks.study_pool, pool_id=pool.pk)
    return pool, last


def _job(pool: Pool) -> dict[str, object]:
    return {
        "poll_url": reverse("metrics:pool-favour-state", args=[pool.collection.slug, pool.pk]),
        "title": "Going through the labels",
        "detail": "Every run is scored with parts of the labels: some seconds for a few runs, minutes for a hundred.",
        "standing": progress.standing(job=service.job_of(pool)),
    }
