"""Files to take away: what may be asked for, what is being made, what was made; small ones at once."""

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
from annotate.core.judgment_files import FORMATS
from annotate.models import Collection, Judgment, ReferenceLabel
from annotate.services import exporting
from annotate.services.background import works
from metrics.forms import QrelsForm
from metrics.http import attachment
from metrics.models import Download
from metrics.services import download_rows
from metrics.services import downloads as service
from metrics.services.sampled_pools import names_of_samples

TSV = "text/tab-separated-values; charset=utf-8"
SHOWN = 100  # downloads in the list
AT_ONCE = 20_000  # labels: with more, a file is made in the background
TOO_LARGE = "There are too many labels for a file at once; ask for it here and it is made in the background."
LABELS = (Download.Kind.QRELS, Download.Kind.BEIR, Download.Kind.FIRE)  # what one form on the page asks for
PLAIN = (
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
    """What there is to download."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return _page(request, collection)


@require_POST
@login_required
def download_new(request: HttpRequest, slug: str, what: str) -> HttpResponse:
    """Ask for a file."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    if what not in Download.Kind.values:
        raise Http404
    kind = Download.Kind(what)
    form = service.form_of(collection=collection, kind=kind, data=request.POST)
    if not form.is_valid():
        return _page(request, collection, kind=kind, form=form)
    service.ask(collection=collection, kind=kind, form=form, by=request.user)
    return redirect("metrics:downloads", slug)


@require_safe
@never_cache
@login_required
def download_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asked every 2 seconds while a file is being made; sends the page on when it is."""
    made = _get(request, slug, pk)
    if not made.work.is_unfinished:
        return HttpResponse(headers={"HX-Redirect": reverse("metrics:downloads", args=[slug])})
    return render(request, "_job.html", _job(made))


@require_POST
@login_required
def download_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop making a file."""
    works.cancel(work=_get(request, slug, pk).work, by=request.user)
    return redirect("metrics:downloads", slug)


@require_POST
@login_required
def download_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for the same file as it would be now."""
    try:
        service.again(made=_get(request, slug, pk), by=request.user)
    except service.Unfit as error:
        messages.error(request, str(error))
    return redirect("metrics:downloads", slug)


@require_safe
@login_required
def download_file(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """The file of a download that is done."""
    made = _get(request, slug, pk)
    if not made.file or not made.file.storage.exists(made.file.name):
        raise Http404
    kind = "application/octet-stream"  # no browser opens it as a page
    return FileResponse(made.file.open("rb"), as_attachment=True, filename=made.file_name, content_type=kind)


@require_safe
@login_required
def qrels(request: HttpRequest, slug: str) -> HttpResponseBase:
    """TREC qrels as the form says, at once."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    form = QrelsForm(request.GET, collection=collection)
    form.refuse_unknown(request.GET)
    if not form.is_valid():
        return _page(request, collection, kind=Download.Kind.QRELS, form=form)
    wanted = form.wanted()
    lines = download_rows.qrels(collection=collection, wanted=wanted)
    return _at_once(request, collection, lines, wanted.file_name, "text/plain; charset=utf-8")


@require_safe
@login_required
def disputed(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The pairs without a grade, with all their labels, at once."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return _at_once(request, collection, download_rows.disputed(collection=collection), "disputed.tsv", TSV)


@require_safe
@login_required
def scores(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Every score of every run, a line a query, at once."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    lines = download_rows.scores_per_query(collection=collection, viewer=request.user)
    return _at_once(request, collection, lines, "scores.tsv", TSV)


@require_safe
@login_required
def judgments(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Every judgment, under pseudonyms, at once."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    if kind not in FORMATS:
        raise Http404
    pieces = exporting.write(collection=collection, kind=kind)
    return _at_once(request, collection, pieces, f"judgments.{kind}", FORMATS[kind].content_type)


def _get(request: HttpRequest, slug: str, pk: int) -> Download:
    """One download of the collection that the person may know of; else Http404."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    seen = Download.objects.visible_to(request.user, collection=collection)
    return get_object_or_404(seen.select_related("collection", "by", "work"), pk=pk)


def _at_once(
    request: HttpRequest, collection: Collection, pieces: Iterator[str] | Iterator[bytes], name: str, content_type: str
) -> HttpResponseBase:
    """A small file while it is made; for a large one the page, from which it is made in the background."""
    if _is_large(collection):
        messages.info(request, TOO_LARGE)
        return redirect("metrics:downloads", collection.slug)
    return attachment(pieces, f"{collection.slug}-{name}", content_type)


def _is_large(collection: Collection) -> bool:
    """Whether a file may hold more labels than are sent at once; looks no further than that many rows."""

    def many(model: type[Model], **of: object) -> bool:
        return bool(model._default_manager.filter(**of).order_by()[AT_ONCE : AT_ONCE + 1].values("pk"))

    return many(Judgment, collection=collection) or many(ReferenceLabel, reference_set__collection=collection)


def _page(request: HttpRequest, collection: Collection, **wrong: Any) -> HttpResponse:
    """The page; `wrong` is the kind and the form of what was asked in vain."""
    rows = Download.objects.visible_to(request.user, collection=collection)
    rows = list(rows.select_related("collection", "by", "work").order_by("-created_at", "-pk")[:SHOWN])
    kinds = ("qrels", "judgments", "strata", "run")
    forms = {kind: service.form_of(collection=collection, kind=kind) for kind in kinds}
    if wrong:
        forms["qrels" if wrong["kind"] in LABELS else str(wrong["kind"])] = wrong["form"]
    for kind, form in forms.items():
        form.auto_id = f"{kind}_%s"  # all ask whether to pack, and a label names the first field of its id
    context = {
        "collection": collection,
        "forms": forms,
        "plain": PLAIN,
        "samples": names_of_samples(collection=collection),
        "jobs": [_job(made) for made in rows if made.work.is_unfinished],
        "made": [made for made in rows if not made.work.is_unfinished],
        "kept_days": service.KEPT_FOR.days,
        "shown": SHOWN,
        "errors": [text for texts in wrong["form"].errors.values() for text in texts] if wrong else [],
    }
    return render(request, "metrics/downloads.html", context, status=422 if wrong else 200)


def _job(made: Download) -> dict[str, Any]:
    """Context of the waiting part."""
    address = [made.collection.slug, made.pk]
    return {
        "id": f"download-{made.pk}",
        "poll_url": reverse("metrics:download-state", args=address),
        "title": f"Making {made.file_name}",
        "detail": "You may leave this page; the file waits for you in the list below.",
        "standing": works.standing(work=made.work),
        "cancel_url": reverse("metrics:download-cancel", args=address),
        "cancel_effect": "there is no file.",
    }
