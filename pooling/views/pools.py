"""Pools: what there is, building one after seeing its price, and how far it is."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access as annotate_access
from annotate.access import LEADERS
from annotate.models import Collection, Role
from annotate.queue import enqueue_on_commit
from pooling import access, tasks
from pooling.core.strategies import STRATEGIES
from pooling.forms import PoolForm
from pooling.models import Pool
from pooling.services import figures, previews
from pooling.services import pools as service
from pooling.services.choosing import PoolError
from pooling.services.waiting import worker_is_missing


@require_safe
@login_required
def pools(request: HttpRequest, slug: str) -> HttpResponse:
    """All pools of a collection."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    context = {
        "collection": collection,
        "rows": figures.pool_rows(collection=collection),
        "may_open": _is_researcher(request, collection),
        "has_runs": collection.runs.filter(state="ready").exists(),
    }
    return render(request, "pooling/pools.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def pool_new(request: HttpRequest, slug: str) -> HttpResponse:
    """The form for a pool; sent, it makes the pool and has it opened in the background."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))
    form = _form(request, collection)
    if form.is_valid():
        try:
            pool = service.create_pool(
                collection=collection, name=form.cleaned_data["name"], by=request.user, **form.choice()
            )
            return _open(pool)
        except PoolError as error:
            _add_error(form, error)
    context = {"collection": collection, "form": form, "strategies": STRATEGIES, "chosen": form.strategy}
    return render(request, "pooling/pool_new.html", context, status=422 if form.errors else 200)


@require_POST
@login_required
def pool_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """What the pool in the form would hold and cost."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))
    form, seen = _form(request, collection), None
    form.fields["name"].required = False
    if form.is_valid():
        try:
            seen = previews.preview(collection=collection, **form.choice())
        except PoolError as error:
            _add_error(form, error)
    return render(request, "pooling/_preview.html", {"preview": seen, "form": form}, status=422 if form.errors else 200)


@require_safe
@never_cache
@login_required
def pool(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One pool: how it was made and how far it is."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    context = {
        "collection": pool.collection,
        "pool": pool,
        "strategy": STRATEGIES.get(pool.strategy),
        "runs": pool.runs.order_by("direction", "name"),
        "figures": figures.pool_figures(pool=pool),
        "may_open": _is_researcher(request, pool.collection),
    }
    return render(request, "pooling/pool.html", context | _waiting(pool))


@require_safe
@never_cache
@login_required
def pool_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asked every 2 seconds while a pool is being opened; sends the page on when it is."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    if pool.state != Pool.State.OPENING:
        return HttpResponse(headers={"HX-Redirect": reverse("pooling:pool", args=[slug, pk])})
    return render(request, "_job.html", _waiting(pool)["job"])


@require_POST
@login_required
def pool_open(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have a draft, or a pool whose opening failed, opened in the background."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    try:
        return _open(pool)
    except service.PoolState as error:
        messages.error(request, str(error))
    return redirect("pooling:pool", slug, pk)


@require_POST
@login_required
def pool_close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop handing out a pool's pairs."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    try:
        service.close_pool(pool=pool)
        messages.success(request, "The pool is closed. Judgments stay; held pairs may still be finished.")
    except service.PoolState as error:
        messages.error(request, str(error))
    return redirect("pooling:pool", slug, pk)


@require_POST
@login_required
def pool_reopen(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Hand out the missing pairs of a closed pool again."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    try:
        service.reopen_pool(pool=pool)
        messages.success(request, "The pool is open again.")
    except service.PoolState as error:
        messages.error(request, str(error))
    return redirect("pooling:pool", slug, pk)


def _form(request: HttpRequest, collection: Collection) -> PoolForm:
    strategy = request.POST.get("strategy") or request.GET.get("strategy") or next(iter(STRATEGIES))
    if strategy not in STRATEGIES:
        raise Http404(f"There is no strategy {strategy}.")
    return PoolForm(request.POST or None, collection=collection, strategy=strategy)


def _add_error(form: PoolForm, error: PoolError) -> None:
    form.add_error(error.field if error.field in form.fields else None, str(error))


def _open(pool: Pool) -> HttpResponse:
    service.request_opening(pool=pool)
    enqueue_on_commit(tasks.open_pool, pool_id=pool.pk)
    return redirect("pooling:pool", pool.collection.slug, pool.pk)


def _is_researcher(request: HttpRequest, collection: Collection) -> bool:
    return Role.RESEARCHER in annotate_access.roles_in(user=request.user, collection=collection)


def _waiting(pool: Pool) -> dict[str, Any]:
    """Context of the waiting part; empty when there is nothing to wait for."""
    if pool.state != Pool.State.OPENING:
        return {}
    job = {
        "poll_url": reverse("pooling:pool-state", args=[pool.collection.slug, pool.pk]),
        "title": "Opening the pool",
        "detail": "Pairs are chosen, doubles fixed, seats made; nobody sees a part of it before the end.",
        "worker_missing": worker_is_missing(),
    }
    return {"job": job}
