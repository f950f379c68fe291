"""Files to take away: qrels, disputed pairs, judgments, scores."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.services.exporting import EXPORTS
from metrics.forms import QrelsForm
from metrics.http import attachment
from metrics.services import downloads as files

TSV = "text/tab-separated-values; charset=utf-8"


@require_safe
@login_required
def downloads(request: HttpRequest, slug: str) -> HttpResponse:
    """What there is to download."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    form = QrelsForm(collection=collection)
    return render(request, "metrics/downloads.html", {"collection": collection, "form": form, "exports": EXPORTS})


@require_safe
@login_required
def qrels(request: HttpRequest, slug: str) -> HttpResponseBase:
    """TREC qrels as the form says."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    form = QrelsForm(request.GET, collection=collection)
    if not form.is_valid():
        context = {"collection": collection, "form": form, "exports": EXPORTS}
        return render(request, "metrics/downloads.html", context, status=422)
    wanted = form.wanted()
    lines = files.qrels(collection=collection, wanted=wanted)
    return attachment(lines, f"{collection.slug}-{wanted.file_name}", "text/plain; charset=utf-8")


@require_safe
@login_required
def disputed(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The pairs without a grade, with all their labels."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return attachment(files.disputed(collection=collection), f"{collection.slug}-disputed.tsv", TSV)


@require_safe
@login_required
def scores(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Every score of every run, a line a query."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return attachment(files.scores_per_query(collection=collection), f"{collection.slug}-scores.tsv", TSV)


@require_safe
@login_required
def judgments(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Every judgment, under pseudonyms."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    export = EXPORTS.get(kind)
    if export is None:
        raise Http404
    name = f"{collection.slug}-judgments{export.suffix}"
    return attachment(export.write(collection), name, export.content_type)
