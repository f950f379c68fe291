"""API of judgments: every one of a collection as a file, people under their pseudonyms."""

from django.http import HttpResponseBase, StreamingHttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.renderers import JSONRenderer

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.parameters import page_parameters
from annotate.models import ApiToken
from annotate.services.collection import judgment_export


class LineRenderer(JSONRenderer):
    """Stands for JSON lines where the media type is chosen; refusals are JSON all the same."""

    media_type = "application/x-ndjson"
    format = "ndjson"


class ParquetRenderer(JSONRenderer):
    """Stands for Parquet, as LineRenderer for JSON lines."""

    media_type = "application/vnd.apache.parquet"
    format = "parquet"


# each format of the endpoint, and that of the export
FORMATS = {LineRenderer.format: "jsonl", ParquetRenderer.format: "parquet"}
MEDIA_TYPES = {kind.format: kind.media_type for kind in (LineRenderer, ParquetRenderer)}


class JudgmentsView(Endpoint):
    """GET collections/<slug>/judgments/?format="""

    scope = ApiToken.Scope.JUDGMENTS_READ
    renderer_classes = [LineRenderer, ParquetRenderer, JSONRenderer]

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=list(FORMATS))],
        responses={
            (200, MEDIA_TYPES[LineRenderer.format]): OpenApiTypes.STR,
            (200, MEDIA_TYPES[ParquetRenderer.format]): OpenApiTypes.BINARY,
        },
    )
    def get(self, request: TokenRequest, slug: str) -> HttpResponseBase:
        """Every judgment, streamed: `ndjson`, the default, or `parquet`.

        format : without it, the header `Accept` decides
        """
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        page_parameters(request=request, names={"format": "format"})
        accepted_format = getattr(request, "accepted_renderer", LineRenderer).format
        if accepted_format == JSONRenderer.format:
            accepted_format = LineRenderer.format
        kind = request.query_params.get("format", accepted_format)
        if kind not in FORMATS:
            names = ", ".join(FORMATS)
            raise Unprocessable(f'"{kind[:40]}" is no choice of "format"; there are: {names}.')
        name = f"{slug}-judgments.{kind}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        pieces = judgment_export.write(collection=collection, kind=FORMATS[kind])
        return StreamingHttpResponse(pieces, content_type=MEDIA_TYPES[kind], headers=headers)


urlpatterns = [
    path("collections/<slug:slug>/judgments/", JudgmentsView.as_view(), name="judgments"),
]
