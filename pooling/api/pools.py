"""API of pools: making one, what its page tells, opening, cancelling, closing, opening again."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django.db.models import Prefetch, prefetch_related_objects
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import validated
from annotate.api.filters import read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_at_once
from annotate.models import ApiToken, Role
from pooling import access
from pooling.api.pool_choices import PoolRequest, field_refusal, pool_choice
from pooling.api.pool_fields import PoolAnswer, PoolFilters, WholePoolAnswer, list_json
from pooling.models import Pool, PoolRows, Run
from pooling.services.pages.pool_figures import pool_figures
from pooling.services.pools import pools
from pooling.services.pools.checks import PoolError

RESEARCHER = (Role.RESEARCHER,)


class PoolsEndpoint(Endpoint):
    """The scopes of all endpoints of pools."""

    scope = ApiToken.Scope.POOLS_READ
    write_scope = ApiToken.Scope.POOLS_WRITE
    parser_classes = [JSONParser]


class PoolsView(PoolsEndpoint):
    """The pools of a collection."""

    @extend_schema(
        parameters=[PoolFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="pools", row=PoolAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of them with their states, for leads and researchers."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        filters = read_filters(request=request, form=PoolFilters)
        rows = matching_pools(Pool.objects.filter(collection=collection), filters)
        facts = ("collection", "query_set", "work", "round__policy")
        runs = Prefetch("runs", Run.objects.visible_to(request.user))
        return page_at_once(
            request=request,
            rows=rows.select_related(*facts).prefetch_related(runs),
            ordering=("pk",),
            name="pools",
            as_json=list_json,
        )

    @extend_schema(request=PoolRequest, responses={201: WholePoolAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Make a pool, for researchers: 201 with the pool and the job that opens it."""
        collection = get_collection(request=request, slug=slug, roles=RESEARCHER)
        fields = validated(PoolRequest(data=request.data))
        try:
            pool = pools.create_pool(
                collection=collection,
                name=fields["name"],
                by=request.user,
                **pool_choice(collection, fields),
            )
        except PoolError as error:
            raise field_refusal(error.field, str(error)) from error
        pools.request_opening(pool=pool, by=request.user)
        return pool_answer(request, pool, status=201)


def matching_pools(rows: PoolRows, filters: Mapping[str, Any]) -> PoolRows:
    """The pools that fit filters."""
    if "state" in filters:
        rows = rows.in_phase(filters["state"])
    if "name" in filters:
        rows = rows.filter(name=filters["name"])
    if "query_set" in filters:
        rows = rows.filter(query_set__name=filters["query_set"])
    return rows


def pool_answer(request: TokenRequest, pool: Pool, *, status: int = 200) -> Response:
    """A pool as its page tells of it; with its address where something was requested."""
    prefetch_related_objects([pool], Prefetch("runs", Run.objects.visible_to(request.user)))
    context = {"figures": pool_figures(pool=pool), "user": request.user}
    facts = WholePoolAnswer(pool, context=context).data
    headers = {} if status == 200 else {"Location": facts["url"]}
    return Response(facts, status=status, headers=headers)


class OnePoolView(PoolsEndpoint):
    """One pool."""

    @extend_schema(responses={200: WholePoolAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """The pool with its figures, runs and job, for leads and researchers."""
        get_collection(request=request, slug=slug, roles=LEADERS)
        return pool_answer(request, access.get_pool(user=request.user, slug=slug, pk=pk))


class PoolCancelView(PoolsEndpoint):
    """POST collections/<slug>/pools/<pk>/cancel/"""

    @extend_schema(request=None, responses={200: WholePoolAnswer})
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Have a pool that is being opened be a draft again, for researchers.

        It is `opening` until the worker has stopped. 422 once it has its pairs.
        """
        get_collection(request=request, slug=slug, roles=RESEARCHER)
        pool = access.get_pool(user=request.user, slug=slug, pk=pk, roles=RESEARCHER)
        try:
            pools.cancel_opening(pool=pool, by=request.user)
        except pools.WrongPoolState as error:
            raise Unprocessable(str(error)) from error
        return pool_answer(request, pool)


class PoolOpenView(PoolsEndpoint):
    """POST collections/<slug>/pools/<pk>/open/"""

    roles: ClassVar[tuple[Role, ...]] = RESEARCHER
    ask: ClassVar[Callable[..., None]] = staticmethod(pools.request_opening)

    @extend_schema(request=None, responses={202: WholePoolAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Have it opened, closed or opened again: 202 with the pool and its job.

        422 in a state in which that cannot be done.
        """
        get_collection(request=request, slug=slug, roles=self.roles)
        pool = access.get_pool(user=request.user, slug=slug, pk=pk, roles=self.roles)
        try:
            self.ask(pool=pool, by=request.user)
        except pools.WrongPoolState as error:
            raise Unprocessable(str(error)) from error
        return pool_answer(request, pool, status=202)


class PoolCloseView(PoolOpenView):
    """POST collections/<slug>/pools/<pk>/close/, for leads and researchers."""

    roles = LEADERS
    ask = staticmethod(pools.request_closing)


class PoolReopenView(PoolOpenView):
    """POST collections/<slug>/pools/<pk>/reopen/, for leads and researchers."""

    roles = LEADERS
    ask = staticmethod(pools.request_reopening)


POOL = "collections/<slug:slug>/pools/<int:pk>/"
urlpatterns = [
    path("collections/<slug:slug>/pools/", PoolsView.as_view(), name="pools"),
    path(POOL, OnePoolView.as_view(), name="pool"),
    path(f"{POOL}open/", PoolOpenView.as_view(), name="pool-open"),
    path(f"{POOL}cancel/", PoolCancelView.as_view(), name="pool-cancel"),
    path(f"{POOL}close/", PoolCloseView.as_view(), name="pool-close"),
    path(f"{POOL}reopen/", PoolReopenView.as_view(), name="pool-reopen"),
]
