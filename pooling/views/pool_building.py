"""Building a pool: the form, its price before anything is stored, and how alike its runs are."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access as annotate_access
from annotate.models import Collection, Role
from annotate.queue import enqueue_on_commit
from annotate.services.background.workers import worker_is_missing
from pooling import access, heatmaps, tasks
from pooling.core.strategies import STRATEGIES
from pooling.pool_forms import PoolForm, prefilled
from pooling.services import asking
from pooling.services import pools as service
from pooling.services.asking import Answer
from pooling.services.choosing import PoolError


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def pool_new(request: HttpRequest, slug: str) -> HttpResponse:
    """The form for a pool, filled in by its address; sent, it makes the pool and has it opened in the background."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))
    form = _form(request, collection)
    if form.is_valid():
        try:
            pool = service.create_pool(
                collection=collection, name=form.cleaned_data["name"], by=request.user, **form.wanted()._asdict()
            )
            service.request_opening(pool=pool, by=request.user)
            return redirect("pooling:pool", slug, pool.pk)
        except PoolError as error:
            _add_error(form, error)
    context = {"collection": collection, "form": form, "strategies": STRATEGIES, "chosen": form.strategy,
               "strategy": STRATEGIES[form.strategy], "preview_at_once": "preview" in request.GET}  # fmt: skip
    return render(request, "pooling/pool_new.html", context, status=422 if form.errors else 200)


@require_POST
@login_required
def pool_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """What the pool in the form would hold and cost; counted by a worker where that takes long."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))
    form = _form(request, collection)
    form.fields["name"].required = False
    if not form.is_valid():
        return render(request, "pooling/_preview.html", {"form": form}, status=422 if form.errors else 200)
    return _answered(request, collection, _ask(collection, form.wanted()._asdict()), form)


@require_safe
@never_cache
@login_required
def pool_preview_state(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Asked every 2 seconds while a preview is being counted."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))
    found = asking.find(collection=collection, key=key)
    if found is None:
        return render(request, "pooling/_preview.html", {"is_gone": True})
    return _answered(request, collection, found)


@require_safe
@never_cache
@login_required
def pool_alike(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """How alike the runs of a preview are, by the measure asked for."""
    collection = annotate_access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))
    found = asking.find(collection=collection, key=key)
    measure = request.GET.get("measure", "")
    if found is None or found.preview is None or measure not in heatmaps.MEASURES:
        return render(request, "pooling/_alike.html", {"is_gone": True})
    return render(request, "pooling/_alike.html", _alike(slug, found, measure))


@require_safe
@never_cache
@login_required
def run_adds(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What judging a run's first results would cost, for its page."""
    run = access.get_run(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    wanted = {"strategy": "depth-k", "parameters": {"depth": asking.ADDS_DEPTH}, "runs": [run], "query_set": None,
              "seed": 1}  # fmt: skip
    found = _ask(run.collection, wanted)
    context = {"collection": run.collection, "run": run, "answer": found, "depth": asking.ADDS_DEPTH}
    return render(request, "pooling/_adds.html", context)


def _form(request: HttpRequest, collection: Collection) -> PoolForm:
    strategy = request.POST.get("strategy") or request.GET.get("strategy") or next(iter(STRATEGIES))
    if strategy not in STRATEGIES:
        raise Http404(f"There is no strategy {strategy}.")
    initial = prefilled(collection=collection, asked=request.GET)
    return PoolForm(request.POST or None, collection=collection, strategy=strategy, initial=initial)


def _add_error(form: PoolForm, error: PoolError) -> None:
    form.add_error(error.field if error.field in form.fields else None, str(error))


def _ask(collection: Collection, wanted: dict[str, Any]) -> Answer:
    """The answer to a question, or that a worker was sent for it."""
    question = asking.question(**wanted)
    found, send = asking.ask(collection=collection, of=question)
    if send:
        enqueue_on_commit(tasks.preview_pool, collection_id=collection.pk, question=question._asdict())
    return found


def _answered(
    request: HttpRequest, collection: Collection, found: Answer, form: PoolForm | None = None
) -> HttpResponse:
    """The fragment for what is known: the preview, why there is none, or that one must wait."""
    if found.is_waiting:
        job = {
            "id": "preview",
            "poll_url": reverse("pooling:pool-preview-state", args=[collection.slug, found.key]),
            "title": "Counting",
            "detail": "The rankings are read and their pairs looked up; nothing is stored.",
            "worker_missing": worker_is_missing(),
        }
        return render(request, "_job.html", job)
    context = {"collection": collection, "preview": found.preview, "form": form, "error": found.error}
    if found.preview:
        context |= _alike(collection.slug, found, next(iter(heatmaps.MEASURES)))
    return render(request, "pooling/_preview.html", context, status=422 if form and found.error else 200)


def _alike(slug: str, found: Answer, measure: str) -> dict[str, Any]:
    """Context of the matrices."""
    tables = [heatmaps.table(alike, measure) for alike in found.preview.alike] if found.preview else []
    alike_url = reverse("pooling:pool-alike", args=[slug, found.key])
    return {"tables": tables, "measures": heatmaps.MEASURES, "measure": measure, "alike_url": alike_url}
