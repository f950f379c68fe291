"""Pools for programs: what one would cost, making and opening one, and what became of it."""

from typing import Any

from django.urls import path
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate.api import Unprocessable, get_collection
from annotate.core.pair_states import StateCounts
from annotate.models import Collection, Direction, QuerySet, Role
from annotate.queue import enqueue_on_commit
from pooling import tasks
from pooling.core.strategies import MAX_SEED
from pooling.models import Pool, Run
from pooling.services import asking, choosing, pools
from pooling.services.choosing import PoolError
from pooling.services.figures import states_of
from pooling.services.previews import Preview


class ChoiceSerializer(serializers.Serializer):
    """What a pool is made of: runs and the query set by name; all runs that are ready where none is named."""

    strategy = serializers.CharField(max_length=30)
    parameters = serializers.DictField(required=False, default=dict)
    runs = serializers.ListField(child=serializers.CharField(max_length=80), required=False)
    query_set = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    direction = serializers.ChoiceField(choices=Direction.choices, required=False)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, required=False, default=1)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse what is no field: a misspelt one would look as if it had counted."""
        if unknown := sorted(set(self.initial_data) - set(self.fields)):
            raise serializers.ValidationError({name: ["There is no such field."] for name in unknown})
        return attrs


class PoolSerializer(ChoiceSerializer):
    """A pool to make: a choice under a name."""

    name = serializers.CharField(max_length=80)


class Pools(APIView):
    """The pools of a collection, for its researchers."""

    scope = "pools:write"
    parser_classes = [JSONParser]

    def get(self, request: Request, slug: str) -> Response:
        """All pools with their states."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        rows = collection.pools.select_related("query_set", "work").prefetch_related("runs").order_by("pk")
        states = states_of(pools=list(rows))
        return Response({"pools": [_told(pool) | {"pairs": _counts(states[pool.pk])} for pool in rows]})

    def post(self, request: Request, slug: str) -> Response:
        """Make a pool: 201 with the pool, which is then opened in the background."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        given = _checked(PoolSerializer(data=request.data))
        try:
            pool = pools.create_pool(
                collection=collection, name=given["name"], by=request.user, **_choice(collection, given)
            )
        except PoolError as error:
            raise _refused(error.field, str(error)) from error
        pools.request_opening(pool=pool, by=request.user)
        return Response(_told(pool), status=201)


class PoolPreviews(APIView):
    """What a pool would hold and cost, for researchers."""

    scope = "pools:write"
    parser_classes = [JSONParser]

    def post(self, request: Request, slug: str) -> Response:
        """200 with the price; 202 while it is being counted: ask the same again in a few seconds."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        question = asking.question(**_choice(collection, _checked(ChoiceSerializer(data=request.data))))
        found, send = asking.ask(collection=collection, of=question)
        if send:
            enqueue_on_commit(tasks.preview_pool, collection_id=collection.pk, question=question._asdict())
        if found.error:
            raise _refused(found.field, found.error)
        if found.preview is None:
            return Response({"state": "counting"}, status=202)
        return Response({"state": "done", **_price(found.preview)})


def _checked(form: serializers.Serializer) -> dict[str, Any]:
    if form.is_valid():
        return form.validated_data
    errors = [{"field": name, "message": str(text)} for name, told in form.errors.items() for text in told]
    raise Unprocessable("Some fields are wrong; see errors.", errors=errors)


def _refused(field: str, message: str) -> Unprocessable:
    return Unprocessable(message, errors=[{"field": field, "message": message}])


def _choice(collection: Collection, given: dict[str, Any]) -> dict[str, Any]:
    """The choice with runs and query set looked up. Raises Unprocessable."""
    return {
        "strategy": given["strategy"],
        "parameters": given["parameters"],
        "runs": _runs(collection, given.get("runs")),
        "query_set": _query_set(collection, given["query_set"], given.get("direction")),
        "seed": given["seed"],
    }


def _runs(collection: Collection, names: list[str] | None) -> list[Run]:
    ready = collection.runs.published().in_use()
    if names is None:
        return list(ready)
    found = list(ready.filter(name__in=names))
    if missing := sorted(set(names) - {run.name for run in found}):
        raise _refused("runs", choosing.why_not(collection=collection, name=missing[0]))
    return found


def _query_set(collection: Collection, name: str, direction: str | None) -> QuerySet | None:
    if not name:
        return None
    named = collection.query_sets.filter(name=name)
    found = list(named.filter(direction=direction) if direction else named)
    if len(found) != 1:
        fault = "There are two query sets of this name; give its direction." if found else "There is no such query set."
        raise _refused("query_set", fault)
    return found[0]


def _told(pool: Pool) -> dict[str, Any]:
    """A pool as programs see it."""
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


def _counts(states: StateCounts) -> dict[str, int]:
    """Its pairs by state: `n` are wanted, and all states but left_out sum to them."""
    return {"n": states.n_pairs} | {str(row.state): row.n for row in states.rows}


def _price(preview: Preview) -> dict[str, Any]:
    """A preview without the matrices."""
    price = preview._asdict()
    del price["alike"]
    return price | {"shares": [share._asdict() for share in preview.shares]}


urlpatterns = [
    path("collections/<slug:slug>/pools/", Pools.as_view(), name="pools"),
    path("collections/<slug:slug>/pools/preview/", PoolPreviews.as_view(), name="pool-preview"),
]
