"""Jobs for programs: how far something is that they asked for, and its end."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from annotate.access import roles_in
from annotate.api import TokenRequest
from annotate.api.endpoints import Endpoint
from annotate.api.fields import AnswerSerializer, MomentField
from annotate.models import User, Work
from annotate.services.background import progress, works


class JobProgressAnswer(serializers.Serializer):
    """The progress of a job."""

    done = serializers.IntegerField(source="n_done", help_text="Units done.")
    total = serializers.IntegerField(allow_null=True, help_text="Null where it is unknown.")
    unit = serializers.CharField(help_text="What is counted, such as `rows`.")
    seconds_left = serializers.FloatField(
        allow_null=True, help_text="At the pace so far; null until there is one."
    )
    at = MomentField()


class JobAnswer(AnswerSerializer):
    """A job: its state, how far it is, and why it failed."""

    url = serializers.SerializerMethodField()
    is_finished = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    error = serializers.CharField(help_text="Why it failed, else empty.")

    class Meta:
        model = Work
        fields = [
            "id",
            "url",
            "kind",
            "state",
            "is_finished",
            "progress",
            "error",
            "asked_at",
            "finished_at",
        ]

    def get_url(self, work: Work) -> str:
        """Its address."""
        return reverse("api:job", args=[work.pk])

    def get_is_finished(self, work: Work) -> bool:
        """True once it is done, has failed or was cancelled."""
        return not work.is_unfinished

    @extend_schema_field(JobProgressAnswer(allow_null=True))
    def get_progress(self, work: Work) -> dict[str, Any] | None:
        """Its progress; None where it has ended, or no progress is known."""
        return progress_json(work)


def job_json(work: Work) -> dict[str, Any]:
    """A job: its state, how far it is, and why it failed."""
    return dict(JobAnswer(work).data)


def progress_json(work: Work) -> dict[str, Any] | None:
    """The progress of work; None where it has ended, or no progress is known."""
    job_progress = progress.progress_of(job=works.job_of(work)) if work.is_unfinished else None
    return None if job_progress is None else dict(JobProgressAnswer(job_progress).data)


class JobView(Endpoint):
    """GET jobs/<id>/, of what the token's owner asked for, or may read of by her role."""

    @extend_schema(responses=JobAnswer)
    def get(self, request: TokenRequest, pk: int) -> Response:
        """The job, for whoever asked for it, and for those who see what it is about."""
        rows = Work.objects.select_related("collection")
        if request.auth.collection_id is not None:
            rows = rows.filter(collection=request.auth.collection_id)
        work = get_object_or_404(rows, pk=pk)
        if work.by_id != request.user.pk and not may_read(work, request.user):
            raise Http404
        return Response(job_json(work))


def may_read(work: Work, person: User) -> bool:
    """True if what a job is about is there for a person, by her role, and not hidden from her."""
    kind = works.KINDS[work.kind]
    roles = roles_in(user=person, collection=work.collection)
    return not roles.isdisjoint(kind.readers) and not kind.is_hidden(work, person)


urlpatterns = [path("jobs/<int:pk>/", JobView.as_view(), name="job")]
