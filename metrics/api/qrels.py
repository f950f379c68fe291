"""API of qrels: labels as a file."""

from django.http import HttpResponseBase, StreamingHttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.models import ApiToken
from metrics.forms.qrels import QrelsForm
from metrics.services.downloads.qrels import qrels_of

PLAIN_TEXT = "text/plain; charset=utf-8"

PARAMETERS = {
    "direction": "`forward` or `reverse`.",
    "label_source": "Such as `over:original` or `only`.",
    "queries": "The name of a query set.",
    "grades": "`graded`, or `binary`.",
    "threshold": "The grade from which on a pair is positive.",
}


class QrelsView(Endpoint):
    """GET collections/<slug>/qrels/?direction=&label_source=&queries=&grades=&threshold="""

    scope = ApiToken.Scope.QRELS_READ

    @extend_schema(
        parameters=[
            OpenApiParameter(name, str, description=about) for name, about in PARAMETERS.items()
        ],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: TokenRequest, slug: str) -> HttpResponseBase:
        """TREC qrels, streamed; the parameters are those of the downloads page."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        form = QrelsForm(request.query_params, collection=collection)
        form.refuse_unknown(request.query_params)
        if not form.is_valid():
            errors = [
                {"field": name, "message": text}
                for name, texts in form.errors.items()
                for text in texts
            ]
            raise Unprocessable("Some parameters are wrong; see errors.", errors=errors)
        qrels_request = form.qrels_request()
        lines = qrels_of(collection=collection, qrels_request=qrels_request)
        name = f"{collection.slug}-{qrels_request.file_name}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingHttpResponse(lines, content_type=PLAIN_TEXT, headers=headers)


urlpatterns = [path("collections/<slug:slug>/qrels/", QrelsView.as_view(), name="qrels")]
