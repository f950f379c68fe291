"""The page on a pool's bias."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.models import Kept
from annotate.services.background import kept, progress
from metrics.services.plans import plans_page
from metrics.services.pool_bias import study as service
from metrics.services.pool_bias.page import page_of
from pooling import access
from pooling.models import Pool


@require_safe
@never_cache
@login_required
def pool_bias(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Bias of a pool at the present labels, its strategies' curves, and whether to judge on."""
    pool, bias = _pool_and_bias(request, slug, pk)
    context = {"collection": pool.collection, "pool": pool}
    if bias is None:
        return render(request, "metrics/pool_bias/pool_bias.html", context | {"job": _job(pool)})
    page = page_of(pool=pool, bias=bias, measure=request.GET.get("measure"))
    plan = plans_page.summary_for_pool(
        pool=pool,
        measure=page.measure,
        label_source=bias.value["label_source"],
        threshold=page.threshold,
        viewer=request.user,
    )
    return render(
        request, "metrics/pool_bias/pool_bias.html", context | {"page": page, "plan": plan}
    )


@require_safe
@never_cache
@login_required
def pool_bias_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Polled every 2 seconds while there are no numbers yet; then redirects to the page."""
    pool, bias = _pool_and_bias(request, slug, pk)
    if bias is not None:
        return HttpResponse(headers={"HX-Redirect": reverse("metrics:pool-bias", args=[slug, pk])})
    return render(request, "parts/_job.html", _job(pool))


def _pool_and_bias(request: HttpRequest, slug: str, pk: int) -> tuple[Pool, Kept | None]:
    """The pool and its bias, which is computed anew where it is old."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    if not pool.opened_at:
        raise Http404("The pool was not opened yet.")
    return pool, kept.look(inquiry=service.inquiry_of(pool=pool)).row


def _job(pool: Pool) -> dict[str, object]:
    return {
        "poll_url": reverse("metrics:pool-bias-state", args=[pool.collection.slug, pool.pk]),
        "title": "Going through the labels",
        "detail": (
            "Every run is scored with parts of the labels: some seconds for a few runs, minutes "
            "for a hundred."
        ),
        "job_status": progress.job_status(job=service.inquiry_of(pool=pool).job),
    }
