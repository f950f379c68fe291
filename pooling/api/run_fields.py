"""Fields of runs: what programs send, filter by and are answered."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from annotate.api.fields import AnswerSerializer, MomentField, StrictSerializer
from annotate.api.filters import Filters, ListedChoiceField, YesNoField
from annotate.api.jobs import JobAnswer
from annotate.models import Direction
from pooling.core.files.papers import paper_address
from pooling.forms.runs import MAX_NAME, MAX_TAG, MAX_TAGS
from pooling.models import Run

N_EVENTS = 20


class RunAnswer(AnswerSerializer):
    """A run as programs see it."""

    url = serializers.SerializerMethodField()
    state_text = serializers.CharField(help_text="Its state as pages write it.")
    uploaded_by = serializers.CharField(source="uploaded_by.username", allow_null=True)
    unknown_share = serializers.FloatField(
        help_text="Share of the ranked rows whose target the collection lacks, from 0 to 1."
    )
    doubts_text = serializers.CharField(help_text="Doubts about its file; empty for most runs.")
    job = JobAnswer(
        source="work",
        allow_null=True,
        help_text="Its latest reading; null where it was stored without one.",
    )

    class Meta:
        model = Run
        fields = [
            "id",
            "url",
            "name",
            "direction",
            "system",
            "team",
            "paper",
            "tags",
            "description",
            "is_hidden",
            "may_be_published",
            "retired_at",
            "state",
            "state_text",
            "on_hold_since",
            "score_type",
            "columns",
            "file_name",
            "sha256",
            "uploaded_by",
            "created_at",
            "finished_at",
            "unknown_share",
            "doubts_text",
            "report",
            "job",
        ]

    def get_url(self, run: Run) -> str:
        """Its address."""
        return reverse("api:run", args=[run.collection.slug, run.pk])


class RunActionAnswer(serializers.Serializer):
    """An action on a run after its upload."""

    kind = serializers.CharField(help_text="Such as `renamed`, `retired` or `accepted`.")
    note = serializers.CharField(help_text="What it was before, or why.")
    at = MomentField()
    by = serializers.CharField(
        source="by.username", allow_null=True, help_text="Null for the site itself."
    )


class NamedAnswer(serializers.Serializer):
    """A run or a pool by its name."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class WholeRunAnswer(RunAnswer):
    """A run with its pools and what was done to it."""

    pools = serializers.SerializerMethodField(help_text="The pools that were made of it.")
    events = serializers.SerializerMethodField(help_text="The newest 20 actions, newest first.")

    class Meta(RunAnswer.Meta):
        fields = [*RunAnswer.Meta.fields, "pools", "events"]

    def get_pools(self, run: Run) -> list[dict[str, Any]]:
        """The pools that were made of it."""
        return list(NamedAnswer(run.pools.order_by("pk"), many=True).data)

    def get_events(self, run: Run) -> list[dict[str, Any]]:
        """The newest actions."""
        events = run.events.select_related("by").order_by("-pk")[:N_EVENTS]
        return list(RunActionAnswer(events, many=True).data)


class RunFilters(Filters):
    """Filters of the list of runs."""

    state = ListedChoiceField(Run.State.values)
    direction = ListedChoiceField(Direction.values)
    name = serializers.CharField(required=False, max_length=MAX_NAME)
    tag = serializers.CharField(required=False, max_length=MAX_TAG)
    is_retired = YesNoField(required=False)
    is_on_hold = YesNoField(required=False)
    is_hidden = YesNoField(required=False)


class RunUploadRequest(serializers.Serializer):
    """A run file with its fields, as `multipart/form-data`; the form of the page reads it."""

    name = serializers.CharField(max_length=MAX_NAME)
    direction = serializers.ChoiceField(choices=Direction.choices)
    file = serializers.FileField(help_text="Plain or gzipped.")
    score_type = serializers.ChoiceField(
        choices=Run.ScoreType.choices, required=False, help_text="float32 by default."
    )
    columns = serializers.CharField(
        required=False, help_text="Of a table without a header: `query:1, document:2, score:3`."
    )
    system = serializers.CharField(max_length=80, required=False)
    team = serializers.CharField(max_length=80, required=False)
    paper = serializers.CharField(max_length=300, required=False, help_text="An address or a DOI.")
    tags = serializers.CharField(
        max_length=200, required=False, help_text="Up to 10, with commas between them."
    )
    description = serializers.CharField(max_length=2000, required=False)
    is_hidden = serializers.BooleanField(required=False)
    may_be_published = serializers.BooleanField(required=False)


class RunChangesRequest(StrictSerializer):
    """Properties of a run that can be changed; those left out stay as they are."""

    name = serializers.CharField(max_length=MAX_NAME)
    system = serializers.CharField(max_length=80, allow_blank=True)
    team = serializers.CharField(max_length=80, allow_blank=True)
    paper = serializers.CharField(max_length=300, allow_blank=True)
    tags = serializers.ListField(
        child=serializers.CharField(max_length=MAX_TAG), max_length=MAX_TAGS
    )
    description = serializers.CharField(max_length=2000, allow_blank=True)
    is_hidden = serializers.BooleanField()
    may_be_published = serializers.BooleanField()
    is_retired = serializers.BooleanField()
    is_on_hold = serializers.BooleanField()
    score_type = serializers.ChoiceField(choices=Run.ScoreType.choices)

    def validate_paper(self, text: str) -> str:
        """The paper's address."""
        try:
            return paper_address(text)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error

    def validate_is_on_hold(self, value: bool) -> bool:
        """Only the number of its unknown rows puts a run on hold."""
        if value:
            raise serializers.ValidationError(
                "A run on hold can be used; it cannot be put on hold."
            )
        return value
