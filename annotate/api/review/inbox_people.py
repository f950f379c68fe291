"""API of the people whom guards name: the list, and a lead's decision about each."""

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import repeatable
from annotate.api.fields import AnswerSerializer, StrictSerializer, validated
from annotate.api.filters import read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.api.review.inbox import INBOX, LEAD, InboxEndpoint
from annotate.models import Concern
from annotate.services.supervision import concerns


class ConcernAnswer(AnswerSerializer):
    """A person whom a guard names, with the evidence."""

    annotator = serializers.CharField(source="annotator.pseudonym")
    short = serializers.CharField(help_text="The guard's words for it.")
    sentence = serializers.CharField(help_text="The evidence in words and figures.")

    class Meta:
        model = Concern
        fields = [
            "id",
            "annotator",
            "guard",
            "short",
            "sentence",
            "evidence",
            "state",
            "at",
            "faded_at",
        ]


class ConcernActRequest(StrictSerializer):
    """A decision about a concern."""

    act = serializers.ChoiceField(concerns.ConcernAct.choices)


class WaitingPeopleView(InboxEndpoint):
    """GET collections/<slug>/inbox/people/"""

    @extend_schema(
        parameters=[*PAGE_PARAMETERS],
        responses=page_answer(name="waiting_people", row=ConcernAnswer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """People whom guards name, the newest first, a row for each guard."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        read_filters(request=request)
        return page_of(
            request=request,
            rows=concerns.waiting_concerns(collection=collection),
            ordering=("-pk",),
            name="waiting_people",
            as_json=ConcernAnswer().to_representation,
        )


class ConcernActView(InboxEndpoint):
    """POST collections/<slug>/inbox/people/<id>/act/"""

    parser_classes = [JSONParser]

    @extend_schema(request=ConcernActRequest, responses=ConcernAnswer)
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Settle a concern, as it is fine, or open it again: `act`."""
        get_collection(request=request, slug=slug, roles=LEAD)
        concern = access.get_concern(user=request.user, slug=slug, pk=pk)
        values = validated(ConcernActRequest(data=request.data))
        try:
            concerns.decide(concern=concern, act=values["act"], by=request.user)
        except concerns.CONCERN_REFUSALS as error:
            raise Unprocessable(str(error)) from error
        concern.refresh_from_db()
        return Response(ConcernAnswer(concern).data)


urlpatterns = [
    path(f"{INBOX}people/", WaitingPeopleView.as_view(), name="inbox-people"),
    path(f"{INBOX}people/<int:pk>/act/", ConcernActView.as_view(), name="inbox-concern-act"),
]
