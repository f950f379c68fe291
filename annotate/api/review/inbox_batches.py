"""API of one batch: its answers, the check by its golds, and the verdict on it."""

from typing import Any

from django.urls import path, reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import repeatable
from annotate.api.fields import MomentField, validated
from annotate.api.review.decision_fields import (
    ActionRequest,
    DecisionAnswer,
    SluggedSerializer,
    UnfinishedDecisionAnswer,
    decided,
)
from annotate.api.review.inbox import INBOX, LEAD, BatchAnswer, InboxEndpoint
from annotate.forms.review import ReasonForm
from annotate.models import Batch, JudgmentOutcome
from annotate.services.golds import batch_checks
from annotate.services.review.batch_details import BatchLine, golds_sentence, lines_of
from annotate.services.review.decisions import (
    BATCH_ACTS_WITH_REASON,
    BATCH_REFUSALS,
    BatchAct,
    decide_batch,
)
from annotate.services.supervision import bulk_decisions

OUTCOMES = (*JudgmentOutcome.Outcome.values, "reported", "not answered")


class BatchLineAnswer(SluggedSerializer):
    """A pair of a batch, and the last answer to it; null is what an answer would say."""

    position = serializers.IntegerField(source="hand_out.position")
    pair = serializers.IntegerField(source="hand_out.seat.pair_id")
    url = serializers.SerializerMethodField(help_text="Of the pair.")
    query = serializers.CharField(source="hand_out.seat.pair.query.external_id")
    document = serializers.CharField(source="hand_out.seat.pair.document.external_id")
    outcome = serializers.ChoiceField(OUTCOMES)
    grade = serializers.IntegerField(source="judgment.level.grade", allow_null=True)
    reasons = serializers.ListField(
        source="judgment.reasons", child=serializers.CharField(), allow_null=True
    )
    comment = serializers.CharField(source="judgment.comment.text", allow_null=True)
    at = MomentField(source="judgment.at", allow_null=True)
    active_seconds = serializers.FloatField(source="seconds", allow_null=True)
    gold_grade = serializers.IntegerField(
        source="gold.grade", allow_null=True, help_text="Of a gold that checked the person."
    )
    is_right = serializers.BooleanField(
        allow_null=True, help_text="The answer to a gold is on its side of `positive_from`."
    )
    reports = serializers.ListField(
        source="report_texts", child=serializers.CharField(), help_text="In words."
    )

    def get_url(self, line: BatchLine) -> str:
        """The address of its pair."""
        return self.pair_url(line.hand_out.seat.pair_id)


class WholeBatchAnswer(BatchAnswer):
    """A batch with its pairs as they were handed out."""

    n_pairs = serializers.IntegerField(source="hand_outs.count")
    counts = serializers.SerializerMethodField(
        help_text="Its labels count: it is neither rejected nor asked again."
    )
    golds = serializers.SerializerMethodField(help_text="How many are right, in words.")
    decisions = serializers.SerializerMethodField(
        help_text="About this person's answers, under way or stopped half-way."
    )
    lines = serializers.SerializerMethodField()

    class Meta(BatchAnswer.Meta):
        fields = [
            *BatchAnswer.Meta.fields,
            "opened_at",
            "verdict",
            "counts",
            "golds",
            "decisions",
            "lines",
        ]

    def get_counts(self, batch: Batch) -> bool:
        """True if its labels count."""
        return batch.verdict not in Batch.TAKEN_OUT

    def get_golds(self, batch: Batch) -> str:
        """The sentence of its golds."""
        check = batch_checks.count_golds(batch=batch)
        return golds_sentence(batch, check=check, is_out=batch.verdict in Batch.TAKEN_OUT)

    @extend_schema_field(UnfinishedDecisionAnswer(many=True))
    def get_decisions(self, batch: Batch) -> list[dict[str, Any]]:
        """The unfinished decisions."""
        decisions = bulk_decisions.unfinished_of_annotator(annotator=batch.annotator)
        return list(UnfinishedDecisionAnswer(decisions, many=True).data)

    @extend_schema_field(BatchLineAnswer(many=True))
    def get_lines(self, batch: Batch) -> list[dict[str, Any]]:
        """Its pairs."""
        return list(BatchLineAnswer(lines_of(batch=batch), many=True, context=self.context).data)


class BatchActionRequest(ActionRequest):
    """An action on a batch."""

    act = serializers.ChoiceField(BatchAct.choices)


class BatchView(InboxEndpoint):
    """GET collections/<slug>/inbox/batches/<id>/"""

    @extend_schema(responses=WholeBatchAnswer)
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """A batch with its pairs, answers and golds, for leads."""
        get_collection(request=request, slug=slug, roles=LEAD)
        batch = access.get_batch(user=request.user, slug=slug, pk=pk)
        return Response(WholeBatchAnswer(batch, context={"slug": slug}).data)


class BatchActView(InboxEndpoint):
    """POST collections/<slug>/inbox/batches/<id>/act/"""

    parser_classes = [JSONParser]

    @extend_schema(
        request=BatchActionRequest,
        responses={200: DecisionAnswer, 202: DecisionAnswer},
    )
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Accept it, reject it, ask others again, or take the verdict back: `act`, `reason`."""
        get_collection(request=request, slug=slug, roles=LEAD)
        batch = access.get_batch(user=request.user, slug=slug, pk=pk)
        values = validated(BatchActionRequest(data=request.data))
        form = ReasonForm(values, acts=BatchAct, acts_with_reason=BATCH_ACTS_WITH_REASON)
        if not form.is_valid():
            raise invalid_form(form)
        act, reason = BatchAct(form.cleaned_data["act"]), form.cleaned_data["reason"]
        try:
            decision = decide_batch(batch=batch, act=act, by=request.user, reason=reason)
        except BATCH_REFUSALS as error:
            raise Unprocessable(str(error)) from error
        return decided(decision, url=reverse("api:inbox-batch", args=[slug, pk]))


urlpatterns = [
    path(f"{INBOX}batches/<int:pk>/", BatchView.as_view(), name="inbox-batch"),
    path(f"{INBOX}batches/<int:pk>/act/", BatchActView.as_view(), name="inbox-batch-act"),
]
