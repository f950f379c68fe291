"""Downloads: their forms, those being made, and those made."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.http import SignedIn
from annotate.models import Collection
from annotate.services.background import works
from metrics.http import download_answer
from metrics.models import Download, DownloadKind
from metrics.services.downloads import downloads as service
from metrics.services.samples.pools import names_of_samples

MAX_LISTED = 100  # downloads in the list
# requested by one form on the page
LABEL_KINDS = (DownloadKind.QRELS, DownloadKind.BEIR, DownloadKind.FIRE)
FORM_KINDS = (
    DownloadKind.QRELS,
    DownloadKind.JUDGMENTS,
    DownloadKind.STRATA,
    DownloadKind.RUN,
)
TABLE_KINDS = (
    (
        DownloadKind.PAIRS,
        "Every pair of every pool: its state, its grade, and all the grades it was given",
    ),
    (DownloadKind.DISPUTED, "Disputed and escalated pairs, with all their grades"),
    (DownloadKind.CONFLICTS, "Pairs on which people and a reference set differ, with both grades"),
    (DownloadKind.CANNOT_JUDGE, "What people could not judge or escalated, and why"),
    (DownloadKind.SCORES, "Scores a query: every run, measure and label source"),
)


class RefusedForm(NamedTuple):
    """The form of a refused request, shown again on the page with its errors."""

    kind: DownloadKind
    form: Form

    @property
    def errors(self) -> list[str]:
        """All of its errors."""
        return [str(text) for texts in self.form.errors.values() for text in texts]


@require_safe
@never_cache
@login_required
def downloads(request: SignedIn, slug: str) -> HttpResponse:
    """The page of downloads."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return _page(request, collection)


@require_POST
@login_required
def download_new(request: SignedIn, slug: str, download_kind: str) -> HttpResponse:
    """Request a file."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    if download_kind not in DownloadKind.values:
        raise Http404
    kind = DownloadKind(download_kind)
    form = service.form_of(collection=collection, kind=kind, data=request.POST)
    if not form.is_valid():
        return _page(request, collection, RefusedForm(kind, form))
    service.request_download(collection=collection, kind=kind, form=form, by=request.user)
    return redirect("metrics:downloads", slug)


@require_safe
@never_cache
@login_required
def download_state(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Polled every 2 seconds while a file is made; then redirects to the page of downloads."""
    download = _get_download(request, slug, pk)
    if not download.making.is_unfinished:
        return HttpResponse(headers={"HX-Redirect": reverse("metrics:downloads", args=[slug])})
    return render(request, "parts/_job.html", _job(download))


@require_POST
@login_required
def download_cancel(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Stop making a file."""
    works.cancel(work=_get_download(request, slug, pk).making, by=request.user)
    return redirect("metrics:downloads", slug)


@require_POST
@login_required
def download_again(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Request the same file again, with the present labels."""
    try:
        service.request_again(download=_get_download(request, slug, pk), by=request.user)
    except service.OutdatedParameters as error:
        messages.error(request, str(error))
    return redirect("metrics:downloads", slug)


@require_safe
@login_required
def download_file(request: SignedIn, slug: str, pk: int) -> HttpResponseBase:
    """The file of a download that is done."""
    return download_answer(_get_download(request, slug, pk))


def _get_download(request: SignedIn, slug: str, pk: int) -> Download:
    """One download of the collection that the person may know of; else Http404."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    visible = Download.objects.visible_to(request.user, collection=collection)
    return get_object_or_404(visible.select_related("collection", "by", "work"), pk=pk)


def _page(
    request: HttpRequest, collection: Collection, refused_form: RefusedForm | None = None
) -> HttpResponse:
    """The page of downloads."""
    visible = Download.objects.visible_to(request.user, collection=collection)
    newest = visible.select_related("collection", "by", "work").order_by("-created_at", "-pk")
    downloads = list(newest[:MAX_LISTED])
    context = {
        "collection": collection,
        "forms": _forms(collection, refused_form),
        "table_kinds": TABLE_KINDS,
        "samples": names_of_samples(collection=collection),
        "jobs": [_job(download) for download in downloads if download.making.is_unfinished],
        "ended_downloads": [
            download for download in downloads if not download.making.is_unfinished
        ],
        "kept_days": service.RETENTION.days,
        "max_listed": MAX_LISTED,
        "errors": refused_form.errors if refused_form else [],
    }
    status = 422 if refused_form else 200
    return render(request, "metrics/downloads/downloads.html", context, status=status)


def _forms(collection: Collection, refused_form: RefusedForm | None) -> dict[str, Form]:
    """The forms of the page, by the first of their kinds, with a refused one in its place."""
    forms = {kind.value: service.form_of(collection=collection, kind=kind) for kind in FORM_KINDS}
    if refused_form:
        kind = refused_form.kind
        first_kind = DownloadKind.QRELS if kind in LABEL_KINDS else kind
        forms[first_kind.value] = refused_form.form
    for name, form in forms.items():
        # all forms have a field to pack, and a label names the first field of its id
        form.auto_id = f"{name}_%s"
    return forms


def _job(download: Download) -> dict[str, Any]:
    """Context of _job.html for a download being made."""
    address = [download.collection.slug, download.pk]
    return {
        "id": f"download-{download.pk}",
        "poll_url": reverse("metrics:download-state", args=address),
        "title": f"Making {download.file_name}",
        "detail": "You may leave this page; the file waits for you in the list below.",
        "job_status": works.work_status(work=download.making),
        "cancel_url": reverse("metrics:download-cancel", args=address),
        "cancel_effect": "there is no file.",
    }
