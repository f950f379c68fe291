"""Building a pool: the form, the preview of its cost, and the likeness of its runs."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access as annotate_access
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.background import progress
from annotate.views.next_step import after_step
from pooling import access, heatmaps
from pooling.core.strategies.strategies import STRATEGIES
from pooling.forms.pools import PoolForm, prefilled
from pooling.sentences import AdditionSentences, PreviewSentences
from pooling.services.pools import pools as service
from pooling.services.pools import preview_requests
from pooling.services.pools.checks import PoolError
from pooling.services.pools.opening import newest_policy
from pooling.services.pools.preview_requests import PreviewResult

CHANGED_POLICY = "changed_policy"  # the error of a form whose price was that of another policy


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def pool_new(request: SignedIn, slug: str) -> HttpResponse:
    """The form for a pool, filled in by its address, or by what another page sends as a prefill.

    Sent, it makes the pool and has it opened in the background.
    """
    collection = annotate_access.get_collection(
        user=request.user, slug=slug, roles=(Role.RESEARCHER,)
    )
    form = _form(request, collection)
    if form.is_valid() and _is_of_present_policy(form):
        try:
            pool = service.create_pool(
                collection=collection,
                name=form.cleaned_data["name"],
                by=request.user,
                **form.choice()._asdict(),
            )
            service.request_opening(pool=pool, by=request.user)
            if collection.is_being_set_up:
                messages.success(request, f"{pool.name} is being opened.")
            return after_step(collection, "pooling:pool", slug, pool.pk)
        except PoolError as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
    return _form_page(request, collection, form)


@require_POST
@login_required
def pool_preview(request: SignedIn, slug: str) -> HttpResponse:
    """The preview of the pool in the form; computed by a worker if that takes long."""
    collection = annotate_access.get_collection(
        user=request.user, slug=slug, roles=(Role.RESEARCHER,)
    )
    form = _form(request, collection)
    form.fields["name"].required = False
    if not form.is_valid():
        return render(
            request,
            "pooling/pools/_preview.html",
            {"form": form},
            status=422 if form.errors else 200,
        )
    result = preview_requests.request_preview(
        collection=collection,
        preview_request=preview_requests.build_request(**form.choice()._asdict()),
    )
    return _result_response(request, collection, result, form)


@require_safe
@never_cache
@login_required
def pool_preview_state(request: SignedIn, slug: str, key: str) -> HttpResponse:
    """The state of a preview, polled every 2 seconds while it is computed."""
    collection = annotate_access.get_collection(
        user=request.user, slug=slug, roles=(Role.RESEARCHER,)
    )
    result = preview_requests.find_result(collection=collection, key=key)
    if result is None:
        return render(request, "pooling/pools/_preview.html", {"is_gone": True})
    return _result_response(request, collection, result)


@require_safe
@never_cache
@login_required
def pool_alike(request: SignedIn, slug: str, key: str) -> HttpResponse:
    """The likeness of the runs of a preview by one measure."""
    collection = annotate_access.get_collection(
        user=request.user, slug=slug, roles=(Role.RESEARCHER,)
    )
    result = preview_requests.find_result(collection=collection, key=key)
    measure = request.GET.get("measure", "")
    if result is None or result.preview is None or measure not in heatmaps.MEASURES:
        return render(request, "pooling/pools/_heatmaps.html", {"is_gone": True})
    return render(request, "pooling/pools/_heatmaps.html", _heatmap_context(slug, result, measure))


@require_safe
@never_cache
@login_required
def run_adds(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The cost of judging a run's first results, for its page."""
    run = access.get_run(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
    result = preview_requests.request_addition(run=run)
    context = {
        "collection": run.collection,
        "run": run,
        "result": result,
        "depth": preview_requests.ADDS_DEPTH,
        "addition": AdditionSentences(run, result.preview) if result.preview else None,
    }
    return render(request, "pooling/pools/_adds.html", context)


def _form(request: SignedIn, collection: Collection) -> PoolForm:
    strategy = request.POST.get("strategy") or request.GET.get("strategy") or next(iter(STRATEGIES))
    if strategy not in STRATEGIES:
        raise Http404(f"There is no strategy {strategy}.")
    is_filled_in = "prefill" in request.POST  # from a page whose choices no address can hold
    query = request.POST if is_filled_in else request.GET
    initial = prefilled(collection=collection, query=query)
    data = None if is_filled_in else request.POST or None
    return PoolForm(data, collection=collection, strategy=strategy, initial=initial)


def _is_of_present_policy(form: PoolForm) -> bool:
    """False, with the fact in the form, if the price that was shown is of another policy than now.

    True where none was shown.
    """
    version, present = form.data.get("policy_version"), newest_policy(form.collection).version
    if not version or version == str(present):
        return True
    error = ValidationError(
        f"The policy is version {present} by now, and the price shown was another one: look at "
        "the price of now, then open the pool.",
        code=CHANGED_POLICY,
    )
    form.add_error(None, error)
    return False


def _form_page(request: SignedIn, collection: Collection, form: PoolForm) -> HttpResponse:
    """The page of the form, with the errors in it."""
    context = {
        "collection": collection,
        "form": form,
        "strategies": STRATEGIES,
        "strategy_key": form.strategy,
        "strategy": STRATEGIES[form.strategy],
        "policy_version": form.data.get("policy_version", ""),
        "preview_at_once": "preview" in request.GET
        or form.has_error(NON_FIELD_ERRORS, code=CHANGED_POLICY),
    }
    return render(request, "pooling/pools/new.html", context, status=422 if form.errors else 200)


def _result_response(
    request: SignedIn,
    collection: Collection,
    result: PreviewResult,
    form: PoolForm | None = None,
) -> HttpResponse:
    """The fragment for a result: the preview, why there is none, or that one must wait."""
    if result.is_waiting:
        return render(request, "parts/_job.html", _job(collection, result.key))
    context = {
        "collection": collection,
        "preview": result.preview,
        "form": form,
        "error": result.error,
    }
    context |= _price_context(collection, result)
    status = 422 if form and result.error else 200
    return render(request, "pooling/pools/_preview.html", context, status=status)


def _job(collection: Collection, key: str) -> dict[str, Any]:
    job = preview_requests.job_of(collection=collection, key=key)
    return {
        "id": "preview",
        "poll_url": reverse("pooling:pool-preview-state", args=[collection.slug, key]),
        "title": "Counting",
        "detail": "The rankings are read and their pairs looked up; nothing is stored.",
        "job_status": progress.job_status(job=job),
    }


def _price_context(collection: Collection, result: PreviewResult) -> dict[str, Any]:
    """Context of a preview: its sentences, way to the planner, and heatmaps by the first measure.

    planner_query : its runs and query set, as the planner's address has them
    """
    if result.preview is None:
        return {}
    key = result.query_set
    query_set = None if key is None else collection.query_sets.filter(pk=key).first()
    query = QueryDict(mutable=True)
    if query_set:
        query.update({"direction": query_set.direction, "queries": query_set.name})
    query.setlist("run", [str(share.pk) for share in result.preview.shares])
    first_measure = next(iter(heatmaps.MEASURES))
    return {
        "sentences": PreviewSentences(result.preview),
        "query_set": query_set,
        "planner_query": query.urlencode(),
        **_heatmap_context(collection.slug, result, first_measure),
    }


def _heatmap_context(slug: str, result: PreviewResult, measure: str) -> dict[str, Any]:
    """Context of the heatmaps."""
    heatmap_list = (
        [heatmaps.heatmap(runs, measure) for runs in result.preview.likenesses]
        if result.preview
        else []
    )
    alike_url = reverse("pooling:pool-alike", args=[slug, result.key])
    return {
        "heatmaps": heatmap_list,
        "measures": heatmaps.MEASURES,
        "measure": measure,
        "alike_url": alike_url,
    }
