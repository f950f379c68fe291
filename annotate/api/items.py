"""API of items: what is judged, with its parts, in pages."""

from typing import Any

from django.db.models import F, QuerySet
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from annotate.access import LEADERS
from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import AnswerSerializer
from annotate.api.filters import Filters, ListedChoiceField, YesNoField, read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.core.files.items.item_rows import is_address
from annotate.markdown import clean_page
from annotate.models import ApiToken, Collection, Item, Part, Side
from annotate.services.collection.media import medium_answer

MAX_ID = 255


class SourceAnswer(serializers.Serializer):
    """One file or address of a medium."""

    url = serializers.CharField(help_text="Of this API, or an address elsewhere.")
    type = serializers.CharField(help_text="MIME type with codecs; empty where nobody knows.")


class PartAnswer(AnswerSerializer):
    """One text, page of HTML or medium of an item."""

    text = serializers.SerializerMethodField(
        help_text="HTML is cleaned, as pages show it; null of a medium."
    )
    sources = serializers.SerializerMethodField(
        help_text="Of a medium, in the order in which they are tried."
    )

    class Meta:
        model = Part
        fields = ["position", "kind", "text", "sources", "start", "end", "checksum"]
        extra_kwargs = {
            "start": {"help_text": "Seconds; null from the beginning."},
            "end": {"help_text": "Seconds; null up to the end."},
            "checksum": {"help_text": "Of the first file; null or empty where there is none."},
        }

    def get_text(self, part: Part) -> str | None:
        """The text, or the page of HTML without what a browser must not run."""
        if part.kind == Part.Kind.HTML:
            return clean_page(part.text)
        return part.text if part.kind == Part.Kind.TEXT else None

    @extend_schema_field(SourceAnswer(many=True))
    def get_sources(self, part: Part) -> list[dict[str, str]]:
        """The files or addresses of a medium; none of a text."""
        address = [self.context["slug"], part.pk]
        return [
            {
                "url": source.path
                if is_address(source.path)
                else reverse("api:item-medium", args=[*address, number]),
                "type": source.type,
            }
            for number, source in enumerate(part.sources)
            if source.path
        ]


class ItemAnswer(AnswerSerializer):
    """An item with its parts."""

    url = serializers.SerializerMethodField()
    id = serializers.CharField(
        source="external_id", help_text="As its file had it; one item of a side has it."
    )
    duplicate_of = serializers.CharField(
        allow_null=True, help_text="The id of the item of its side that it repeats, or null."
    )
    is_in_use = serializers.SerializerMethodField(
        help_text="True if it is retrieved and judged: of the split test, and not excluded."
    )
    parts = PartAnswer(many=True)

    class Meta:
        model = Item
        fields = [
            "url",
            "pk",
            "id",
            "side",
            "split",
            "group",
            "warning",
            "is_in_use",
            "excluded_at",
            "excluded_reason",
            "duplicate_of",
            "joined_at",
            "parts",
        ]
        extra_kwargs = {"excluded_at": {"help_text": "Null of an item that is not excluded."}}

    def get_url(self, item: Item) -> str:
        """The address of the item."""
        return reverse("api:item", args=[self.context["slug"], item.pk])

    def get_is_in_use(self, item: Item) -> bool:
        """True as `ItemQuerySet.in_use` has it."""
        return item.excluded_at is None and item.split == "test"


class ItemFilters(Filters):
    """Filters of the list of items."""

    side = ListedChoiceField(Side.values)
    id = serializers.CharField(required=False, max_length=MAX_ID, trim_whitespace=False)
    excluded = YesNoField(required=False)


class ItemsView(Endpoint):
    """GET collections/<slug>/items/?side=&id=&excluded="""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(
        parameters=[ItemFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="items", row=ItemAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of items by their ids; without a side the queries, then the documents."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        filters = read_filters(request=request, form=ItemFilters)
        answer = page_of(
            request=request,
            rows=rows_of(collection).filter(**conditions(filters)),
            ordering=("external_id", "pk"),
            name="items",
            as_json=ItemAnswer(context={"slug": slug}).to_representation,
        )
        if not ("side" in filters or "id" in filters or answer.data["next"]):
            first_page = remove_query_param(request.build_absolute_uri(), "cursor")
            answer.data["next"] = replace_query_param(first_page, "side", Side.DOCUMENT.value)
        return answer


class ItemView(Endpoint):
    """GET collections/<slug>/items/<pk>/"""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(responses={200: ItemAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """One item."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        item = get_object_or_404(rows_of(collection), pk=pk)
        return Response(ItemAnswer(item, context={"slug": slug}).data)


class ItemMediumView(Endpoint):
    """GET collections/<slug>/media/<pk>/<number>/"""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(
        responses={
            (200, "*/*"): OpenApiTypes.BINARY,
            (206, "*/*"): OpenApiTypes.BINARY,
            302: OpenApiResponse(description="To the file in the bucket."),
            416: OpenApiResponse(description="The file has no such range."),
        }
    )
    def get(self, request: TokenRequest, slug: str, pk: int, number: int) -> HttpResponseBase:
        """The file of a part, or a range of it; a redirect where media are in a bucket."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        parts = Part.objects.select_related("item__collection")
        part = get_object_or_404(parts, pk=pk, item__collection=collection)
        return medium_answer(request=request, part=part, number=number)


def rows_of(collection: Collection) -> QuerySet[Item]:
    """The items of a collection, with all that an answer has of them."""
    original = F("as_duplicate__original__external_id")
    items = Item.objects.filter(collection=collection).annotate(duplicate_of=original)
    return items.prefetch_related("parts")


def conditions(filters: dict[str, Any]) -> dict[str, Any]:
    """The conditions of filters, by the index of collection, side and id whatever is given."""
    sides = [filters["side"]] if "side" in filters else Side.values
    where: dict[str, Any] = {"side": sides[0]}
    if "id" in filters:
        where = {"side__in": sides, "external_id": filters["id"]}
    if "excluded" in filters:
        where["excluded_at__isnull"] = not filters["excluded"]
    return where


ITEMS = "collections/<slug:slug>/items/"
urlpatterns = [
    path(ITEMS, ItemsView.as_view(), name="items"),
    path(f"{ITEMS}<int:pk>/", ItemView.as_view(), name="item"),
    path(
        "collections/<slug:slug>/media/<int:pk>/<int:number>/",
        ItemMediumView.as_view(),
        name="item-medium",
    ),
]
