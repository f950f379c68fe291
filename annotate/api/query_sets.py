"""API of query sets: what runs are scored on, with their items in pages."""

from typing import Any

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import AnswerSerializer
from annotate.api.filters import Filters, ListedChoiceField, read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.models import ApiToken, Collection, Direction, QuerySetItem
from annotate.models import QuerySet as ItemSet
from annotate.services.pages.overview import counted_query_sets


class QuerySetAnswer(AnswerSerializer):
    """A query set and how many items it has."""

    url = serializers.SerializerMethodField()
    queries_url = serializers.SerializerMethodField()
    gallery_url = serializers.SerializerMethodField(
        help_text="Null where runs are searched for all targets."
    )
    n_queries = serializers.IntegerField(
        source="n_sources", help_text="Queries; documents in the reverse direction."
    )
    n_gallery = serializers.IntegerField(help_text="Targets of the gallery; 0 without one.")

    class Meta:
        model = ItemSet
        fields = [
            "url",
            "id",
            "name",
            "direction",
            "n_queries",
            "n_gallery",
            "queries_url",
            "gallery_url",
            "created_at",
        ]

    def address(self, name: str, query_set: ItemSet) -> str:
        """An address of the set."""
        return reverse(f"api:{name}", args=[self.context["slug"], query_set.pk])

    def get_url(self, query_set: ItemSet) -> str:
        """The address of the set."""
        return self.address("query-set", query_set)

    def get_queries_url(self, query_set: ItemSet) -> str:
        """The address of its source items."""
        return self.address("query-set-queries", query_set)

    def get_gallery_url(self, query_set: Any) -> str | None:
        """The address of its gallery, if it has one."""
        return self.address("query-set-gallery", query_set) if query_set.n_gallery else None


class QuerySetMemberAnswer(serializers.Serializer):
    """An item of a query set."""

    url = serializers.SerializerMethodField(help_text="Of the item.")
    id = serializers.CharField(source="item.external_id")

    def get_url(self, member: QuerySetItem) -> str:
        """The address of the item."""
        return reverse("api:item", args=[self.context["slug"], member.item_id])


class QuerySetFilters(Filters):
    """Filters of the list of query sets."""

    direction = ListedChoiceField(Direction.values)


class QuerySetsView(Endpoint):
    """GET collections/<slug>/query-sets/?direction="""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(
        parameters=[QuerySetFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="query_sets", row=QuerySetAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of query sets, in the order in which they came."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        filters = read_filters(request=request, form=QuerySetFilters)
        return page_of(
            request=request,
            rows=rows_of(collection).filter(**filters),
            ordering=("pk",),
            name="query_sets",
            as_json=QuerySetAnswer(context={"slug": slug}).to_representation,
        )


class QuerySetView(Endpoint):
    """GET collections/<slug>/query-sets/<pk>/"""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(responses={200: QuerySetAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """One query set."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        query_set = get_object_or_404(rows_of(collection), pk=pk)
        return Response(QuerySetAnswer(query_set, context={"slug": slug}).data)


class QuerySetQueriesView(Endpoint):
    """GET collections/<slug>/query-sets/<pk>/queries/"""

    scope = ApiToken.Scope.NUMBERS_READ
    part = QuerySetItem.Part.SOURCE
    name = "queries"

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses={200: page_answer(name="queries", row=QuerySetMemberAnswer)},
    )
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """A page of its source items: queries, or documents in the reverse direction."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        read_filters(request=request)
        query_set = get_object_or_404(ItemSet, collection=collection, pk=pk)
        return page_of(
            request=request,
            rows=query_set.members.filter(part=self.part).select_related("item"),
            ordering=("item_id",),
            name=self.name,
            as_json=QuerySetMemberAnswer(context={"slug": slug}).to_representation,
        )


class QuerySetGalleryView(QuerySetQueriesView):
    """GET collections/<slug>/query-sets/<pk>/gallery/"""

    part = QuerySetItem.Part.GALLERY
    name = "targets"

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses={200: page_answer(name="targets", row=QuerySetMemberAnswer)},
    )
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """A page of the targets of its gallery; none where all targets are searched."""
        return super().get(request, slug, pk)


def rows_of(collection: Collection) -> QuerySet[Any]:
    """The query sets of a collection with their numbers of items."""
    is_of_gallery = Q(members__part=QuerySetItem.Part.GALLERY)
    n_gallery = Count("members", filter=is_of_gallery)
    return counted_query_sets(collection=collection).annotate(n_gallery=n_gallery)


SETS = "collections/<slug:slug>/query-sets/"
urlpatterns = [
    path(SETS, QuerySetsView.as_view(), name="query-sets"),
    path(f"{SETS}<int:pk>/", QuerySetView.as_view(), name="query-set"),
    path(f"{SETS}<int:pk>/queries/", QuerySetQueriesView.as_view(), name="query-set-queries"),
    path(f"{SETS}<int:pk>/gallery/", QuerySetGalleryView.as_view(), name="query-set-gallery"),
]
