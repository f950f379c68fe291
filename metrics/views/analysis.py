"""The analysis room: its chapters, each analysis by itself, and its table as a file."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.http import SignedIn
from annotate.models import Collection, Role
from metrics.charts.result_files import as_csv
from metrics.http import single_key_address
from metrics.services.analysis.analyses import Analysis
from metrics.services.analysis.choices import (
    SharedChoices,
    choices_of_other_pages,
    read_shared_choices,
)
from metrics.services.analysis.page import (
    AnalysisPanel,
    contents_summary,
    other_direction_sentence,
    panels_of,
    pictured_panels_of,
    summary_of,
)
from metrics.services.analysis.register import ANALYSES, CHAPTERS, analyses_of
from metrics.services.numbers.lateness import lateness_of

PLAIN = "text/plain; charset=utf-8"


@require_safe
@never_cache
@login_required
def analyses(request: SignedIn, slug: str) -> HttpResponse:
    """List the chapters and the questions of their analyses; choices must be readable here too."""
    if address := single_key_address(request.GET):
        return redirect(f"{request.path}?{address}")
    collection, choices = _choices(request, slug)
    chapters = [(chapter, analyses_of(chapter)) for chapter in CHAPTERS.values()]
    context = {
        "collection": collection,
        "chapters": chapters,
        "choices": choices,
        "choice_summary": contents_summary(choices, request.GET),
        "is_lead": Role.LEAD in access.roles_in(user=request.user, collection=collection),
    }
    status = 422 if choices.errors else 200
    return render(request, "metrics/analysis/contents.html", context, status=status)


@require_safe
@never_cache
@login_required
def chapter(request: SignedIn, slug: str, chapter: str) -> HttpResponse:
    """Show all analyses of a chapter; the address holds the choices that they share."""
    if address := single_key_address(request.GET):
        return redirect(f"{request.path}?{address}")
    if chapter not in CHAPTERS:
        raise Http404("There is no such chapter.")
    return _page(request, slug, analyses_of(CHAPTERS[chapter]))


@require_safe
@never_cache
@login_required
def analysis(request: SignedIn, slug: str, chapter: str, name: str) -> HttpResponse:
    """Show one analysis; the address holds all of its choices."""
    if address := single_key_address(request.GET):
        return redirect(f"{request.path}?{address}")
    return _page(request, slug, [_analysis(chapter, name)])


@require_safe
@never_cache
@login_required
def analysis_state(request: SignedIn, slug: str, chapter: str, name: str) -> HttpResponse:
    """Answer the poll, every 2 seconds, of an analysis that is computed: then with the result."""
    collection, choices = _choices(request, slug)
    (panel,) = pictured_panels_of(
        collection=collection,
        analyses=[_analysis(chapter, name)],
        choices=choices,
        roles=access.roles_in(user=request.user, collection=collection),
    )
    return render(request, "metrics/analysis/_result.html", {"panel": panel})


@require_safe
@never_cache
@login_required
def analysis_table(request: SignedIn, slug: str, chapter: str, name: str) -> HttpResponse:
    """Send the table as CSV; 202 while it is computed, 422 where it is not defined."""
    choices, panel = _panel(request, slug, chapter, name)
    if choices.errors:
        return HttpResponse("\n".join(choices.errors) + "\n", status=422, content_type=PLAIN)
    if panel.answer is None:
        message = "The table is being computed; ask again in a few seconds.\n"
        return HttpResponse(message, status=202, content_type=PLAIN, headers={"Retry-After": "3"})
    if panel.answer.result is None:
        return HttpResponse(f"{panel.answer.reason}\n", status=422, content_type=PLAIN)
    headers = {"Content-Disposition": f'attachment; filename="{slug}-{name}.csv"'}
    text = as_csv(panel.answer.result)
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)


def _analysis(chapter: str, name: str) -> Analysis:
    """The analysis of a chapter; Http404 without one."""
    row = ANALYSES.get(name)
    if row is None or row.chapter.slug != chapter:
        raise Http404("There is no such analysis.")
    return row


def _choices(request: SignedIn, slug: str) -> tuple[Collection, SharedChoices]:
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return collection, read_shared_choices(
        collection=collection, viewer=request.user, parameters=request.GET
    )


def _panel(
    request: SignedIn, slug: str, chapter: str, name: str
) -> tuple[SharedChoices, AnalysisPanel]:
    collection, choices = _choices(request, slug)
    (panel,) = panels_of(
        collection=collection, analyses=[_analysis(chapter, name)], choices=choices
    )
    return choices, panel


def _page(request: SignedIn, slug: str, rows: list[Analysis]) -> HttpResponse:
    collection, choices = _choices(request, slug)
    roles = access.roles_in(user=request.user, collection=collection)
    shown_choices = frozenset[str]().union(*(row.choices for row in rows))
    panels = pictured_panels_of(collection=collection, analyses=rows, choices=choices, roles=roles)
    is_stale = any(panel.answer and panel.answer.is_stale for panel in panels)
    context = {
        "collection": collection,
        "chapter": rows[0].chapter,
        "chapters": CHAPTERS,
        "choices": choices,
        "shown_choices": shown_choices,
        "choice_summary": summary_of(choices, shown_choices),
        "other_choices": choices_of_other_pages(request.GET, shown_choices),
        "direction_sentence": other_direction_sentence(choices) if "runs" in shown_choices else "",
        "panels": panels,
        "late": lateness_of(collection=collection) if is_stale else None,
        "is_lead": Role.LEAD in roles,
    }
    status = 422 if choices.errors else 200
    return render(request, "metrics/analysis/page.html", context, status=status)
