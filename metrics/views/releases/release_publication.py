"""Publication of a release: a preview of what becomes public, publishing it, taking that back."""

from typing import Protocol

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.models import Role, User
from annotate.views import undoing
from metrics.models import Release
from metrics.services.releases import publication as service
from metrics.services.releases.releases import ReleaseRefused


class PublicationChange(Protocol):
    """A change of the publication of a release; raises ReleaseRefused."""

    def __call__(self, *, release: Release, by: User) -> object:
        """Change it."""


@require_safe
@never_cache
@login_required
def release_publication(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """The preview of a publication: all that becomes public with a release."""
    release = _get_release(request, slug, version)
    preview = service.publication_preview(release=release)
    context = {"collection": release.collection, "release": release, "preview": preview}
    return render(request, "metrics/releases/publication.html", context)


@require_POST
@login_required
def release_publish(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """Publish a release."""
    notice = f"Release {version} is public."
    is_public = _change(request, slug, version, service.publish, notice, undo_act="unpublish")
    page = "metrics:release" if is_public else "metrics:release-publication"
    return redirect(page, slug, version)


@require_POST
@login_required
def release_unpublish(request: SignedIn, slug: str, version: str) -> HttpResponse:
    """Take the publication of a release back."""
    notice = f"Release {version} is no longer public."
    _change(request, slug, version, service.unpublish, notice, undo_act="publish")
    return redirect("metrics:release", slug, version)


def _change(
    request: SignedIn,
    slug: str,
    version: str,
    change: PublicationChange,
    success: str,
    *,
    undo_act: str,
) -> bool:
    """Change the publication of a release, and say how it went; True unless it was refused.

    undo_act : what takes the change back, publish or unpublish
    """
    release = _get_release(request, slug, version)
    try:
        change(release=release, by=request.user)
    except ReleaseRefused as error:
        messages.error(request, str(error))
        return False
    undo_url = reverse(f"metrics:release-{undo_act}", args=[slug, version])
    undoing.notify(request, success, undo_url=undo_url, act=undo_act)
    return True


def _get_release(request: SignedIn, slug: str, version: str) -> Release:
    """A release of a collection that the user leads; else Http404."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    rows = Release.objects.select_related("collection")
    return get_object_or_404(rows, collection=collection, version=version)
