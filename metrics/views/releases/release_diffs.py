"""The diff of a release with another one, or with the labels now: its page and its files."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.http import SignedIn
from annotate.services.background import progress
from metrics.forms.release_diffs import DiffForm
from metrics.models import Release
from metrics.services.releases.diffs.choices import DiffChoices, diff_choices
from metrics.services.releases.diffs.computation import DiffRequest
from metrics.services.releases.diffs.page import FILES, DiffPage, csv_of, inquiry_of_file, look

CSV = "text/csv; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"


@require_safe
@never_cache
@login_required
def release_diff(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """The page of a diff of a release with another one, or with the present."""
    choices, form = _choices(request, slug, version)
    context = {"collection": choices.release.collection, "release": choices.release, "form": form}
    if not form.is_valid():
        return render(request, "metrics/releases/diff.html", context, status=422)
    diff = choices.diff_request(**form.cleaned_data)
    answer = look(diff)
    context |= {"diff": diff, "answer": answer, "job": None}
    if answer is None:
        context["job"] = _job(request, diff, slug, version)
    elif answer.tables is not None:
        context["page"] = DiffPage(
            answer.tables,
            address=(slug, version),
            parameters=form.cleaned_data,
            board=request.GET.get("board", ""),
        )
    return render(request, "metrics/releases/diff.html", context)


@require_safe
@never_cache
@login_required
def release_diff_state(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """Polled every 2 seconds while a diff is computed; then redirects to its page."""
    choices, form = _choices(request, slug, version)
    if not form.is_valid():
        raise Http404
    diff = choices.diff_request(**form.cleaned_data)
    table = request.GET.get("table", "")
    if (csv_of(diff, table) if table in FILES else look(diff)) is None:
        return render(request, "parts/_job.html", _job(request, diff, slug, version, table=table))
    parts = ("release-diff-table", [slug, version, table])
    name, arguments = parts if table in FILES else ("release-diff", [slug, version])
    address = reverse(f"metrics:{name}", args=arguments)
    return HttpResponse(headers={"HX-Redirect": f"{address}?{request.GET.urlencode()}"})


@require_safe
@never_cache
@login_required
def release_diff_table(request: SignedIn, slug: str, version: str, table: str) -> HttpResponse:
    """Send a table of a diff as CSV; 202 while it is computed, 422 where it cannot be."""
    choices, form = _choices(request, slug, version)
    if table not in FILES:
        raise Http404
    if not form.is_valid():
        errors = [str(text) for texts in form.errors.values() for text in texts]
        return HttpResponse("\n".join(errors) + "\n", status=422, content_type=PLAIN)
    diff = choices.diff_request(**form.cleaned_data)
    file = csv_of(diff, table)
    if file is None:
        release = choices.release
        job = _job(request, diff, slug, version, table=table)
        context = {"collection": release.collection, "release": release, "job": job}
        return render(request, "metrics/releases/diff_file.html", context, status=202)
    if file.reason:
        return HttpResponse(f"{file.reason}\n", status=422, content_type=PLAIN)
    headers = {"Content-Disposition": f'attachment; filename="{diff.file_name(table)}"'}
    return HttpResponse(file.text, content_type=CSV, headers=headers)


def _choices(request: SignedIn, slug: str, version: str) -> tuple[DiffChoices, DiffForm]:
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    releases = Release.objects.available().select_related("collection").defer("manifest")
    release = get_object_or_404(releases, collection=collection, version=version)
    choices = diff_choices(release=release, to=request.GET.get("to", ""))
    return choices, choices.form(request.GET)


def _job(
    request: SignedIn, diff: DiffRequest, slug: str, version: str, *, table: str = ""
) -> dict[str, object]:
    address = reverse("metrics:release-diff-state", args=[slug, version])
    parameters = request.GET.copy()
    if table in FILES:
        parameters["table"] = table
    return {
        "id": "diff-job",
        "poll_url": f"{address}?{parameters.urlencode()}",
        "title": "Comparing",
        "detail": "Some seconds; the page may be left meanwhile.",
        "job_status": progress.job_status(job=inquiry_of_file(diff, table).job),
    }
