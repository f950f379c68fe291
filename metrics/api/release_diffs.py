"""API of diffs: what changed between a release and another one, or the labels now."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint
from annotate.models import ApiToken
from metrics.api.number_fields import COMPUTED_CSV, ReleaseDiffAnswer
from metrics.api.number_fields import COMPUTING as COMPUTING_ANSWER
from metrics.models import Release
from metrics.services.releases.diffs.choices import diff_choices
from metrics.services.releases.diffs.computation import DiffRequest
from metrics.services.releases.diffs.page import FILES, as_json, csv_of, look

CSV = "text/csv; charset=utf-8"
COMPUTING = {"state": "computing"}
LATER = {"Retry-After": "3"}
PARAMETERS = [
    OpenApiParameter("to", str, description="A version, or `now`.", default="now"),
    OpenApiParameter("label_source", str, description="Such as `over:original` or `only`."),
]


class ReleaseDiffView(Endpoint):
    """GET collections/<slug>/releases/<version>/diff/?to=&label_source="""

    scope = ApiToken.Scope.RELEASES_READ

    @extend_schema(parameters=PARAMETERS, responses={200: ReleaseDiffAnswer, 202: COMPUTING_ANSWER})
    def get(self, request: TokenRequest, slug: str, version: str) -> Response:
        """All tables of a diff; 202 while it is computed.

        to : a version, or "now", which is the default; label_source : by its key
        """
        diff = _diff_request(request, slug, version)
        answer = look(diff)
        if answer is None:
            return Response(COMPUTING, status=202, headers=LATER)
        if answer.tables is None:
            raise Unprocessable(answer.reason)
        return Response(as_json(diff=diff, answer=answer, tables=answer.tables))


class ReleaseDiffTableView(Endpoint):
    """GET collections/<slug>/releases/<version>/diff/<table>.csv?to=&label_source="""

    scope = ApiToken.Scope.RELEASES_READ

    @extend_schema(parameters=PARAMETERS, responses=COMPUTED_CSV)
    def get(self, request: TokenRequest, slug: str, version: str, table: str) -> HttpResponse:
        """A table of a diff as CSV; 202 while it is computed.

        `pairs` has every pair whose grade differs, `labels` every label of an annotator.
        """
        if table not in FILES:
            raise Http404
        diff = _diff_request(request, slug, version)
        file = csv_of(diff, table)
        if file is None:
            return Response(COMPUTING, status=202, headers=LATER)
        if file.reason:
            raise Unprocessable(file.reason)
        headers = {"Content-Disposition": f'attachment; filename="{diff.file_name(table)}"'}
        return HttpResponse(file.text, content_type=CSV, headers=headers)


def _diff_request(request: TokenRequest, slug: str, version: str) -> DiffRequest:
    """The requested diff; Http404 without the release, Unprocessable for unreadable parameters."""
    collection = get_collection(request=request, slug=slug, roles=LEADERS)
    releases = Release.objects.available().select_related("collection").defer("manifest")
    release = get_object_or_404(releases, collection=collection, version=version)
    choices = diff_choices(release=release, to=request.query_params.get("to", ""))
    form = choices.form(request.query_params)
    for name in request.query_params:
        if name not in form.fields:
            names = ", ".join(form.fields)
            raise Unprocessable(f'"{name[:60]}" is no parameter; there are {names}.')
    if not form.is_valid():
        raise invalid_form(form)
    return choices.diff_request(**form.cleaned_data)


urlpatterns = [
    path(
        "collections/<slug:slug>/releases/<str:version>/diff/",
        ReleaseDiffView.as_view(),
        name="release-diff",
    ),
    path(
        "collections/<slug:slug>/releases/<str:version>/diff/<slug:table>.csv",
        ReleaseDiffTableView.as_view(),
        name="release-diff-table",
    ),
]
