"""The addresses of the API, below /api/v1/; each module of endpoints ends with its own table."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.endpoints import Endpoint


class Root(Endpoint):
    """The version that answers, which a program asks for first."""

    permission_classes = [IsAuthenticated]

    @extend_schema(
        tags=["version"],
        responses=inline_serializer("Version", {"version": serializers.CharField()}),
    )
    def get(self, request: Request) -> Response:
        """Return the version, for any token."""
        return Response({"version": settings.VERSION})


@extend_schema(exclude=True)
class UnknownEndpoint(Endpoint):
    """Any other address, refused in the form that programs expect, not as a page."""

    permission_classes = [IsAuthenticated]

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse every method, after authentication."""
        super().initial(request, *args, **kwargs)
        raise NotFound(
            "There is no such endpoint. Addresses end with a slash; the page /api/ has all of them."
        )


app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", Root.as_view(), name="root"),
    path("", include("annotate.api.jobs")),
    path("", include("annotate.api.collections")),
    path("", include("annotate.api.items")),
    path("", include("annotate.api.query_sets")),
    path("", include("annotate.api.reference_sets")),
    path("", include("annotate.api.settings.scheme")),
    path("", include("annotate.api.settings.guidelines")),
    path("", include("annotate.api.settings.policy")),
    path("", include("annotate.api.settings.webhooks")),
    path("", include("annotate.api.imports")),
    path("", include("annotate.api.judgments")),
    path("", include("annotate.api.people.members")),
    path("", include("annotate.api.people.invitations")),
    path("", include("annotate.api.people.annotators")),
    path("", include("annotate.api.people.own")),
    path("", include("annotate.api.review.resolutions")),
    path("", include("annotate.api.review.inbox")),
    path("", include("annotate.api.review.inbox_batches")),
    path("", include("annotate.api.review.inbox_people")),
    path("", include("annotate.api.review.inbox_pairs")),
    path("", include("annotate.api.review.review_log")),
    path("", include("pooling.api.runs")),
    path("", include("pooling.api.run_actions")),
    path("", include("pooling.api.pools")),
    path("", include("pooling.api.pool_previews")),
    path("", include("pooling.api.pairs")),
    path("", include("pooling.api.rounds")),
    path("", include("metrics.api.qrels")),
    path("", include("metrics.api.downloads")),
    path("", include("metrics.api.dashboard")),
    path("", include("metrics.api.alarms")),
    path("", include("metrics.api.leaderboard")),
    path("", include("metrics.api.analyses")),
    path("", include("metrics.api.releases")),
    path("", include("metrics.api.release_diffs")),
    re_path(r"^(?P<subpath>[\s\S]+)\Z", UnknownEndpoint.as_view(), name="unknown"),
]
