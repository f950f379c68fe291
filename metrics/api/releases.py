"""API of releases: make one, see how far it is, read what is in it, withdraw it."""

from typing import Any

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils import timezone
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import fields_of
from annotate.api.jobs import job_json
from annotate.api.pages import page_of
from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import ApiToken, Role
from annotate.services.background import works
from metrics.forms.releases import ReleaseForm, WithdrawalForm
from metrics.http import ArchivePart
from metrics.models import Release, ReleaseFile
from metrics.services.releases import publication
from metrics.services.releases import releases as service

LEAD = (Role.LEAD,)
FIELDS = (
    "version",
    "title",
    "notes",
    "licence",
    "creators",
    "cite_as",
    "texts_leave",
    "media_leave",
    "released_on",
    "withdrawal_reason",
    "file_name",
    "n_bytes",
    "sha256",
)
MOMENTS = ("as_of", "made_at", "published_at", "withdrawn_at")


def release_json(release: Release) -> dict[str, Any]:
    """A release without its files; of one that is withdrawn too."""
    address = [release.collection.slug, release.version]
    return {
        "url": reverse("api:release", args=address),
        "state": state_of(release),
        **{name: getattr(release, name) for name in FIELDS},
        **{name: timestamp(getattr(release, name)) for name in MOMENTS},
        "archive_url": reverse("api:release-archive", args=address),
        "job": job_json(release.making),
    }


class ReleasesEndpoint(Endpoint):
    """The scopes and the rows of all endpoints of releases."""

    scope = ApiToken.Scope.RELEASES_READ
    write_scope = ApiToken.Scope.RELEASES_WRITE
    parser_classes = [JSONParser]

    def release(self, request: TokenRequest, slug: str, version: str) -> Release:
        """A release for members who may read it, for leads to change it; else Http404."""
        roles = LEADERS if request.method == "GET" else LEAD
        collection = get_collection(request=request, slug=slug, roles=roles)
        rows = Release.objects.select_related("collection", "work")
        return get_object_or_404(rows, collection=collection, version=version)


class ReleasesView(ReleasesEndpoint):
    """The releases of a collection, the newest first."""

    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of them, with their states."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        return page_of(
            request=request,
            rows=Release.objects.filter(collection=collection).select_related("collection", "work"),
            ordering=("-created_at", "-pk"),
            name="releases",
            as_json=release_json,
        )

    @repeatable
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Request a release: 202 with its job; `version`, and `title`, `notes`, `released_on`."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        defaults = {"title": collection.name, "notes": "", "released_on": timezone.localdate()}
        fields = fields_of(request, names=("version", *defaults))
        form = ReleaseForm({**defaults, **fields}, collection=collection)
        if not form.is_valid():
            raise invalid_form(form)
        try:
            release = service.request_release(
                collection=collection, by=request.user, **form.cleaned_data
            )
        except service.VersionTaken as error:  # between the form's look and the lock
            raise Unprocessable(str(error)) from error
        return accepted(release)


class ReleaseView(ReleasesEndpoint):
    """One release."""

    def get(self, request: TokenRequest, slug: str, version: str) -> Response:
        """The release with its files, whose checksums stay when it is withdrawn."""
        release = self.release(request, slug, version)
        files = [file_json(release, file) for file in release.files.order_by("path")]
        return Response(release_json(release) | {"files": files})

    def delete(self, request: TokenRequest, slug: str, version: str) -> Response:
        """Discard a release that was never made: 204, and its version is free."""
        release = self.release(request, slug, version)
        try:
            service.discard(release=release)
        except service.ReleaseRefused as error:
            raise Unprocessable(str(error)) from error
        return Response(status=204)


class ReleaseArchiveView(ReleasesEndpoint):
    """GET collections/<slug>/releases/<version>/archive/"""

    def get(self, request: TokenRequest, slug: str, version: str) -> HttpResponseBase:
        """The whole folder as a zip, or a range of it."""
        release = self.release(request, slug, version)
        return ArchivePart.whole(release).answer(request, release)


class ReleaseFileView(ReleasesEndpoint):
    """GET collections/<slug>/releases/<version>/files/<path>"""

    def get(self, request: TokenRequest, slug: str, version: str, path: str) -> HttpResponseBase:
        """One file, or a range of it."""
        release = self.release(request, slug, version)
        file = get_object_or_404(ReleaseFile, release=release, path=path)
        return ArchivePart.of_file(file).answer(request, release)


class ReleaseCancelView(ReleasesEndpoint):
    """POST collections/<slug>/releases/<version>/cancel/"""

    def post(self, request: TokenRequest, slug: str, version: str) -> Response:
        """Stop making a release; one that has ended stays as it is."""
        release = self.release(request, slug, version)
        works.cancel(work=release.making, by=request.user)
        return Response(release_json(release))


class ReleaseAgainView(ReleasesEndpoint):
    """POST collections/<slug>/releases/<version>/again/"""

    @repeatable
    def post(self, request: TokenRequest, slug: str, version: str) -> Response:
        """Make a release that failed or was cancelled once more: 202 with its job."""
        release = self.release(request, slug, version)
        try:
            return accepted(service.request_again(release=release, by=request.user))
        except service.ReleaseRefused as error:
            raise Unprocessable(str(error)) from error


class ReleasePublicationView(ReleasesEndpoint):
    """POST collections/<slug>/releases/<version>/publish/"""

    change = staticmethod(publication.publish)

    def post(self, request: TokenRequest, slug: str, version: str) -> Response:
        """Make a release public."""
        release = self.release(request, slug, version)
        try:
            self.change(release=release, by=request.user)
        except service.ReleaseRefused as error:
            raise Unprocessable(str(error)) from error
        release.refresh_from_db()
        return Response(release_json(release))


class ReleaseRetractionView(ReleasePublicationView):
    """POST collections/<slug>/releases/<version>/unpublish/, which takes the publication back."""

    change = staticmethod(publication.unpublish)


class ReleaseWithdrawalView(ReleasesEndpoint):
    """POST collections/<slug>/releases/<version>/withdraw/"""

    def post(self, request: TokenRequest, slug: str, version: str) -> Response:
        """Withdraw a release with a `reason`: its files go, its checksums and the reason stay."""
        release = self.release(request, slug, version)
        form = WithdrawalForm(fields_of(request, names=("reason",)))
        if not form.is_valid():
            raise invalid_form(form)
        try:
            service.withdraw(release=release, by=request.user, **form.cleaned_data)
        except service.ReleaseRefused as error:
            raise Unprocessable(str(error)) from error
        release.refresh_from_db()
        return Response(release_json(release))


def state_of(release: Release) -> str:
    """The state of its work until it is made; then made, public or withdrawn."""
    if release.withdrawn_at is not None:
        return "withdrawn"
    if release.made_at is None:
        return str(release.making.state)
    return "made" if release.published_at is None else "public"


def file_json(release: Release, file: ReleaseFile) -> dict[str, Any]:
    """A file of a release."""
    fields = ("path", "media_type", "about", "n_bytes", "sha256", "n_rows")
    address = reverse(
        "api:release-file", args=[release.collection.slug, release.version, file.path]
    )
    return {"url": address} | {name: getattr(file, name) for name in fields}


def accepted(release: Release) -> Response:
    """202 with a release that is being made, and its address."""
    facts = release_json(release)
    return Response(facts, status=202, headers={"Location": facts["url"]})


RELEASE = "collections/<slug:slug>/releases/<str:version>/"
urlpatterns = [
    path("collections/<slug:slug>/releases/", ReleasesView.as_view(), name="releases"),
    path(RELEASE, ReleaseView.as_view(), name="release"),
    path(f"{RELEASE}archive/", ReleaseArchiveView.as_view(), name="release-archive"),
    path(f"{RELEASE}files/<path:path>", ReleaseFileView.as_view(), name="release-file"),
    path(f"{RELEASE}publish/", ReleasePublicationView.as_view(), name="release-publish"),
    path(f"{RELEASE}unpublish/", ReleaseRetractionView.as_view(), name="release-unpublish"),
    path(f"{RELEASE}cancel/", ReleaseCancelView.as_view(), name="release-cancel"),
    path(f"{RELEASE}again/", ReleaseAgainView.as_view(), name="release-again"),
    path(f"{RELEASE}withdraw/", ReleaseWithdrawalView.as_view(), name="release-withdraw"),
]
