"""Parts of answers about batches and pairs, and the answer to a decision."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.response import Response

from annotate.api.fields import AnswerSerializer, StrictSerializer
from annotate.api.jobs import JobAnswer, job_json
from annotate.forms.review import REASON_LENGTH
from annotate.models import Report, ReviewWork
from annotate.services.review.decisions import ReviewResult
from annotate.services.supervision import bulk_decisions


class SluggedSerializer(serializers.Serializer):
    """An answer with the addresses of pairs; its context has the `slug` of the collection."""

    def pair_url(self, key: int) -> str:
        """The address of a pair in the inbox."""
        return reverse("api:inbox-pair", args=[self.context["slug"], key])

    def batch_url(self, key: int) -> str:
        """The address of a batch in the inbox."""
        return reverse("api:inbox-batch", args=[self.context["slug"], key])


class ReportAnswer(AnswerSerializer):
    """A report on a pair."""

    annotator = serializers.CharField(source="annotator.pseudonym")
    why = serializers.CharField(help_text="The reason in words.")

    class Meta:
        model = Report
        fields = ["id", "annotator", "kind", "reason", "why", "note", "state", "at"]


class UnfinishedDecisionAnswer(serializers.Serializer):
    """A decision about many labels or pairs that is under way, or stopped half-way."""

    action = serializers.IntegerField(source="pk", help_text="Its line of the log.")
    title = serializers.SerializerMethodField()
    state = serializers.CharField(source="work.state", help_text="As that of a job.")
    n_done = serializers.IntegerField(source="n_examined")
    n_total = serializers.IntegerField()
    unit = serializers.SerializerMethodField(help_text="What is counted: answers or pairs.")
    error = serializers.CharField(source="work.error", help_text="Why it stopped, or empty.")

    def get_title(self, decision: ReviewWork) -> str:
        """Its title, in words."""
        return bulk_decisions.title(decision)

    def get_unit(self, decision: ReviewWork) -> str:
        """The unit of its rows."""
        return bulk_decisions.unit(decision)


class ActionRequest(StrictSerializer):
    """An action and its reason, which stays in the log."""

    reason = serializers.CharField(
        max_length=REASON_LENGTH,
        allow_blank=True,
        required=False,
        help_text="Needed where labels, pairs or items are taken out.",
    )


class DecisionAnswer(serializers.Serializer):
    """A decision that was made."""

    url = serializers.CharField(help_text="Of the batch or pair that it is about.")
    summary = serializers.CharField(help_text="What it did, or does in the background.")
    job = JobAnswer(
        allow_null=True, help_text="Of what is done in the background; null where all is done."
    )


def decided(decision: ReviewResult, *, url: str) -> Response:
    """The answer to a decision: 202 with its job while a worker carries it out, else 200."""
    work = decision.work.work if decision.work else None
    is_under_way = work is not None and work.is_unfinished
    job: dict[str, Any] | None = job_json(work) if work and is_under_way else None
    return Response(
        {"url": url, "summary": decision.sentence, "job": job},
        status=202 if job else 200,
        headers={"Location": job["url"]} if job else {},
    )
