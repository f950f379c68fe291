"""Releases of a collection: request one, see what is in it, fetch its files, withdraw it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.core.phrases import counted
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.background import works
from metrics.forms.releases import ReleaseForm, WithdrawalForm
from metrics.http import ArchivePart
from metrics.models import Release, ReleaseFile
from metrics.services.releases import releases as service
from metrics.services.releases.page import aliased_runs, release_page
from metrics.services.releases.release_consequences import (
    unpublication_consequences,
    withdrawal_of_release,
)

LEAD = (Role.LEAD,)


@require_safe
@never_cache
@login_required
def releases(request: SignedIn, slug: str) -> HttpResponse:
    """The releases of a collection, and the form of the next one for leads."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return _list_page(request, collection, ReleaseForm(collection=collection))


@require_POST
@login_required
def release_new(request: SignedIn, slug: str) -> HttpResponse:
    """Request a release."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEAD)
    form = ReleaseForm(request.POST, collection=collection)
    if form.is_valid():
        try:
            release = service.request_release(
                collection=collection, by=request.user, **form.cleaned_data
            )
        except service.VersionTaken as error:  # between the form's look and the lock
            form.add_error("version", str(error))
        else:
            return redirect("metrics:release", slug, release.version)
    return _list_page(request, collection, form, status=422)


@require_safe
@never_cache
@login_required
def release(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """A release: its making, its data card, its files, and what has become of it."""
    return _page(request, _get_release(request, slug, version, LEADERS), WithdrawalForm())


@require_safe
@never_cache
@login_required
def release_state(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """Polled every 2 seconds while a release is made; then redirects to its page."""
    release = _get_release(request, slug, version, LEADERS)
    if not release.making.is_unfinished:
        address = reverse("metrics:release", args=[slug, version])
        return HttpResponse(headers={"HX-Redirect": address})
    return render(request, "parts/_job.html", _job(request, release))


@require_POST
@login_required
def release_cancel(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """Stop making a release."""
    release = _get_release(request, slug, version, LEAD)
    works.cancel(work=release.making, by=request.user)
    return redirect("metrics:release", slug, version)


@require_POST
@login_required
def release_again(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """Make a release that failed or was cancelled once more."""
    release = _get_release(request, slug, version, LEAD)
    try:
        service.request_again(release=release, by=request.user)
    except service.ReleaseRefused as error:
        messages.error(request, str(error))
    return redirect("metrics:release", slug, version)


@require_POST
@login_required
def release_discard(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """Discard a release that was never made."""
    release = _get_release(request, slug, version, LEAD)
    try:
        service.discard(release=release)
    except service.ReleaseRefused as error:
        messages.error(request, str(error))
        return redirect("metrics:release", slug, version)
    messages.success(request, f"Release {version} is discarded; its version is free.")
    return redirect("metrics:releases", slug)


@require_POST
@login_required
def release_withdraw(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """Withdraw a release: its files go, its checksums and the reason stay."""
    release = _get_release(request, slug, version, LEAD)
    form = WithdrawalForm(request.POST)
    if not form.is_valid():
        return _page(request, release, form, status=422)
    try:
        service.withdraw(release=release, by=request.user, **form.cleaned_data)
    except service.ReleaseRefused as error:
        messages.error(request, str(error))
    return redirect("metrics:release", slug, version)


@require_safe
@login_required
def release_archive(request: SignedIn, slug: str, version: str) -> HttpResponseBase:
    """The whole folder of a release as a zip archive."""
    release = _get_release(request, slug, version, LEADERS)
    return ArchivePart.whole(release).answer(request, release)


@require_safe
@login_required
def release_file(request: SignedIn, slug: str, version: str, path: str) -> HttpResponseBase:
    """One file of a release."""
    release = _get_release(request, slug, version, LEADERS)
    file = get_object_or_404(ReleaseFile, release=release, path=path)
    return ArchivePart.of_file(file).answer(request, release)


def _get_release(request: SignedIn, slug: str, version: str, roles: tuple[Role, ...]) -> Release:
    """A release of the collection; else Http404."""
    collection = access.get_collection(user=request.user, slug=slug, roles=roles)
    rows = Release.objects.select_related("collection", "work", "by")
    return get_object_or_404(rows, collection=collection, version=version)


def _list_page(
    request: SignedIn, collection: Collection, form: ReleaseForm, status: int = 200
) -> HttpResponse:
    rows = Release.objects.filter(collection=collection).select_related("work", "by")
    context = {
        "collection": collection,
        "releases": rows.order_by("-created_at", "-pk"),
        "form": form,
        "creators_text": counted(len(collection.creators), "creator") + " to cite",
        "is_lead": Role.LEAD in access.roles_in(user=request.user, collection=collection),
    }
    return render(request, "metrics/releases/releases.html", context, status=status)


def _page(request: SignedIn, release: Release, form: Form, status: int = 200) -> HttpResponse:
    page = release_page(release=release)
    context = {
        "collection": release.collection,
        "release": release,
        "page": page,
        "unpublication": unpublication_consequences(release=release),
        "withdrawal": withdrawal_of_release(release=release, n_files=len(page.files)),
        "runs": aliased_runs(release=release, viewer=request.user),
        "job": _job(request, release) if release.making.is_unfinished else None,
        "form": form,
        "is_lead": _is_lead(request, release),
    }
    return render(request, "metrics/releases/release.html", context, status=status)


def _is_lead(request: SignedIn, release: Release) -> bool:
    return Role.LEAD in access.roles_in(user=request.user, collection=release.collection)


def _job(request: SignedIn, release: Release) -> dict[str, Any]:
    """Context of _job.html for a release being made."""
    address = [release.collection.slug, release.version]
    may_cancel = _is_lead(request, release)
    return {
        "id": f"release-{release.pk}",
        "poll_url": reverse("metrics:release-state", args=address),
        "title": f"Making release {release.version}",
        "detail": "You may leave this page; the release will be here.",
        "job_status": works.work_status(work=release.making),
        "cancel_url": reverse("metrics:release-cancel", args=address) if may_cancel else "",
        "cancel_effect": "nothing of it is kept.",
    }
