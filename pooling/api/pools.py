"""API of pools: their previews, making and opening one, and their states."""

from typing import Any

from django.urls import path
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import StrictSerializer, validated
from annotate.models import ApiToken, Collection, Direction, QuerySet, Role
from pooling.core.strategies.strategies import MAX_SEED
from pooling.models import Pool, Run
from pooling.services.pages.pool_figures import states_of
from pooling.services.pools import checks as pool_checks
from pooling.services.pools import pools, preview_requests
from pooling.services.pools.checks import PoolError


class ChoiceSerializer(StrictSerializer):
    """The choices for a pool: runs and the query set by name.

    All runs that are ready if none is named.
    """

    strategy = serializers.CharField(max_length=30)
    parameters = serializers.DictField(required=False, default=dict)
    runs = serializers.ListField(child=serializers.CharField(max_length=80), required=False)
    query_set = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    direction = serializers.ChoiceField(choices=Direction.choices, required=False)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, required=False, default=1)


class PoolSerializer(ChoiceSerializer):
    """A pool to make: its choices and its name."""

    name = serializers.CharField(max_length=80)


class PoolsView(Endpoint):
    """The pools of a collection, for its researchers."""

    scope = ApiToken.Scope.POOLS_READ
    write_scope = ApiToken.Scope.POOLS_WRITE
    parser_classes = [JSONParser]

    def get(self, request: TokenRequest, slug: str) -> Response:
        """All pools with their states."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        rows = (
            collection.pools.select_related("query_set", "work")
            .prefetch_related("runs")
            .order_by("pk")
        )
        # `n` of a pool's pairs are wanted, and all states but left_out sum to `n`.
        pair_counts = {
            pool_key: {"n": states.n_pairs} | {str(row.state): row.n for row in states.rows}
            for pool_key, states in states_of(pools=list(rows)).items()
        }
        return Response(
            {"pools": [_pool_data(pool) | {"pairs": pair_counts[pool.pk]} for pool in rows]}
        )

    def post(self, request: TokenRequest, slug: str) -> Response:
        """Make a pool: 201 with the pool, which is then opened in the background."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        fields = validated(PoolSerializer(data=request.data))
        try:
            pool = pools.create_pool(
                collection=collection,
                name=fields["name"],
                by=request.user,
                **_choice(collection, fields),
            )
        except PoolError as error:
            raise _field_refusal(error.field, str(error)) from error
        pools.request_opening(pool=pool, by=request.user)
        return Response(_pool_data(pool), status=201)


class PoolPreviewsView(Endpoint):
    """Previews of a pool, with its pairs and its cost, for researchers."""

    scope = ApiToken.Scope.POOLS_READ
    write_scope = ApiToken.Scope.POOLS_WRITE
    parser_classes = [JSONParser]

    def post(self, request: TokenRequest, slug: str) -> Response:
        """200 with the preview; 202 while it is computed: send it again in a few seconds."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        preview_request = preview_requests.build_request(
            **_choice(collection, validated(ChoiceSerializer(data=request.data)))
        )
        result = preview_requests.request_preview(
            collection=collection, preview_request=preview_request, is_kept=False
        )
        if result.error:
            raise _field_refusal(result.field, result.error)
        if result.preview is None:
            return Response({"state": "counting"}, status=202)
        fields = result.preview._asdict()
        del fields["likenesses"]  # matrices
        fields["shares"] = [share._asdict() for share in result.preview.shares]
        return Response({"state": "done", **fields})


def _field_refusal(field: str, message: str) -> Unprocessable:
    return Unprocessable(message, errors=[{"field": field, "message": message}])


def _choice(collection: Collection, fields: dict[str, Any]) -> dict[str, Any]:
    """Look up the runs and the query set of the choices. Raises Unprocessable."""
    return {
        "strategy": fields["strategy"],
        "parameters": fields["parameters"],
        "runs": _runs(collection, fields.get("runs")),
        "query_set": _query_set(collection, fields["query_set"], fields.get("direction")),
        "seed": fields["seed"],
    }


def _runs(collection: Collection, names: list[str] | None) -> list[Run]:
    ready = collection.runs.published().in_use()
    if names is None:
        return list(ready)
    runs = list(ready.filter(name__in=names))
    if missing_names := sorted(set(names) - {run.name for run in runs}):
        raise _field_refusal(
            "runs", pool_checks.why_not_poolable(collection=collection, name=missing_names[0])
        )
    return runs


def _query_set(collection: Collection, name: str, direction: str | None) -> QuerySet | None:
    if not name:
        return None
    same_name = collection.query_sets.filter(name=name)
    query_sets = list(same_name.filter(direction=direction) if direction else same_name)
    if len(query_sets) != 1:
        fault = (
            "There are two query sets of this name; give its direction."
            if query_sets
            else "There is no such query set."
        )
        raise _field_refusal("query_set", fault)
    return query_sets[0]


def _pool_data(pool: Pool) -> dict[str, Any]:
    """A pool in JSON."""
    return {
        "id": pool.pk,
        "name": pool.name,
        "state": pool.phase,
        "error": pool.work.error if pool.work else "",
        "strategy": pool.strategy,
        "parameters": pool.parameters,
        "seed": pool.seed,
        "query_set": pool.query_set.name if pool.query_set else "",
        "runs": sorted(run.name for run in pool.runs.all()),
        "opened_at": pool.opened_at,
    }


urlpatterns = [
    path("collections/<slug:slug>/pools/", PoolsView.as_view(), name="pools"),
    path("collections/<slug:slug>/pools/preview/", PoolPreviewsView.as_view(), name="pool-preview"),
]
