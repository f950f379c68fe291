"""API of the guidelines: the newest version, all of them, and new ones."""

from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from annotate.api import TokenRequest, invalid_form
from annotate.api.endpoints import repeatable
from annotate.api.fields import AnswerSerializer, StrictSerializer, validated
from annotate.api.filters import read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.api.settings import SettingsEndpoint, field_refusal
from annotate.api.settings.level_fields import MAX_LEVELS_SENT, LevelReasonsField
from annotate.core.levels import level_reasons
from annotate.core.levels.scheme_rules import BadScheme
from annotate.forms.settings import GuidelinesForm
from annotate.models import Collection, Guidelines
from annotate.services.collection import collections
from annotate.services.collection.collections import Wording


class LevelWordsAnswer(serializers.Serializer):
    """The words of a level in one version of the guidelines."""

    grade = serializers.IntegerField()
    name = serializers.CharField()
    sentence = serializers.CharField()
    reasons = LevelReasonsField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """The words; versions keep no reasons where there were none."""
        return {"reasons": [], **instance}


class GuidelinesVersionAnswer(AnswerSerializer):
    """A version of the guidelines in a list."""

    url = serializers.SerializerMethodField()

    class Meta:
        model = Guidelines
        fields = ["url", "version", "at"]

    def get_url(self, version: Guidelines) -> str:
        """The address of this version."""
        slug = version.collection.slug
        return reverse("api:guidelines-version", args=[slug, version.version])


class GuidelinesAnswer(GuidelinesVersionAnswer):
    """A version of the guidelines: its text, and the words of the levels, largest grade first."""

    levels = LevelWordsAnswer(source="wording", many=True)

    class Meta(GuidelinesVersionAnswer.Meta):
        fields = [*GuidelinesVersionAnswer.Meta.fields, "markdown", "levels"]


class LevelWordsRequest(StrictSerializer):
    """New words of one level; what is left out stays as it is."""

    grade = serializers.IntegerField(min_value=0, max_value=100)
    name = serializers.CharField(max_length=60, required=False)
    sentence = serializers.CharField(max_length=200, required=False, allow_blank=True)
    reasons = LevelReasonsField(required=False)


class GuidelinesRequest(StrictSerializer):
    """A new version; what is left out is as in the newest one."""

    markdown = serializers.CharField(
        max_length=100_000, required=False, allow_blank=True, trim_whitespace=False
    )
    levels = serializers.ListField(
        child=LevelWordsRequest(), required=False, max_length=MAX_LEVELS_SENT
    )


class GuidelinesView(SettingsEndpoint):
    """The guidelines of a collection."""

    @extend_schema(responses={200: GuidelinesAnswer})
    def get(self, request: TokenRequest, slug: str) -> Response:
        """The newest version."""
        collection = self.collection(request, slug)
        return Response(GuidelinesAnswer(collection.guidelines.latest("version")).data)

    @extend_schema(
        request=GuidelinesRequest, responses={200: GuidelinesAnswer, 201: GuidelinesAnswer}
    )
    @repeatable
    @transaction.atomic
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Store a new version: 201 with it; 200 with the newest one where nothing is new.

        Annotators read it from their next pair on, and are told that it changed.
        """
        collection = self.locked_collection(request, slug)
        form = guidelines_form(collection, validated(GuidelinesRequest(data=request.data)))
        if not form.is_valid():
            raise invalid_form(form)
        newest = collection.guidelines.latest("version")
        version = collections.change_guidelines(
            collection=collection,
            markdown=form.cleaned_data["markdown"],
            wording=[Wording(**wording) for wording in form.wordings()],
            by=request.user,
        )
        answer = GuidelinesAnswer(version).data
        status = 201 if version.version > newest.version else 200
        return Response(answer, status=status, headers={"Location": answer["url"]})


class GuidelinesVersionsView(SettingsEndpoint):
    """The versions of the guidelines."""

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses={200: page_answer(name="guidelines_versions", row=GuidelinesVersionAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of them, the newest first, without their texts."""
        versions = self.collection(request, slug).guidelines.all()
        read_filters(request=request)
        return page_of(
            request=request,
            rows=versions.defer("markdown", "wording"),
            ordering=("-version",),
            name="guidelines_versions",
            as_json=GuidelinesVersionAnswer().to_representation,
        )


class GuidelinesVersionView(SettingsEndpoint):
    """One version of the guidelines."""

    @extend_schema(responses={200: GuidelinesAnswer})
    def get(self, request: TokenRequest, slug: str, number: int) -> Response:
        """The version with its text."""
        versions = self.collection(request, slug).guidelines.all()
        return Response(GuidelinesAnswer(get_object_or_404(versions, version=number)).data)


def guidelines_form(collection: Collection, fields: dict[str, Any]) -> GuidelinesForm:
    """The form of the page, filled in with the newest version and these changes."""
    levels = list(collection.levels.all())
    data = {"markdown": collection.guidelines.latest("version").markdown}
    data |= {"markdown": fields["markdown"]} if "markdown" in fields else {}
    for level in levels:
        data[f"name-{level.grade}"] = level.name
        data[f"sentence-{level.grade}"] = level.sentence
        data[f"reasons-{level.grade}"] = level_reasons.as_text(level.reasons)
    for number, words in enumerate(fields.get("levels", [])):
        grade = words["grade"]
        if f"name-{grade}" not in data:
            error = BadScheme(f"The scheme has no grade {grade}.")
            raise field_refusal(f"levels.{number}.grade", error)
        if "reasons" in words:
            words["reasons"] = level_reasons.as_text(words["reasons"])
        data |= {f"{name}-{grade}": text for name, text in words.items() if name != "grade"}
    return GuidelinesForm(data, levels=levels)


GUIDELINES = "collections/<slug:slug>/guidelines/"
urlpatterns = [
    path(GUIDELINES, GuidelinesView.as_view(), name="guidelines"),
    path(f"{GUIDELINES}versions/", GuidelinesVersionsView.as_view(), name="guidelines-versions"),
    path(
        f"{GUIDELINES}versions/<int:number>/",
        GuidelinesVersionView.as_view(),
        name="guidelines-version",
    ),
]
