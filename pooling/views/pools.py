"""Pages of pools: the list, one pool with its progress, opening, closing and reopening it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access as annotate_access
from annotate.access import LEADERS
from annotate.core.consequences import CountChanged
from annotate.forms.consequences import ExpectedForm
from annotate.http import SignedIn
from annotate.models import Collection, Role, Work
from annotate.services.background import works
from annotate.services.pages import stuck_labels
from pooling import access
from pooling.core.strategies.options import OPTIONS
from pooling.core.strategies.parameters import value_lines
from pooling.core.strategies.strategies import STRATEGIES
from pooling.forms.pools import PoolForm
from pooling.models import Pool, Run
from pooling.sentences import SourceSentences
from pooling.services.pages import pool_figures
from pooling.services.pools import pools as service

JOBS = {  # titles and descriptions of the background work, by phase
    Pool.Phase.OPENING: (
        "Opening the pool",
        "Pairs are chosen, doubles fixed, labels made ready to hand out; nobody gets any of them "
        "before the end.",
    ),
    Pool.Phase.CLOSING: (
        "Closing the pool",
        "Nothing more is handed out. Labels nobody has begun are withdrawn; judgments "
        "stay, pairs handed out may still be finished. Once that is done, it can be opened again "
        "here.",
    ),
    Pool.Phase.REOPENING: (
        "Opening the pool again",
        "Labels that were withdrawn are wanted again; they are handed out at the end.",
    ),
}


@require_safe
@login_required
def pools(request: SignedIn, slug: str) -> HttpResponse:
    """All pools of a collection."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    rows = pool_figures.pool_rows(collection=collection)
    may_open = _is_researcher(request, collection)
    context = {"collection": collection, "rows": rows, "may_open": may_open}
    if may_open and not rows:
        context |= _first_pool_context(collection)
        if not context["is_waiting"] and "HX-Request" in request.headers:
            # a reload, as the page's notice and steps say too what is being read
            return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "pooling/pools/pools.html", context)


def _first_pool_context(collection: Collection) -> dict[str, Any]:
    """Context of a first pool by the first strategy; waiting for what it is made of.

    is_waiting : items or runs are being read, from which it would be priced too low
    """
    form = PoolForm(collection=collection, strategy=next(iter(STRATEGIES)))
    return {
        "form": form,
        "strategy": STRATEGIES[form.strategy],
        "is_waiting": collection.imports.filter(work__state__in=Work.UNFINISHED).exists()
        or Run.objects.filter(collection=collection).being_read().exists(),
    }


@require_safe
@never_cache
@login_required
def pool(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """One pool: its parameters, its figures and its state."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    plan = STRATEGIES.get(pool.strategy)
    parameters = (*(plan.parameters if plan else ()), *OPTIONS)
    stuck_by_round = stuck_labels.stuck_labels(collection=pool.collection)
    context = {
        "collection": pool.collection,
        "pool": pool,
        "strategy": plan,
        "parameters": value_lines(parameters, pool.parameters),
        "runs": pool.runs.order_by("direction", "name"),
        "source_sentences": SourceSentences(pool),
        "figures": pool_figures.pool_figures(pool=pool),
        "may_invite": Role.LEAD
        in annotate_access.roles_in(user=request.user, collection=pool.collection),
        "stuck": None if pool.round_id is None else stuck_by_round.get(pool.round_id),
        "may_open": _is_researcher(request, pool.collection),
    }
    return render(request, "pooling/pools/pool.html", context | _waiting(request, pool))


@require_safe
@never_cache
@login_required
def pool_state(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The state of a pool, polled every 2 seconds while it is opened or closed.

    At the end the page is reloaded.
    """
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    if not (job_context := _waiting(request, pool)):
        return HttpResponse(headers={"HX-Redirect": reverse("pooling:pool", args=[slug, pk])})
    return render(request, "parts/_job.html", job_context["job"])


@require_POST
@login_required
def pool_open(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Have a draft, or a pool whose opening failed, opened in the background."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    return _begin(request, pool, service.request_opening)


@require_POST
@login_required
def pool_cancel(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Have a pool that is being opened be a draft again."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    try:
        service.cancel_opening(pool=pool, by=request.user)
    except service.WrongPoolState as error:
        messages.error(request, str(error))
    return redirect("pooling:pool", slug, pk)


@require_POST
@login_required
def pool_close(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Stop handing out a pool's pairs; its free seats are withdrawn in the background."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    expected = ExpectedForm.number_in(request.POST)
    return _begin(request, pool, partial(service.request_closing, expected=expected))


@require_POST
@login_required
def pool_reopen(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Have the missing pairs of a closed pool handed out again."""
    pool = access.get_pool(user=request.user, slug=slug, pk=pk)
    expected = ExpectedForm.number_in(request.POST)
    return _begin(request, pool, partial(service.request_reopening, expected=expected))


def _begin(request: SignedIn, pool: Pool, ask: Callable[..., None]) -> HttpResponse:
    try:
        ask(pool=pool, by=request.user)
    except (service.WrongPoolState, CountChanged) as error:
        messages.error(request, str(error))
    return redirect("pooling:pool", pool.collection.slug, pool.pk)


def _is_researcher(request: SignedIn, collection: Collection) -> bool:
    return Role.RESEARCHER in annotate_access.roles_in(user=request.user, collection=collection)


def _waiting(request: SignedIn, pool: Pool) -> dict[str, Any]:
    """Context of the waiting part; empty when there is nothing to wait for."""
    if pool.work is None or not pool.work.is_unfinished:
        return {}
    title, detail = JOBS[pool.phase]
    job = {
        "poll_url": reverse("pooling:pool-state", args=[pool.collection.slug, pool.pk]),
        "title": title,
        "detail": detail,
        "job_status": works.work_status(work=pool.work),
    }
    if works.may_cancel(work=pool.work) and _is_researcher(request, pool.collection):
        job["cancel_url"] = reverse("pooling:pool-cancel", args=[pool.collection.slug, pool.pk])
        job["cancel_effect"] = "nothing of it is kept; the pool is a draft again."
    return {"job": job}
