"""API of one pair for leads: all that people said of it, the lead's grade, and other decisions."""

from typing import Any

from django.urls import path, reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import repeatable
from annotate.api.fields import AnswerSerializer, MomentField, StrictSerializer, validated
from annotate.api.review.decision_fields import (
    ActionRequest,
    DecisionAnswer,
    ReportAnswer,
    SluggedSerializer,
    UnfinishedDecisionAnswer,
    decided,
)
from annotate.api.review.inbox import INBOX, LEAD, InboxEndpoint
from annotate.forms.review import AdjudicateForm, ReasonForm
from annotate.models import (
    Item,
    JudgmentEvent,
    JudgmentOutcome,
    Pair,
    PairExclusion,
    Resolution,
    Seat,
)
from annotate.services.review import decisions
from annotate.services.review.pair_history import History, history_of
from annotate.services.supervision import bulk_decisions

MAX_GRADE = 32_767


class JudgmentEventAnswer(AnswerSerializer):
    """A later event of a judgment."""

    class Meta:
        model = JudgmentEvent
        fields = ["kind", "reason", "at"]


class InboxJudgmentAnswer(serializers.Serializer):
    """A judgment of the pair, also one that does not count."""

    id = serializers.IntegerField(source="judgment.pk")
    annotator = serializers.CharField(source="judgment.annotator.pseudonym")
    purpose = serializers.ChoiceField(Seat.Purpose.choices, source="judgment.purpose")
    grade = serializers.IntegerField(source="judgment.level.grade")
    level = serializers.CharField(source="judgment.level.name")
    outcome = serializers.ChoiceField(JudgmentOutcome.Outcome.choices)
    reasons = serializers.ListField(source="judgment.reasons", child=serializers.CharField())
    comment = serializers.CharField(help_text="Of the annotator; may be empty.")
    events = JudgmentEventAnswer(many=True)
    active_seconds = serializers.FloatField(source="seconds", allow_null=True)
    at = MomentField(source="judgment.at")


class ExclusionAnswer(AnswerSerializer):
    """The exclusion of a pair."""

    class Meta:
        model = PairExclusion
        fields = ["reason", "at"]


class PairItemAnswer(AnswerSerializer):
    """An item of the pair; `excluded_at` is null while it is not excluded."""

    id = serializers.CharField(source="external_id")

    class Meta:
        model = Item
        fields = ["id", "excluded_at", "excluded_reason"]


class PairResolutionAnswer(AnswerSerializer):
    """The grade of the pair and how it came about."""

    policy = serializers.IntegerField(source="policy.version")

    class Meta:
        model = Resolution
        fields = ["status", "grade", "n_labels", "is_complete", "policy", "changed_at"]


class InboxPairAnswer(SluggedSerializer):
    """A pair with all that people said of it."""

    id = serializers.IntegerField(source="pair.pk")
    url = serializers.SerializerMethodField()
    query = PairItemAnswer(source="pair.query")
    document = PairItemAnswer(source="pair.document")
    summary = serializers.CharField(source="sentence", help_text="How its grade came about.")
    resolution = PairResolutionAnswer(allow_null=True)
    adjudicated_grade = serializers.IntegerField(
        source="adjudication.judgment.level.grade",
        allow_null=True,
        help_text="The grade by a lead that decides it; null where the labels do.",
    )
    exclusion = ExclusionAnswer(allow_null=True, help_text="Null where it is not excluded.")
    gold_notes = serializers.ListField(
        child=serializers.CharField(), help_text="What kind of gold it is or was."
    )
    judgments = InboxJudgmentAnswer(many=True)
    reports = ReportAnswer(many=True)
    decisions = serializers.SerializerMethodField(
        help_text="About its items, under way or stopped half-way."
    )

    def get_url(self, history: History) -> str:
        """Its address."""
        return self.pair_url(history.pair.pk)

    @extend_schema_field(UnfinishedDecisionAnswer(many=True))
    def get_decisions(self, history: History) -> list[dict[str, Any]]:
        """The unfinished decisions."""
        items = [history.pair.query, history.pair.document]
        rows = bulk_decisions.unfinished_of_items(items=items)
        return list(UnfinishedDecisionAnswer(rows, many=True).data)


class PairActionRequest(ActionRequest):
    """An action on a pair, or on one of its items with all its pairs."""

    act = serializers.ChoiceField(decisions.PairAct.choices)


class AdjudicationRequest(StrictSerializer):
    """A lead's grade."""

    grade = serializers.IntegerField(min_value=0, max_value=MAX_GRADE)
    note = serializers.CharField(
        max_length=500, allow_blank=True, required=False, help_text="Why; stays in the log."
    )


class PairEndpoint(InboxEndpoint):
    """A pair for the collection's leads."""

    parser_classes = [JSONParser]

    def pair(self, request: TokenRequest, slug: str, pk: int) -> Pair:
        """The pair; else Http404."""
        get_collection(request=request, slug=slug, roles=LEAD)
        return access.get_pair(user=request.user, slug=slug, pk=pk, roles=LEAD)


class InboxPairView(PairEndpoint):
    """GET collections/<slug>/inbox/pairs/<id>/"""

    @extend_schema(responses=InboxPairAnswer)
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """A pair with its judgments under pseudonyms, comments, reports, and its resolution."""
        history = history_of(pair=self.pair(request, slug, pk), for_lead=True)
        return Response(InboxPairAnswer(history, context={"slug": slug}).data)


class PairAdjudicationView(PairEndpoint):
    """POST collections/<slug>/inbox/pairs/<id>/adjudicate/"""

    @extend_schema(request=AdjudicationRequest, responses=DecisionAnswer)
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Give the pair the lead's `grade`, with a `note`; her other grade of it is replaced."""
        pair = self.pair(request, slug, pk)
        values = validated(AdjudicationRequest(data=request.data))
        form = AdjudicateForm(values, levels=list(pair.collection.levels.all()))
        if not form.is_valid():
            raise invalid_form(form)
        try:
            decision = decisions.adjudicate(pair=pair, by=request.user, **form.cleaned_data)
        except decisions.PAIR_REFUSALS as error:
            raise Unprocessable(str(error)) from error
        return decided(decision, url=reverse("api:inbox-pair", args=[slug, pk]))


class PairActView(PairEndpoint):
    """POST collections/<slug>/inbox/pairs/<id>/act/"""

    @extend_schema(
        request=PairActionRequest,
        responses={200: DecisionAnswer, 202: DecisionAnswer},
    )
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Take the grade back, settle or open reports, exclude or restore: `act`, `reason`."""
        pair = self.pair(request, slug, pk)
        values = validated(PairActionRequest(data=request.data))
        form = ReasonForm(
            values,
            acts=decisions.PairAct,
            acts_with_reason=decisions.PAIR_ACTS_WITH_REASON,
        )
        if not form.is_valid():
            raise invalid_form(form)
        act, reason = decisions.PairAct(form.cleaned_data["act"]), form.cleaned_data["reason"]
        try:
            decision = decisions.decide_pair(pair=pair, act=act, by=request.user, reason=reason)
        except decisions.PAIR_REFUSALS as error:
            raise Unprocessable(str(error)) from error
        return decided(decision, url=reverse("api:inbox-pair", args=[slug, pk]))


PAIR = f"{INBOX}pairs/<int:pk>/"
urlpatterns = [
    path(PAIR, InboxPairView.as_view(), name="inbox-pair"),
    path(f"{PAIR}adjudicate/", PairAdjudicationView.as_view(), name="inbox-pair-adjudicate"),
    path(f"{PAIR}act/", PairActView.as_view(), name="inbox-pair-act"),
]
