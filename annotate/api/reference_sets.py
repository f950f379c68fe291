"""API of reference sets: the labels that a collection came with."""

from typing import Any

from django.db.models import Count
from django.http import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import AnswerSerializer
from annotate.api.filters import read_filters
from annotate.api.judgments import LineRenderer
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.models import ApiToken, ReferenceSet
from annotate.services.collection.reference_qrels import label_pieces, loading_report
from annotate.services.pages.overview import counted_references


class ReferenceSetAnswer(AnswerSerializer):
    """A reference set and how many labels it has."""

    url = serializers.SerializerMethodField()
    labels_url = serializers.SerializerMethodField()
    n_labels = serializers.IntegerField()

    class Meta:
        model = ReferenceSet
        fields = ["url", "id", "name", "n_labels", "sha256", "created_at", "labels_url"]
        extra_kwargs = {"sha256": {"help_text": "Of the labels, whatever their file was like."}}

    def get_url(self, reference_set: ReferenceSet) -> str:
        """The address of the set."""
        return reverse("api:reference-set", args=[self.context["slug"], reference_set.pk])

    def get_labels_url(self, reference_set: ReferenceSet) -> str:
        """The address of its labels."""
        return reverse("api:reference-set-labels", args=[self.context["slug"], reference_set.pk])


class GradeCountAnswer(serializers.Serializer):
    """A grade, and how many labels have it."""

    grade = serializers.IntegerField()
    n_labels = serializers.IntegerField()


class WholeReferenceSetAnswer(ReferenceSetAnswer):
    """A reference set with its grades and the report of its file."""

    grades = serializers.SerializerMethodField(help_text="The largest first.")
    n_undrawn = serializers.SerializerMethodField(
        help_text="Targets that a sampled pool has and that were not drawn: they have no label."
    )
    report = serializers.SerializerMethodField(
        help_text="Of the import of its file; null where it came with items, or by a command."
    )

    class Meta(ReferenceSetAnswer.Meta):
        fields = [*ReferenceSetAnswer.Meta.fields, "grades", "n_undrawn", "report"]

    @extend_schema_field(GradeCountAnswer(many=True))
    def get_grades(self, reference_set: ReferenceSet) -> list[Any]:
        """The grades with their numbers of labels."""
        grades = reference_set.labels.order_by("-grade").values("grade")
        return list(grades.annotate(n_labels=Count("pk")))

    def get_n_undrawn(self, reference_set: ReferenceSet) -> int:
        """The number of targets that were not drawn."""
        return reference_set.undrawn.count()

    def get_report(self, reference_set: ReferenceSet) -> dict[str, Any] | None:
        """The report of the import, as its page shows it."""
        return loading_report(reference_set=reference_set)


class ReferenceSetsView(Endpoint):
    """GET collections/<slug>/reference-sets/"""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses={200: page_answer(name="reference_sets", row=ReferenceSetAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of reference sets by their names."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        read_filters(request=request)
        return page_of(
            request=request,
            rows=counted_references(collection=collection),
            ordering=("name",),
            name="reference_sets",
            as_json=ReferenceSetAnswer(context={"slug": slug}).to_representation,
        )


class ReferenceSetView(Endpoint):
    """GET collections/<slug>/reference-sets/<pk>/"""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(responses={200: WholeReferenceSetAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """One reference set."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        reference_set = get_object_or_404(counted_references(collection=collection), pk=pk)
        return Response(WholeReferenceSetAnswer(reference_set, context={"slug": slug}).data)


class ReferenceLabelsView(Endpoint):
    """GET collections/<slug>/reference-sets/<pk>/labels/"""

    scope = ApiToken.Scope.NUMBERS_READ
    renderer_classes = [LineRenderer, JSONRenderer]

    @extend_schema(responses={(200, LineRenderer.media_type): OpenApiTypes.STR})
    def get(self, request: TokenRequest, slug: str, pk: int) -> HttpResponseBase:
        """Every label as a JSON line: `query`, `document`, `grade`, `stratum` (null without one).

        They are in the order in which they were stored.
        """
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        read_filters(request=request, other_names=())
        reference_set = get_object_or_404(ReferenceSet, collection=collection, pk=pk)
        name = f"{slug}-reference-{reference_set.pk}.ndjson"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        pieces = label_pieces(reference_set=reference_set)
        return StreamingHttpResponse(pieces, content_type=LineRenderer.media_type, headers=headers)


SETS = "collections/<slug:slug>/reference-sets/"
urlpatterns = [
    path(SETS, ReferenceSetsView.as_view(), name="reference-sets"),
    path(f"{SETS}<int:pk>/", ReferenceSetView.as_view(), name="reference-set"),
    path(f"{SETS}<int:pk>/labels/", ReferenceLabelsView.as_view(), name="reference-set-labels"),
]
