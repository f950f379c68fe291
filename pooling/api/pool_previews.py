"""API of the previews of pools: their pairs and their cost, before one is made."""

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import validated
from annotate.models import ApiToken, Role
from pooling.api.costs import COUNTING, CostAnswer, counting, preview_of
from pooling.api.pool_choices import PoolChoiceRequest, pool_choice
from pooling.services.pools import preview_requests


class RunShareAnswer(serializers.Serializer):
    """The share of one run in a pool."""

    pk = serializers.IntegerField(help_text="The id of the run.")
    name = serializers.CharField()
    n_pairs = serializers.IntegerField()
    n_unique = serializers.IntegerField(help_text="Pairs that no other run of the pool holds.")
    n_new = serializers.IntegerField(help_text="Pairs that nobody has judged.")
    n_unknown = serializers.IntegerField(
        help_text="Results whose target the collection lacks; they are no pairs."
    )
    doubts = serializers.CharField(help_text="Doubts about the file of the run.")


class PoolPreviewAnswer(CostAnswer):
    """A pool and its price."""

    cost = serializers.FloatField(
        allow_null=True, help_text="Hours at the parameter `rate`; null without one."
    )
    currency = serializers.CharField()
    shares = RunShareAnswer(many=True)


class PoolPreviewsView(Endpoint):
    """Previews of a pool, with its pairs and its cost, for researchers."""

    scope = ApiToken.Scope.POOLS_READ
    write_scope = ApiToken.Scope.POOLS_WRITE
    parser_classes = [JSONParser]

    @extend_schema(request=PoolChoiceRequest, responses={200: PoolPreviewAnswer, 202: COUNTING})
    def post(self, request: TokenRequest, slug: str) -> Response:
        """200 with the preview; 202 while it is computed: send it again in a few seconds."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        choice: dict[str, Any] = pool_choice(
            collection, validated(PoolChoiceRequest(data=request.data))
        )
        result = preview_requests.request_preview(
            collection=collection,
            preview_request=preview_requests.build_request(**choice),
            is_kept=False,
        )
        if (preview := preview_of(result)) is None:
            return counting()
        return Response(PoolPreviewAnswer(preview).data)


urlpatterns = [
    path("collections/<slug:slug>/pools/preview/", PoolPreviewsView.as_view(), name="pool-preview"),
]
