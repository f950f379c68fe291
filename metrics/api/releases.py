"""API of releases: make one, see how far it is, read what is in it, withdraw it."""

from django.db.models import Prefetch, Q, prefetch_related_objects
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import path
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import validated
from annotate.api.filters import read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.models import ApiToken, Role
from annotate.services.background import works
from metrics.api.release_fields import (
    ReleaseAnswer,
    ReleaseFilters,
    ReleaseRequest,
    ReleaseWithdrawalRequest,
    WholeReleaseAnswer,
    release_json,
    rows_in_state,
)
from metrics.forms.releases import ReleaseForm, WithdrawalForm
from metrics.http import ArchivePart
from metrics.models import Release, ReleaseFile
from metrics.services.releases import publication
from metrics.services.releases import releases as service

LEAD = (Role.LEAD,)
BYTES = "application/octet-stream"
PART = {
    (200, BYTES): OpenApiTypes.BINARY,
    (206, BYTES): OpenApiTypes.BINARY,
    416: OpenApiResponse(None, "There is no such part."),
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

    @extend_schema(
        parameters=[ReleaseFilters, *PAGE_PARAMETERS],
        responses=page_answer(name="releases", row=ReleaseAnswer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of them, with their states."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        filters = read_filters(request=request, form=ReleaseFilters)
        condition = rows_in_state(filters["state"]) if "state" in filters else Q()
        rows = Release.objects.filter(condition, collection=collection)
        return page_of(
            request=request,
            rows=rows.select_related("collection", "work"),
            ordering=("-created_at", "-pk"),
            name="releases",
            as_json=ReleaseAnswer().to_representation,
        )

    @extend_schema(request=ReleaseRequest, responses={202: ReleaseAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Request a release: 202 with its job; `version`, and `title`, `notes`, `released_on`."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        defaults = {"title": collection.name, "notes": "", "released_on": timezone.localdate()}
        fields = validated(ReleaseRequest(data=request.data))
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

    @extend_schema(responses=WholeReleaseAnswer)
    def get(self, request: TokenRequest, slug: str, version: str) -> Response:
        """The release with its files, whose checksums stay when it is withdrawn."""
        release = self.release(request, slug, version)
        files = ReleaseFile.objects.order_by("path").select_related("release__collection")
        prefetch_related_objects([release], Prefetch("files", files))
        return Response(WholeReleaseAnswer(release).data)

    @extend_schema(responses={204: None})
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

    @extend_schema(responses=PART)
    def get(self, request: TokenRequest, slug: str, version: str) -> HttpResponseBase:
        """The whole folder as a zip, or a range of it."""
        release = self.release(request, slug, version)
        return ArchivePart.whole(release).answer(request, release)


class ReleaseFileView(ReleasesEndpoint):
    """GET collections/<slug>/releases/<version>/files/<path>"""

    @extend_schema(responses=PART)
    def get(self, request: TokenRequest, slug: str, version: str, path: str) -> HttpResponseBase:
        """One file, or a range of it."""
        release = self.release(request, slug, version)
        file = get_object_or_404(ReleaseFile, release=release, path=path)
        return ArchivePart.of_file(file).answer(request, release)


class ReleaseCancelView(ReleasesEndpoint):
    """POST collections/<slug>/releases/<version>/cancel/"""

    @extend_schema(request=None, responses=ReleaseAnswer)
    def post(self, request: TokenRequest, slug: str, version: str) -> Response:
        """Stop making a release; one that has ended stays as it is."""
        release = self.release(request, slug, version)
        works.cancel(work=release.making, by=request.user)
        return Response(release_json(release))


class ReleaseAgainView(ReleasesEndpoint):
    """POST collections/<slug>/releases/<version>/again/"""

    @extend_schema(request=None, responses={202: ReleaseAnswer})
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

    @extend_schema(request=None, responses=ReleaseAnswer)
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

    @extend_schema(request=ReleaseWithdrawalRequest, responses=ReleaseAnswer)
    def post(self, request: TokenRequest, slug: str, version: str) -> Response:
        """Withdraw a release with a `reason`: its files go, its checksums and the reason stay."""
        release = self.release(request, slug, version)
        form = WithdrawalForm(validated(ReleaseWithdrawalRequest(data=request.data)))
        if not form.is_valid():
            raise invalid_form(form)
        try:
            service.withdraw(release=release, by=request.user, **form.cleaned_data)
        except service.ReleaseRefused as error:
            raise Unprocessable(str(error)) from error
        release.refresh_from_db()
        return Response(release_json(release))


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
