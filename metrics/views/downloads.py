"""Downloads: the forms that request them, those being made, those made; small files are streamed at
once."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Model
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.core.judgment_exports import FORMATS
from annotate.models import Collection, Judgment, ReferenceLabel
from annotate.services import judgment_export
from annotate.services.background import works
from metrics.forms import QrelsForm
from metrics.http import attachment
from metrics.models import Download
from metrics.services import download_rows
from metrics.services import downloads as service
from metrics.services.sampled_pools import names_of_samples

TSV = "text/tab-separated-values; charset=utf-8"
MAX_LISTED = 100  # downloads in the list
MAX_STREAMED_LABELS = 20_000  # labels: with more, a file is made in the background
TOO_LARGE = "There are too many labels for a file at once; ask for it here and it is made in the background."
LABEL_KINDS = (Download.Kind.QRELS, Download.Kind.BEIR, Download.Kind.FIRE)  # requested by one form on the page
TABLE_KINDS = (
    (Download.Kind.PAIRS, "Every pair of every pool: its state, its grade, and all the grades it was given"),
    (Download.Kind.DISPUTED, "Disputed and escalated pairs, with all their grades"),
    (Download.Kind.CONFLICTS, "Pairs on which people and a reference set differ, with both grades"),
    (Download.Kind.CANNOT_JUDGE, "What people could not judge or passed on, and why"),
    (Download.Kind.SCORES, "Scores a query: every run, measure and label source"),
)


@require_safe
@never_cache
@login_required
def downloads(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of downloads."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return _page(request, collection)


@require_POST
@login_required
def download_new(request: HttpRequest, slug: str, download_kind: str) -> HttpResponse:
    """Request a file."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    if download_kind not in Download.Kind.values:
        raise Http404
    kind = Download.Kind(download_kind)
    form = service.form_of(collection=collection, kind=kind, data=request.POST)
    if not form.is_valid():
        return _page(request, collection, kind=kind, form=form)
    service.request_download(collection=collection, kind=kind, form=form, by=request.user)
    return redirect("metrics:downloads", slug)


@require_safe
@never_cache
@login_required
def download_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Polled every 2 seconds while a file is being made; redirects to the page of downloads when it
    is done."""
    download = _get_download(request, slug, pk)
    if not download.work.is_unfinished:
        return HttpResponse(headers={"HX-Redirect": reverse("metrics:downloads", args=[slug])})
    return render(request, "_job.html", _job(download))


@require_POST
@login_required
def download_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop making a file."""
    works.cancel(work=_get_download(request, slug, pk).work, by=request.user)
    return redirect("metrics:downloads", slug)


@require_POST
@login_required
def download_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Request the same file again, with the present labels."""
    try:
        service.request_again(download=_get_download(request, slug, pk), by=request.user)
    except service.OutdatedParameters as error:
        messages.error(request, str(error))
    return redirect("metrics:downloads", slug)


@require_safe
@login_required
def download_file(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """The file of a download that is done."""
    download = _get_download(request, slug, pk)
    if not download.file or not download.file.storage.exists(download.file.name):
        raise Http404
    kind = "application/octet-stream"  # no browser opens it as a page
    return FileResponse(download.file.open("rb"), as_attachment=True, filename=download.file_name, content_type=kind)


@require_safe
@login_required
def qrels(request: HttpRequest, slug: str) -> HttpResponseBase:
    """TREC qrels as the form requests, streamed at once."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    form = QrelsForm(request.GET, collection=collection)
    form.refuse_unknown(request.GET)
    if not form.is_valid():
        return _page(request, collection, kind=Download.Kind.QRELS, form=form)
    qrels_request = form.qrels_request()
    lines = download_rows.qrels(collection=collection, qrels_request=qrels_request)
    return _streamed_or_page(request, collection, lines, qrels_request.file_name, "text/plain; charset=utf-8")


@require_safe
@login_required
def disputed(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The pairs without a grade, with all their labels, streamed at once."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return _streamed_or_page(request, collection, download_rows.disputed(collection=collection), "disputed.tsv", TSV)


@require_safe
@login_required
def scores(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Every score of every run, a line a query, streamed at once."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    lines = download_rows.scores_per_query(collection=collection, viewer=request.user)
    return _streamed_or_page(request, collection, lines, "scores.tsv", TSV)


@require_safe
@login_required
def judgments(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Every judgment, under pseudonyms, streamed at once."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    if kind not in FORMATS:
        raise Http404
    pieces = judgment_export.write(collection=collection, kind=kind)
    return _streamed_or_page(request, collection, pieces, f"judgments.{kind}", FORMATS[kind].content_type)


def _get_download(request: HttpRequest, slug: str, pk: int) -> Download:
    """One download of the collection that the person may know of; else Http404."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    visible = Download.objects.visible_to(request.user, collection=collection)
    return get_object_or_404(visible.select_related("collection", "by", "work"), pk=pk)


def _streamed_or_page(
    request: HttpRequest, collection: Collection, pieces: Iterator[str] | Iterator[bytes], name: str, content_type: str
) -> HttpResponseBase:
    """A small file, streamed while it is made; for a large one a redirect to the page, to have it
    made there."""
    if _is_large(collection):
        messages.info(request, TOO_LARGE)
        return redirect("metrics:downloads", collection.slug)
    return attachment(pieces, f"{collection.slug}-{name}", content_type)


def _is_large(collection: Collection) -> bool:
    """Whether a file may hold more labels than are streamed at once; reads no more than that many
    rows."""

    def exceeds_limit(model: type[Model], **of: object) -> bool:
        return bool(model._default_manager.filter(**of).order_by()[MAX_STREAMED_LABELS : MAX_STREAMED_LABELS + 1].values("pk"))

    return exceeds_limit(Judgment, collection=collection) or exceeds_limit(ReferenceLabel, reference_set__collection=collection)


def _page(request: HttpRequest, collection: Collection, **invalid: Any) -> HttpResponse:
    """The page of downloads; `invalid` has the kind and the form of a refused request."""
    downloads = Download.objects.visible_to(request.user, collection=collection)
    downloads = list(downloads.select_related("collection", "by", "work").order_by("-created_at", "-pk")[:MAX_LISTED])
    form_kinds = ("qrels", "judgments", "strata", "run")
    forms = {kind: service.form_of(collection=collection, kind=kind) for kind in form_kinds}
    if invalid:
        forms["qrels" if invalid["kind"] in LABEL_KINDS else str(invalid["kind"])] = invalid["form"]
    for kind, form in forms.items():
        form.auto_id = f"{kind}_%s"  # all forms have a field to pack, and a label names the first field of its id
    context = {
        "collection": collection,
        "forms": forms,
        "table_kinds": TABLE_KINDS,
        "samples": names_of_samples(collection=collection),
        "jobs": [_job(download) for download in downloads if download.work.is_unfinished],
        "ended_downloads": [download for download in downloads if not download.work.is_unfinished],
        "kept_days": service.RETENTION.days,
        "max_listed": MAX_LISTED,
        "errors": [text for texts in invalid["form"].errors.values() for text in texts] if invalid else [],
    }
    return render(request, "metrics/downloads.html", context, status=422 if invalid else 200)


def _job(download: Download) -> dict[str, Any]:
    """Context of _job.html for a download being made."""
    address = [download.collection.slug, download.pk]
    return {
        "id": f"download-{download.pk}",
        "poll_url": reverse("metrics:download-state", args=address),
        "title": f"Making {download.file_name}",
        "detail": "You may leave this page; the file waits for you in the list below.",
        "job_status": works.work_status(work=download.work),
        "cancel_url": reverse("metrics:download-cancel", args=address),
        "cancel_effect": "there is no file.",
    }
