"""Collections for programs: which there are for a token, the facts of one, making and deleting."""

from django.db.models import Prefetch
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, Unprocessable, invalid_form
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import StrictSerializer, validated
from annotate.api.filters import read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.api.parameters import page_parameters
from annotate.api.settings import SettingsEndpoint, field_refusal
from annotate.api.settings.changes import CollectionChangesRequest, change_settings
from annotate.api.settings.collection_fields import CollectionAnswer, OwnCollectionAnswer
from annotate.api.settings.level_fields import MAX_LEVELS_SENT, LevelRequest
from annotate.core.levels.scheme_rules import BadScheme, LevelSpec
from annotate.forms.collections import CollectionForm
from annotate.forms.settings import DeleteForm
from annotate.models import ApiToken, Collection, Membership
from annotate.services.collection import collections
from annotate.services.collection.lifecycle import purging
from annotate.services.storage.collection_rows import NotOwner


class CollectionRequest(StrictSerializer):
    """A collection to make; items come later, as an import."""

    slug = serializers.SlugField(max_length=60, help_text="Its short name, which never changes.")
    name = serializers.CharField(max_length=120)
    description = serializers.CharField(max_length=2000, required=False, allow_blank=True)
    measurement = serializers.ChoiceField(
        Collection.Measurement.choices, default=Collection.Measurement.ORDINAL
    )
    positive_from = serializers.IntegerField(
        min_value=0, max_value=100, default=1, help_text="Smaller grades are not relevant."
    )
    levels = serializers.ListField(child=LevelRequest(), max_length=MAX_LEVELS_SENT)
    guidelines = serializers.CharField(
        max_length=100_000, required=False, allow_blank=True, help_text="Markdown."
    )


class DeletionAnswer(serializers.Serializer):
    """A collection that a worker deletes."""

    url = serializers.CharField(help_text="Answers 404 once the collection is deleted.")
    state = serializers.ChoiceField(["deleting"])


class CollectionsView(Endpoint):
    """The collections of the token's owner; the one collection of a token that is for one."""

    write_scope = ApiToken.Scope.COLLECTIONS_WRITE
    parser_classes = [JSONParser]

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses={200: page_answer(name="collections", row=OwnCollectionAnswer)},
    )
    def get(self, request: TokenRequest) -> Response:
        """A page of them with her roles, by their short names."""
        read_filters(request=request)
        memberships = Membership.objects.filter(user=request.user)
        rows = access.collections_of(user=request.user).prefetch_related(
            Prefetch("memberships", memberships, to_attr="own_memberships")
        )
        if request.auth.collection_id is not None:
            rows = rows.filter(pk=request.auth.collection_id)

        return page_of(
            request=request,
            rows=rows,
            ordering=("slug",),
            name="collections",
            as_json=OwnCollectionAnswer(context={"user": request.user}).to_representation,
        )

    @extend_schema(request=CollectionRequest, responses={201: CollectionAnswer})
    @repeatable
    def post(self, request: TokenRequest) -> Response:
        """Make a collection, which its maker leads and researches.

        For leads and researchers of any collection, with a token that is for all of them.
        """
        access.require_maker(user=request.user)
        if request.auth.collection_id is not None:
            raise PermissionDenied("This token is for one collection; make one that is for all.")
        fields = validated(CollectionRequest(data=request.data))
        levels = [LevelSpec(**level) for level in fields.pop("levels")]
        form = CollectionForm(fields)
        if not form.is_valid():
            raise invalid_form(form)
        try:
            collection = collections.create_collection(
                levels=levels, by=request.user, **form.collection_fields()
            )
        except BadScheme as error:
            raise field_refusal(error.field, error) from error
        except collections.CollectionExists as error:
            raise field_refusal("slug", error) from error
        facts = CollectionAnswer(collection).data
        return Response(facts, status=201, headers={"Location": facts["url"]})


class CollectionView(SettingsEndpoint):
    """One collection."""

    @extend_schema(responses={200: CollectionAnswer})
    def get(self, request: TokenRequest, slug: str) -> Response:
        """The facts of a collection, for its leads and researchers."""
        return Response(CollectionAnswer(self.collection(request, slug)).data)

    @extend_schema(request=CollectionChangesRequest, responses={200: CollectionAnswer})
    def patch(self, request: TokenRequest, slug: str) -> Response:
        """Change some settings: all that are sent, or none where one is refused."""
        collection = self.collection(request, slug)
        changes = validated(CollectionChangesRequest(data=request.data))
        change_settings(collection=collection, changes=changes, by=request.user)
        collection.refresh_from_db()
        return Response(CollectionAnswer(collection).data)

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "confirm", str, required=True, description="The short name of the collection."
            )
        ],
        responses={202: DeletionAnswer},
    )
    def delete(self, request: TokenRequest, slug: str) -> Response:
        """Have a collection deleted that nobody has judged: 202, and 404 once it is gone."""
        collection = self.collection(request, slug)
        parameters = page_parameters(request=request, names={"confirm": "slug"})
        form = DeleteForm(parameters, collection=collection)
        if not form.is_valid():
            messages = [str(message) for message in form.errors["slug"]]
            errors = [{"field": "confirm", "message": message} for message in messages]
            raise Unprocessable(" ".join(messages), errors=errors)
        try:
            purging.request_deletion(collection=collection, by=request.user)
        except (purging.CollectionJudged, NotOwner) as error:
            raise Unprocessable(str(error)) from error
        url = CollectionAnswer(collection).get_url(collection)
        answer = {"url": url, "state": "deleting"}
        return Response(answer, status=202, headers={"Location": url, "Retry-After": "3"})


urlpatterns = [
    path("collections/", CollectionsView.as_view(), name="collections"),
    path("collections/<slug:slug>/", CollectionView.as_view(), name="collection"),
]
