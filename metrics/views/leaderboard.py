"""The researcher's leaderboard, and two of its runs compared query by query."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.background import progress
from annotate.services.background.kept import Look
from metrics.http import single_key_address
from metrics.services.analysis.ceiling import ceiling_of
from metrics.services.analysis.page import analyses_of_systems
from metrics.services.leaderboard import comparison_page, computation
from metrics.services.leaderboard.choices.choices import Choices, LeaderboardSpec
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.leaderboard.files import as_csv, as_latex
from metrics.services.leaderboard.history import history_of
from metrics.services.leaderboard.known_truth import truth_scores
from metrics.services.leaderboard.leaderboard import Leaderboard, leaderboard_of
from metrics.services.numbers.lateness import lateness_of
from metrics.services.plans import plans_page
from metrics.services.samples.pools import names_of_samples
from pooling.models import Run

PLAIN = "text/plain; charset=utf-8"
FORMS = {"csv": ("text/csv", as_csv), "tex": ("application/x-tex", as_latex)}


@require_safe
@never_cache
@login_required
def leaderboard(request: SignedIn, slug: str) -> HttpResponse:
    """Show runs by measures in both directions; the address holds all choices."""
    if address := single_key_address(request.GET):
        return redirect(f"{request.path}?{address}")
    collection, choices = _choices(request, slug)
    look = computation.look(collection=collection, spec=choices.spec)
    board = _board(collection, choices, look)
    context: dict[str, object] = {
        "collection": collection,
        "leaderboard": board.with_truth(truth_scores(collection=collection, choices=choices)),
        "choices": choices,
        "more": request.GET.get("more") == "1",
        "analyses": analyses_of_systems(choices),
        **_panels(request, collection, choices),
        "job": _job(request, "leaderboard-state", collection, choices.spec)
        if board.is_pending
        else None,
    }
    status = 422 if choices.errors else 200
    return render(request, "metrics/leaderboard/leaderboard.html", context, status=status)


@require_safe
@never_cache
@login_required
def leaderboard_table(request: SignedIn, slug: str, form: str) -> HttpResponse:
    """Send the page's tables as a file, `csv` or `tex`.

    202 while they are computed, 422 for unreadable choices.
    """
    collection, choices = _choices(request, slug)
    if form not in FORMS:
        raise Http404(f"The table comes as {' or as '.join(FORMS)}.")
    if choices.errors:
        return HttpResponse("\n".join(choices.errors) + "\n", status=422, content_type=PLAIN)
    look = computation.look(collection=collection, spec=choices.spec)
    if look.row is None and choices.runs:
        message = "The table is being computed; ask again in a few seconds.\n"
        return HttpResponse(message, status=202, content_type=PLAIN, headers={"Retry-After": "3"})
    board = _board(collection, choices, look)
    kind, write = FORMS[form]
    headers = {"Content-Disposition": f'attachment; filename="{slug}-leaderboard.{form}"'}
    text = write(leaderboard=board, collection=collection)
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)


@require_safe
@never_cache
@login_required
def leaderboard_state(request: SignedIn, slug: str) -> HttpResponse:
    """Answer the poll, every 2 seconds, for a view that is being computed.

    Reload the page once it is there.
    """
    collection, choices = _choices(request, slug)
    return _state(request, "leaderboard", collection, choices.spec)


@require_safe
@never_cache
@login_required
def compare(request: SignedIn, slug: str) -> HttpResponse:
    """Compare two runs on one measure: differences per query, the largest ones, paired tests.

    An address without runs leads to that of the leaderboard's best two, once they are known.
    """
    if address := single_key_address(request.GET) or _best_two_address(request, slug):
        return redirect(f"{request.path}?{address}")
    collection, choices = _comparison_choices(request, slug)
    context: dict[str, object] = {"collection": collection, "choices": choices}
    if choices.compared_runs:
        look = computation.look(collection=collection, spec=choices.spec)
        if look.row is None:
            context["job"] = _job(request, "compare-state", collection, choices.spec)
        else:
            (measure,) = choices.spec.measures
            context["late"] = lateness_of(collection=collection)
            context["comparison"] = comparison_page.comparison_of(
                runs=choices.compared_runs,
                measure=measure,
                view=look.row,
                version=look.version,
            )
    return render(
        request, "metrics/leaderboard/compare.html", context, status=422 if choices.errors else 200
    )


@require_safe
@never_cache
@login_required
def compare_state(request: SignedIn, slug: str) -> HttpResponse:
    """Answer the poll for a comparison, as `leaderboard_state`."""
    collection, choices = _comparison_choices(request, slug)
    return _state(request, "compare", collection, choices.spec)


def _choices(request: SignedIn, slug: str) -> tuple[Collection, Choices]:
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return collection, read_choices(
        collection=collection, viewer=request.user, parameters=request.GET
    )


def _best_two_address(request: SignedIn, slug: str) -> str:
    """The same query string with the leaderboard's best two runs and their measure.

    Else "": a run is named, or there are no best two.
    """
    if request.GET.get("a") or request.GET.get("b"):
        return ""
    collection, choices = _choices(request, slug)
    look = computation.look(collection=collection, spec=choices.spec)
    best = leaderboard_of(
        choices=choices, collection=collection, view=look.row, version=look.version
    ).best_runs
    if best is None:
        return ""
    address = request.GET.copy()
    address["a"], address["b"] = str(best.first.pk), str(best.second.pk)
    address["measure"] = address.get("measure") or best.measure
    return address.urlencode(safe=":,")


def _comparison_choices(request: SignedIn, slug: str) -> tuple[Collection, Choices]:
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return collection, read_comparison(
        collection=collection, viewer=request.user, parameters=request.GET
    )


def _board(collection: Collection, choices: Choices, look: Look) -> Leaderboard:
    board = leaderboard_of(
        choices=choices, collection=collection, view=look.row, version=look.version
    )
    return board.with_ceiling(ceiling_of(collection=collection, choices=choices))


def _panels(request: HttpRequest, collection: Collection, choices: Choices) -> dict[str, object]:
    """Context of what stands beside the tables: histories, the plan, samples, runs on hold."""
    runs_on_hold = Run.objects.visible_to(request.user).on_hold().filter(collection=collection)
    return {
        "histories": history_of(
            collection=collection, choices=choices, measure=choices.spec.measures[0]
        ),
        "plan": plans_page.summary_for_leaderboard(
            collection=collection, spec=choices.spec, viewer=request.user
        ),
        "may_plan": Role.LEAD in access.roles_in(user=request.user, collection=collection),
        "samples": names_of_samples(collection=collection),
        "on_hold": runs_on_hold.order_by("name"),
    }


def _state(
    request: HttpRequest, name: str, collection: Collection, spec: LeaderboardSpec
) -> HttpResponse:
    if computation.look(collection=collection, spec=spec).row is not None:
        # a reload, as the browser then keeps the place to which somebody has scrolled
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "parts/_job.html", _job(request, f"{name}-state", collection, spec))


def _job(
    request: HttpRequest, name: str, collection: Collection, spec: LeaderboardSpec
) -> dict[str, object]:
    poll = reverse(f"metrics:{name}", args=[collection.slug])
    inquiry = computation.inquiry_of(collection=collection, spec=spec)
    return {
        "poll_url": f"{poll}?{request.GET.urlencode()}",
        "title": "Measuring the runs",
        "detail": (
            "Scores of this choice, bounds and differences are on their way: seconds for a few "
            "runs."
        ),
        "job_status": progress.job_status(job=inquiry.job),
    }
