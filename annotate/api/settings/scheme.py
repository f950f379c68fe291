"""API of the scheme: the levels of a collection, and the grade from which on a pair is relevant."""

from django.db import transaction
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from annotate.api import TokenRequest
from annotate.api.fields import AnswerSerializer, MomentField, StrictSerializer, validated
from annotate.api.settings import SettingsEndpoint, field_refusal
from annotate.api.settings.level_fields import MAX_LEVELS_SENT, LevelAnswer, LevelRequest
from annotate.core.levels.scheme_rules import BadScheme, LevelSpec
from annotate.models import Collection
from annotate.services.collection import collections


class SchemeAnswer(AnswerSerializer):
    """The scheme of a collection; its words are those of a version of the guidelines."""

    frozen_at = MomentField(
        source="scheme_frozen_at",
        allow_null=True,
        help_text=(
            "The moment of the first judgment, from which on only words and colours may change; or "
            "null."
        ),
    )
    levels = LevelAnswer(many=True)
    guidelines_version = serializers.SerializerMethodField()

    class Meta:
        model = Collection
        fields = ["positive_from", "measurement", "frozen_at", "levels", "guidelines_version"]

    def get_guidelines_version(self, collection: Collection) -> int:
        """The number of the newest version of the guidelines."""
        return collection.guidelines.latest("version").version


class SchemeRequest(StrictSerializer):
    """All levels of a scheme. What a level of a present grade leaves out stays as it is."""

    positive_from = serializers.IntegerField(min_value=0, max_value=100)
    levels = serializers.ListField(child=LevelRequest(), max_length=MAX_LEVELS_SENT)


class SchemeView(SettingsEndpoint):
    """The scheme of a collection."""

    @extend_schema(responses={200: SchemeAnswer})
    def get(self, request: TokenRequest, slug: str) -> Response:
        """The levels, the largest grade first."""
        return Response(SchemeAnswer(self.collection(request, slug)).data)

    @extend_schema(request=SchemeRequest, responses={200: SchemeAnswer})
    @transaction.atomic
    def put(self, request: TokenRequest, slug: str) -> Response:
        """Change words and colours of the levels; until the first judgment also which there are.

        New words are a new version of the guidelines.
        """
        collection = self.locked_collection(request, slug)
        fields = validated(SchemeRequest(data=request.data))
        # a colour is the level's, whatever its grade becomes: the service knows it
        present_levels = {
            row["grade"]: {name: value for name, value in row.items() if name != "colour"}
            for row in LevelAnswer(collection.levels, many=True).data
        }
        levels = [
            LevelSpec(**{**present_levels.get(level["grade"], {}), **level})
            for level in fields["levels"]
        ]
        try:
            collections.change_scheme(
                collection=collection,
                levels=levels,
                positive_from=fields["positive_from"],
                by=request.user,
            )
        except BadScheme as error:
            raise field_refusal(error.field, error) from error
        except collections.SchemeFrozen as error:
            raise field_refusal("levels", error) from error
        collection.refresh_from_db()
        return Response(SchemeAnswer(collection).data)


urlpatterns = [
    path("collections/<slug:slug>/scheme/", SchemeView.as_view(), name="scheme"),
]
