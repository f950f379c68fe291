"""API of pairs: those of a pool with their origins, and the history that explains one's grade."""

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from annotate.access import LEADERS, get_pair, roles_in
from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.filters import read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_at_once
from annotate.models import ApiToken, Role
from annotate.services.review.pair_history import history_of
from pooling import access
from pooling.api.pair_fields import (
    ExplainedPairAnswer,
    PairExplanation,
    PoolPairAnswer,
    PoolPairFilters,
)
from pooling.api.pool_choices import field_refusal
from pooling.models import Pool, Run
from pooling.pair_filter import PairFilter
from pooling.services.pages import pool_pairs as service
from pooling.services.pages.provenance import origin


class PoolPairsView(Endpoint):
    """GET collections/<slug>/pools/<pk>/pairs/"""

    scope = ApiToken.Scope.POOLS_READ

    @extend_schema(
        parameters=[PoolPairFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="pool_pairs", row=PoolPairAnswer)},
    )
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """A page of a pool's pairs with their states and origins, for leads and researchers."""
        get_collection(request=request, slug=slug, roles=LEADERS)
        pool = access.get_pool(user=request.user, slug=slug, pk=pk)
        filters = read_filters(request=request, form=PoolPairFilters)
        run = run_of_pool(pool, filters["run"]) if "run" in filters else None
        pair_filter = PairFilter(filters.get("state", ""), run, filters.get("query", ""))

        def as_json(rows: list[Any]) -> list[dict[str, Any]]:
            lines = service.lines_of(pool=pool, rows=rows, viewer=request.user)
            return list(PoolPairAnswer(lines, many=True, context={"slug": slug}).data)

        return page_at_once(
            request=request,
            rows=service.filtered_rows(pool=pool, pair_filter=pair_filter),
            ordering=("pair_id",),
            name="pool_pairs",
            as_json=as_json,
        )


def run_of_pool(pool: Pool, value: str) -> Run:
    """The run of a pool with this id or name, as the form of the page offers them.

    Raises Unprocessable.
    """
    runs = list(pool.runs.published().order_by("direction", "name"))
    by_value = {str(run.pk): run for run in runs} | {run.name: run for run in runs}
    if value not in by_value:
        names = ", ".join(run.name for run in runs)
        raise field_refusal("run", f'"{value}" is no run of this pool; there are: {names}.')
    return by_value[value]


class PairView(Endpoint):
    """GET collections/<slug>/pairs/<pk>/"""

    scope = ApiToken.Scope.JUDGMENTS_READ

    @extend_schema(responses={200: ExplainedPairAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """A label explained, for leads and researchers: origin, seats, judgments and grade.

        People are pseudonyms. Comments and notes of annotators are for leads.
        """
        get_collection(request=request, slug=slug, roles=LEADERS)
        pair = get_pair(user=request.user, slug=slug, pk=pk)
        is_lead = Role.LEAD in roles_in(user=request.user, collection=pair.collection)
        explanation = PairExplanation(
            history_of(pair=pair, for_lead=is_lead), origin(pair=pair, viewer=request.user)
        )
        context = {"for_lead": is_lead}
        return Response(ExplainedPairAnswer(explanation, context=context).data)


urlpatterns = [
    path(
        "collections/<slug:slug>/pools/<int:pk>/pairs/",
        PoolPairsView.as_view(),
        name="pool-pairs",
    ),
    path("collections/<slug:slug>/pairs/<int:pk>/", PairView.as_view(), name="pair"),
]
