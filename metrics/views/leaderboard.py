"""The researcher's leaderboard, and two of its runs compared query by query."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.models import Collection, Role
from annotate.queue import enqueue_on_commit
from annotate.services.background import progress
from metrics import tasks
from metrics.http import one_key
from metrics.services import leaderboard as room
from metrics.services import leaderboard_comparison_page as pair_room
from metrics.services import leaderboard_views, plans_page
from metrics.services.leaderboard_files import as_csv, as_latex
from metrics.services.leaderboard_history import history_of
from metrics.services.leaderboard_views import Looked
from metrics.services.leaderboard_wanted import Choices, Wanted, read, read_pair
from metrics.services.sampled_pools import names_of_samples
from pooling.models import Run

PLAIN = "text/plain; charset=utf-8"
FORMS = {"csv": ("text/csv", as_csv), "tex": ("application/x-tex", as_latex)}

@require_safe
@never_cache
@login_required
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Runs by measures in both directions; the address holds all that was chosen."""
    if address := one_key(request.GET):
        return redirect(f"{request.path}?{address}")
    collection, choices = _choices(request, slug)
    looked = _look(collection, choices.wanted)
    shown = room.leaderboard_of(choices=choices, collection=collection, view=looked.view, version=looked.version)
    context = {
        "collection": collection,
        "shown": shown,
        "choices": choices,
        "more": request.GET.get("more") == "1",
        "histories": history_of(collection=collection, choices=choices, measure=choices.wanted.measures[0]),
        "plan": plans_page.on_board(collection=collection, wanted=choices.wanted, viewer=request.user),
        "may_plan": Role.LEAD in access.roles_in(user=request.user, collection=collection),
        "samples": names_of_samples(collection=collection),
        "on_hold": Run.objects.visible_to(request.user).on_hold().filter(collection=collection).order_by("name"),
        "job": _job(request, "leaderboard-state", collection, choices.wanted) if shown.is_coming else None,
    }
    return render(request, "metrics/leaderboard.html", context, status=422 if choices.errors else 200)


@require_safe
@never_cache
@login_required
def leaderboard_table(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    """The page's tables as a file, `csv` or `tex`; 202 while they are being computed, 422 for what cannot be read."""
    collection, choices = _choices(request, slug)
    if form not in FORMS:
        raise Http404(f"The table comes as {' or as '.join(FORMS)}.")
    if choices.errors:
        return HttpResponse("\n".join(choices.errors) + "\n", status=422, content_type=PLAIN)
    looked = _look(collection, choices.wanted)
    if looked.view is None and choices.runs:
        told = "The table is being computed; ask again in a few seconds.\n"
        return HttpResponse(told, status=202, content_type=PLAIN, headers={"Retry-After": "3"})
    shown = room.leaderboard_of(choices=choices, collection=collection, view=looked.view, version=looked.version)
    kind, write = FORMS[form]
    named = {"Content-Disposition": f'attachment; filename="{slug}-leaderboard.{form}"'}
    text = write(shown=shown, collection=collection)
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=named)


@require_safe
@never_cache
@login_required
def leaderboard_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Asked every 2 seconds while something is being computed; sends the page on when it is there."""
    collection, choices = _choices(request, slug)
    return _state(request, "leaderboard", collection, choices.wanted)


@require_safe
@never_cache
@login_required
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two runs on one measure: every query's difference, paired tests, the queries that differ most."""
    if address := one_key(request.GET):
        return redirect(f"{request.path}?{address}")
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    choices = read_pair(collection=collection, viewer=request.user, given=request.GET)
    context: dict[str, object] = {"collection": collection, "choices": choices}
    if choices.compared:
        looked = _look(collection, choices.wanted)
        if looked.view is None:
            context["job"] = _job(request, "compare-state", collection, choices.wanted)
        else:
            (measure,) = choices.wanted.measures
            told = {"pair": choices.compared, "measure": measure, "view": looked.view, "version": looked.version}
            context["shown"] = pair_room.comparison_of(**told)
    return render(request, "metrics/compare.html", context, status=422 if choices.errors else 200)


@require_safe
@never_cache
@login_required
def compare_state(request: HttpRequest, slug: str) -> HttpResponse:
    """As `leaderboard_state`."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    choices = read_pair(collection=collection, viewer=request.user, given=request.GET)
    return _state(request, "compare", collection, choices.wanted)


def _choices(request: HttpRequest, slug: str) -> tuple[Collection, Choices]:
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return collection, read(collection=collection, viewer=request.user, given=request.GET)


def _look(collection: Collection, wanted: Wanted) -> Looked:
    looked = leaderboard_views.look(collection=collection, wanted=wanted)
    if looked.should_ask:
        enqueue_on_commit(tasks.show_board, collection_id=collection.pk, wanted=wanted.as_json())
    return looked


def _state(request: HttpRequest, name: str, collection: Collection, wanted: Wanted) -> HttpResponse:
    if _look(collection, wanted).view is not None:
        page = reverse(f"metrics:{name}", args=[collection.slug])
        return HttpResponse(headers={"HX-Redirect": f"{page}?{request.GET.urlencode()}"})
    return render(request, "_job.html", _job(request, f"{name}-state", collection, wanted))


def _job(request: HttpRequest, name: str, collection: Collection, wanted: Wanted) -> dict[str, object]:
    poll = reverse(f"metrics:{name}", args=[collection.slug])
    return {
        "poll_url": f"{poll}?{request.GET.urlencode()}",
        "title": "Measuring the runs",
        "detail": "Scores of this choice, bounds and differences are on their way: seconds for a few runs.",
        "standing": progress.standing(job=leaderboard_views.job_of(wanted)),
    }
