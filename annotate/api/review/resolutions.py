"""API of resolutions: the state and the grade of every pair, in pages or as a file."""

from django.http import HttpResponseBase, StreamingHttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import MomentField
from annotate.api.filters import OF_PAGES, Filters, read_filters
from annotate.api.judgments import LineRenderer, ParquetRenderer
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.core.labels.pair_states import PairState
from annotate.models import ApiToken, Policy, Resolution
from annotate.services.review.resolutions import ResolutionFilter, resolution_rows, write

MEDIA_TYPES = {kind.format: kind.media_type for kind in (LineRenderer, ParquetRenderer)}
FORMATS = (JSONRenderer.format, *MEDIA_TYPES)


class ResolutionFilters(Filters):
    """Filters of resolutions."""

    state = serializers.ChoiceField(
        [(state.value, state.page_name) for state in PairState],
        required=False,
        help_text="Only pairs in this state.",
    )
    query = serializers.CharField(
        max_length=500, required=False, help_text="Only pairs of the query with this id."
    )
    changed_since = serializers.DateTimeField(
        required=False,
        help_text="Only pairs whose resolution changed at this moment or later. A decision that "
        "was being stored at a moment may be seen a little later: ask from some seconds before.",
    )


class ResolutionAnswer(serializers.Serializer):
    """A pair that a pool or an import names, and its resolution."""

    pair = serializers.IntegerField(help_text="The id of the pair.")
    query = serializers.CharField(source="query_name")
    document = serializers.CharField(source="document_name")
    state = serializers.ChoiceField([(state.value, state.page_name) for state in PairState])
    status = serializers.ChoiceField(
        Resolution.Status.choices,
        allow_null=True,
        help_text="How the grade came about, or why there is none; null, as what the resolution "
        "has otherwise, while no label counts.",
    )
    grade = serializers.IntegerField(allow_null=True)
    n_labels = serializers.IntegerField(help_text="Labels that count.")
    is_complete = serializers.BooleanField(help_text="It has all the labels that are wanted.")
    policy = serializers.IntegerField(
        allow_null=True, help_text="The version of the policy that decides."
    )
    rule = serializers.ChoiceField(Policy.Rule.choices, allow_null=True, help_text="Its rule.")
    changed_at = MomentField(
        allow_null=True, help_text="Since then status, grade and numbers are these."
    )


class ResolutionsView(Endpoint):
    """GET collections/<slug>/resolutions/"""

    scope = ApiToken.Scope.JUDGMENTS_READ
    renderer_classes = [JSONRenderer, LineRenderer, ParquetRenderer]

    @extend_schema(
        parameters=[
            ResolutionFilters,
            OpenApiParameter(
                "format",
                enum=FORMATS,
                description="`json`, the default, for pages; else a file of all pairs. Without "
                "it, the header `Accept` decides.",
            ),
            *PAGE_PARAMETERS,
        ],
        responses={
            (200, "application/json"): page_answer(name="resolutions", row=ResolutionAnswer),
            (200, LineRenderer.media_type): ResolutionAnswer,
            (200, ParquetRenderer.media_type): OpenApiTypes.BINARY,
        },
    )
    def get(self, request: TokenRequest, slug: str) -> HttpResponseBase:
        """Every pair with its resolution: a page by the keys of the pairs, or all as a file."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        values = read_filters(
            request=request, form=ResolutionFilters, other_names=("format", *OF_PAGES)
        )
        choice, kind = ResolutionFilter(**values), format_of(request)
        if kind in MEDIA_TYPES:
            headers = {"Content-Disposition": f'attachment; filename="{slug}-resolutions.{kind}"'}
            pieces = write(collection=collection, choice=choice, kind=kind)
            return StreamingHttpResponse(pieces, content_type=MEDIA_TYPES[kind], headers=headers)
        return page_of(
            request=request,
            rows=resolution_rows(collection=collection, choice=choice),
            ordering=("pair",),
            name="resolutions",
            as_json=ResolutionAnswer().to_representation,
        )


def format_of(request: TokenRequest) -> str:
    """The format that a request asks for; raises Unprocessable for another one."""
    accepted_format = getattr(request, "accepted_renderer", JSONRenderer).format
    kind = str(request.query_params.get("format", accepted_format))
    if kind not in FORMATS:
        names = ", ".join(FORMATS)
        raise Unprocessable(f'"{kind[:40]}" is no choice of "format"; there are: {names}.')
    return kind


urlpatterns = [
    path("collections/<slug:slug>/resolutions/", ResolutionsView.as_view(), name="resolutions"),
]
