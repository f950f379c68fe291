"""API of the log of leads' decisions, and of those that stopped half-way."""

from typing import Any

from django.urls import path, reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import repeatable
from annotate.api.fields import AnswerSerializer
from annotate.api.filters import Filters, read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.api.review.decision_fields import (
    DecisionAnswer,
    SluggedSerializer,
    UnfinishedDecisionAnswer,
    decided,
)
from annotate.api.review.inbox import LEAD, InboxEndpoint
from annotate.forms.review import LogForm
from annotate.models import Collection, ReviewAction
from annotate.services.background import works
from annotate.services.review.decisions import ReviewResult
from annotate.services.supervision import bulk_decisions, review_log

MAX_NAMED = 20  # of the names that a refusal lists


class LogBatchAnswer(SluggedSerializer):
    """The batch of an action."""

    id = serializers.IntegerField(source="pk")
    number = serializers.IntegerField(source="judging_number")
    url = serializers.SerializerMethodField()

    def get_url(self, batch: Any) -> str:
        """Its address."""
        return self.batch_url(batch.pk)


class LogPairAnswer(SluggedSerializer):
    """The pair of an action."""

    id = serializers.IntegerField(source="pk")
    query = serializers.CharField(source="query.external_id")
    document = serializers.CharField(source="document.external_id")
    url = serializers.SerializerMethodField()

    def get_url(self, pair: Any) -> str:
        """Its address."""
        return self.pair_url(pair.pk)


class LogItemAnswer(serializers.Serializer):
    """The item of an action."""

    id = serializers.CharField(source="external_id")
    side = serializers.CharField()


class LogEntryAnswer(AnswerSerializer):
    """An action of a lead; what it is not about is null."""

    by = serializers.CharField(
        source="by.username", allow_null=True, help_text="Null: the policy acted."
    )
    name = serializers.CharField(source="get_kind_display")
    annotator = serializers.CharField(source="annotator.pseudonym", allow_null=True)
    batch = LogBatchAnswer(allow_null=True)
    pair = LogPairAnswer(allow_null=True)
    item = LogItemAnswer(allow_null=True)
    n_labels = serializers.IntegerField(
        source="n_moved", help_text="Labels taken out of the count or put back so far."
    )
    decision = serializers.SerializerMethodField(
        help_text="While it is not carried out to its end; else null."
    )

    class Meta:
        model = ReviewAction
        fields = [
            "id",
            "at",
            "by",
            "kind",
            "name",
            "annotator",
            "batch",
            "pair",
            "item",
            "n_labels",
            "reason",
            "decision",
        ]

    @extend_schema_field(UnfinishedDecisionAnswer(allow_null=True))
    def get_decision(self, action: ReviewAction) -> dict[str, Any] | None:
        """Its progress, while it is not done."""
        work = getattr(action, "work", None)
        return None if work is None or work.is_done else dict(UnfinishedDecisionAnswer(work).data)


class LogFilters(Filters):
    """Filters of the log."""

    by = serializers.CharField(max_length=150, required=False, help_text="A lead's user name.")
    kind = serializers.ChoiceField(ReviewAction.Kind.choices, required=False)
    annotator = serializers.CharField(
        max_length=120, required=False, help_text="The pseudonym that actions are about."
    )


class ReviewLogView(InboxEndpoint):
    """GET collections/<slug>/review-log/"""

    @extend_schema(
        parameters=[LogFilters, *PAGE_PARAMETERS],
        responses=page_answer(name="review_log", row=LogEntryAnswer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """The decisions of leads with their reasons, the newest first, for leads."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        values = read_filters(request=request, form=LogFilters)
        form = LogForm(log_fields(collection, values), collection=collection)
        return page_of(
            request=request,
            rows=review_log.entries(collection=collection, **form.filters()),
            ordering=("-pk",),
            name="review_log",
            as_json=LogEntryAnswer(context={"slug": slug}).to_representation,
        )


class ReviewAgainView(InboxEndpoint):
    """POST collections/<slug>/review-log/<id>/again/"""

    @extend_schema(request=None, responses={200: DecisionAnswer, 202: DecisionAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Have the rest of a decision done that stopped half-way; another one stays as it is."""
        get_collection(request=request, slug=slug, roles=LEAD)
        decision = access.get_review_work(user=request.user, slug=slug, pk=pk)
        works.ask_again(work=decision.work)
        decision = access.get_review_work(user=request.user, slug=slug, pk=pk)
        url = reverse("api:review-log", args=[slug])
        return decided(ReviewResult(bulk_decisions.summary(decision), decision), url=url)


def log_fields(collection: Collection, values: dict[str, Any]) -> dict[str, Any]:
    """The fields of the page's form, which goes by keys; raises Unprocessable for other names."""
    fields: dict[str, Any] = LogForm(collection=collection).fields
    keys = {"kind": values.get("kind", "")}
    for name, field, of_person in (
        ("by", "by", "username"),
        ("annotator", "person", "pseudonym"),
    ):
        if name in values:
            people = dict(fields[field].queryset.values_list(of_person, "pk"))
            if values[name] not in people:
                names = ", ".join(sorted(people)[:MAX_NAMED]) or "none"
                message = f"The log has nobody of this name; there are {names}."
                raise Unprocessable(message, errors=[{"field": name, "message": message}])
            keys[field] = people[values[name]]
    return keys


LOG = "collections/<slug:slug>/review-log/"
urlpatterns = [
    path(LOG, ReviewLogView.as_view(), name="review-log"),
    path(f"{LOG}<int:pk>/again/", ReviewAgainView.as_view(), name="review-log-again"),
]
